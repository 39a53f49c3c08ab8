// What the ranks of a grid say to each other, as bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "uaspl/study/work_queue.hpp"

namespace uaspl::messages {

// To rank 0.
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
struct Bye {  // the last one
  std::string error;
  bool interrupted = false;
};

// From rank 0.
struct Hand {
  Task task;
};
struct NoMore {};  // the other answer to Ask
struct GiveUp {};  // stop and say Bye
struct Quit {      // all have said Bye
  int code = 0;    // how it went
};

using Message = std::variant<Hello, Ask, Result, GiveBack, Bye, Hand, NoMore, GiveUp, Quit>;

// In the machine's own byte order: ranks on machines of different kinds are refused by `unpack`.
std::string pack(const Message& message);
Message unpack(std::string_view bytes);  // an Error where it is no message

}  // namespace uaspl::messages
