// What the measuring programs share: a clock, their arguments, and lines that `bench/compare`
// reads.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/base/instruction_set.hpp"

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double kNever = std::numeric_limits<double>::infinity();

// `PROGRAM [--csv] [WORD...]`; with --csv, a program prints a header and one line a result.
class Arguments {
 public:
  Arguments(int argc, char** argv) : words_(argv + 1, argv + argc) {
    try {
      uaspl::use_instruction_set_of_environment();
    } catch (const uaspl::UsageError& error) {
      std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
      std::exit(2);
    }
    csv_ = !words_.empty() && words_.front() == "--csv";
    if (csv_) words_.erase(words_.begin());
  }

  bool csv() const { return csv_; }
  std::size_t size() const { return words_.size(); }
  std::string text(std::size_t place, std::string_view otherwise) const {
    return place < words_.size() ? words_[place] : std::string(otherwise);
  }
  // 0 where the word is no number, which no program takes.
  std::size_t number(std::size_t place, std::size_t otherwise) const {
    return place < words_.size() ? std::strtoul(words_[place].c_str(), nullptr, 10) : otherwise;
  }

 private:
  std::vector<std::string> words_;
  bool csv_ = false;
};
