// A rank in a meeting, see meeting.hpp.
#include "uaspl/net/meeting.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/net/meeting_server.hpp"

namespace uaspl {
namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;
using meeting::Socket;

constexpr auto kAgain = std::chrono::milliseconds(20);  // before rank 0 is looked for again

Clock::time_point in(std::chrono::milliseconds wait) { return Clock::now() + wait; }

// Returns whether the socket can be read or written before the end.
bool wait_for(const Socket& socket, short what, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket.get(), what, 0};
    const auto longest = std::min<std::int64_t>(left.count(), 1000 * 1000);
    if (::poll(&one, 1, static_cast<int>(longest)) > 0) return true;
  }
}

// Sends all bytes; false where rank 0 is gone or takes too long.
bool send_all(const Socket& to, std::string_view bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    if (!wait_for(to, POLLOUT, end)) return false;
    const ssize_t sent = ::send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
  }
  return true;
}

// Receives as many bytes; returns how many came before rank 0 was gone or the time was over.
std::size_t receive_all(const Socket& from, char* to, std::size_t count, Clock::time_point end) {
  std::size_t done = 0;
  while (done < count && wait_for(from, POLLIN, end)) {
    const ssize_t got = ::recv(from.get(), to + done, count - done, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
    done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
  return done;
}

template <typename Value>
std::string_view bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Addresses addresses_of(const ProcessPlace& place) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(place.port);
  if (const int failed = ::getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &found))
    throw Error(fmt::format("{}: no address of rank 0: {}", place.address, ::gai_strerror(failed)));
  return {found, ::freeaddrinfo};
}

// Where nobody listens yet, a connection on this machine may happen to reach itself.
bool is_own_end(const Socket& socket) {
  sockaddr_storage own{};
  sockaddr_storage other{};
  socklen_t own_size = sizeof own;
  socklen_t other_size = sizeof other;
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &own_size) == 0 &&
         ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&other), &other_size) == 0 &&
         own_size == other_size && std::memcmp(&own, &other, own_size) == 0;
}

// Returns an open socket, or what went wrong.
std::pair<Socket, int> connect_to(const addrinfo& address, Clock::time_point end) {
  Socket socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return {Socket(), errno};
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0 && errno != EINPROGRESS)
    return {Socket(), errno};
  if (!wait_for(socket, POLLOUT, end)) return {Socket(), ETIMEDOUT};
  int problem = 0;
  socklen_t size = sizeof problem;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem == 0 && is_own_end(socket)) problem = ECONNREFUSED;
  if (problem != 0) return {Socket(), problem};
  meeting::send_at_once(socket);
  return {std::move(socket), 0};
}

// Greets rank 0. Returns false if it closed the connection: it may do so while it ends or is busy.
bool greet(const Socket& socket, const ProcessPlace& place, Clock::time_point end) {
  const std::string_view expected = meeting::kReply;
  const meeting::Introduction own{static_cast<std::uint32_t>(place.rank),
                                  static_cast<std::uint32_t>(place.size)};
  struct {
    char text[meeting::kReply.size()];
    meeting::Welcome welcome;
    std::uint32_t size;
  } reply{};
  if (!send_all(socket, std::string(meeting::kGreeting) + std::string(bytes_of(own)), end))
    return false;
  const std::size_t got = receive_all(socket, reinterpret_cast<char*>(&reply), sizeof reply, end);
  const std::size_t compared = std::min(got, expected.size());
  if (std::string_view(reply.text, compared) != expected.substr(0, compared))
    throw Error("what answers there is no rank 0 of a training, or one of another version");
  if (got < sizeof reply) return false;
  if (reply.welcome == meeting::Welcome::kOtherSize)
    throw Error(fmt::format("rank 0 expects {} ranks", reply.size));
  if (reply.welcome == meeting::Welcome::kTaken)
    throw Error(fmt::format("there is a rank {} already", place.rank));
  return true;
}

Socket find_rank_0(const ProcessPlace& place, Clock::time_point end) {
  const Addresses found = addresses_of(place);
  int problem = ETIMEDOUT;
  do {
    for (const addrinfo* one = found.get(); one; one = one->ai_next) {
      auto [socket, failed] = connect_to(*one, end);
      if (failed != 0) {
        problem = failed;
      } else if (greet(socket, place, end)) {
        return std::move(socket);
      }
    }
    std::this_thread::sleep_for(kAgain);
  } while (Clock::now() < end);
  throw Error(fmt::format("rank 0 did not answer within {} s: {}", place.seconds,
                          std::generic_category().message(problem)));
}

}  // namespace

class Meeting::Client {
 public:
  Client(const ProcessPlace& place, Clock::time_point end) : socket_(find_rank_0(place, end)) {}

  void send(meeting::Request request, const std::string& key, const std::string& value) {
    if (key.size() > meeting::kMostKey || value.size() > meeting::kMostValue)
      throw Error("more than ranks can tell each other");
    const meeting::Message message{request, static_cast<std::uint32_t>(key.size()),
                                   static_cast<std::uint32_t>(value.size())};
    const auto end = in(std::chrono::seconds(60));
    if (!socket_.is_open()) throw Error("the meeting is over");
    if (!send_all(socket_, std::string(bytes_of(message)) + key + value, end))
      throw Error("rank 0 is gone");
  }

  // Returns what was found, or nothing.
  std::pair<bool, std::string> receive(Clock::time_point end) {
    try {
      return receive_answer(end);
    } catch (...) {
      socket_ = Socket();  // an answer that is late would be taken for that to another question
      throw;
    }
  }

 private:
  std::pair<bool, std::string> receive_answer(Clock::time_point end) {
    meeting::Answer answer{};
    const std::size_t got =
        receive_all(socket_, reinterpret_cast<char*>(&answer), sizeof answer, end);
    if (got < sizeof answer)
      throw Error(Clock::now() < end ? "rank 0 is gone" : "another rank took too long");
    if (answer.value > meeting::kMostValue) throw Error("rank 0 does not speak as it should");
    std::string value(answer.value, '\0');
    if (receive_all(socket_, value.data(), value.size(), end) < value.size())
      throw Error("rank 0 is gone");
    return {answer.found != 0, std::move(value)};
  }

  Socket socket_;
};

Meeting::Meeting(const ProcessPlace& place) {
  const auto wait = std::chrono::milliseconds(static_cast<std::int64_t>(place.seconds * 1000.0));
  const auto end = in(wait);
  if (place.rank == 0) server_ = std::make_unique<Server>(place);
  client_ = std::make_unique<Client>(place, end);
  client_->send(meeting::Request::kGet, std::string(meeting::kAllHere), "");
  try {
    client_->receive(end);
  } catch (const Error&) {
    const std::string missing = server_ ? server_->missing() : "";
    if (missing.empty()) throw;
    throw Error(fmt::format("{} did not come within {} s", missing, place.seconds));
  }
}

Meeting::~Meeting() = default;

Meeting::Client& Meeting::client() {
  if (!client_) throw Error("the meeting is over");
  return *client_;
}

void Meeting::set(const std::string& key, const std::string& value) {
  client().send(meeting::Request::kSet, key, value);
}

std::string Meeting::get(const std::string& key, std::chrono::milliseconds longest) {
  client().send(meeting::Request::kGet, key, "");
  return client().receive(in(longest)).second;
}

bool Meeting::has(const std::string& key) {
  client().send(meeting::Request::kHas, key, "");
  return client().receive(in(std::chrono::seconds(60))).first;
}

void Meeting::leave() { client_.reset(); }

}  // namespace uaspl
