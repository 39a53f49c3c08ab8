// What rank 0 does in a meeting, see meeting.hpp: one thread that serves all connections by turns.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "uaspl/net/meeting.hpp"

namespace uaspl {

// How ranks speak. All numbers are little-endian, as everywhere in this library.
namespace meeting {

inline constexpr std::string_view kGreeting = "uaspl meeting 1\n";  // of a rank
inline constexpr std::string_view kReply = "uaspl rank zero\n";     // of rank 0
struct Introduction {                                               // of a rank, after its greeting
  std::uint32_t rank;
  std::uint32_t size;
};
enum class Welcome : std::uint32_t { kYes, kOtherSize, kTaken };  // after its reply; then the size
enum class Request : std::uint32_t { kSet, kGet, kHas };
struct Message {  // then the bytes of key and value
  Request request;
  std::uint32_t key;
  std::uint32_t value;
};
struct Answer {  // to kGet and kHas; then the bytes
  std::uint32_t found;
  std::uint32_t value;
};
inline constexpr std::size_t kMostKey = 4096;
inline constexpr std::size_t kMostValue = std::size_t{4} << 20;
inline constexpr std::string_view kAllHere = "all here";  // is set when the last rank has come

// A descriptor that is closed with it.
class Socket {
 public:
  explicit Socket(int descriptor = -1) : descriptor_(descriptor) {}
  ~Socket();
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  Socket& operator=(Socket&& other) noexcept;
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  int release();

 private:
  int descriptor_;
};

void send_at_once(const Socket& socket);  // small messages wait for nothing

}  // namespace meeting

class Meeting::Server {
 public:
  explicit Server(const ProcessPlace& place);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  std::string missing() const;  // the ranks that have not come

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    meeting::Socket socket;
    Clock::time_point since = Clock::now();
    std::string in;                          // what was received and not yet understood
    std::string out;                         // what could not be sent yet
    std::optional<std::uint32_t> rank = {};  // once it has introduced itself
    std::optional<std::string> wanted = {};  // the key that it waits for
  };

  void serve();
  void accept_one();
  void drop_strangers(Clock::time_point since);
  bool receive(Connection& from);  // false: to be closed
  bool understand(Connection& from);
  bool introduce(Connection& from);
  bool obey(Connection& from);
  void answer(Connection& to, bool found, std::string_view value);
  void keep(std::string key, std::string value);
  static bool send(Connection& to);
  void leave(const Connection& from);

  std::size_t size_;
  meeting::Socket listener_;  // until all have come
  meeting::Socket wake_;      // readable when the server is to end
  meeting::Socket waker_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::map<std::string, std::string, std::less<>> kept_;
  std::size_t bytes_ = 0;  // of kept_
  mutable std::mutex mutex_;
  std::vector<bool> here_;  // by rank
  std::jthread thread_;     // last: it uses the others
};

}  // namespace uaspl
