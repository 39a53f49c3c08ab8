// Lets the processes of a group find each other: rank 0 listens at one address, and keeps texts
// that each rank writes and all of them read.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "uaspl/net/process_group.hpp"

namespace uaspl {

// Who connects and is no rank is passed over: it cannot end the meeting, delay it, or make it take
// much memory. Ranks are known by what they say first, which is no proof: see docs/images.md.
class Meeting {
 public:
  // Waits until all ranks are there. Rank 0 listens at the address of the place only, and only
  // until then.
  explicit Meeting(const ProcessPlace& place);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  void set(const std::string& key, const std::string& value);
  // Waits until a rank has set it.
  std::string get(const std::string& key, std::chrono::milliseconds longest);
  bool has(const std::string& key);
  // Has nothing more to say or to ask. In the end, rank 0 waits some seconds for the others to
  // leave.
  void leave();

 private:
  class Server;
  class Client;
  Client& client();
  std::unique_ptr<Server> server_;  // of rank 0
  std::unique_ptr<Client> client_;
};

}  // namespace uaspl
