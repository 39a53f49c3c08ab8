// Defines the messages between the ranks of a grid, and their form as bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "uaspl/study/work_queue.hpp"

namespace uaspl::messages {

// Messages to rank 0.
struct Hello {
  std::vector<std::pair<std::string, std::string>> facts;  // on which all ranks must agree
};
struct Ask {};
struct Result {
  Unit unit;
  std::size_t method = 0;
  RunRecord run;
};
struct GiveBack {
  Unit unit;
};
struct Bye {  // the last message of a rank
  std::string error;
  bool interrupted = false;
};

// Messages from rank 0.
struct Hand {
  Task task;
};
struct NoMore {};  // the other answer to Ask
struct GiveUp {};  // stop and say Bye
struct Quit {      // all have said Bye
  int code = 0;    // how it went
};

using Message = std::variant<Hello, Ask, Result, GiveBack, Bye, Hand, NoMore, GiveUp, Quit>;

// Packs in the machine's byte order: `unpack` refuses messages from machines of another order.
std::string pack(const Message& message);
Message unpack(std::string_view bytes);  // throws an Error if it is no message

}  // namespace uaspl::messages
