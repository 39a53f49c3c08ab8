// Shows a progress line on standard error, if that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace uaspl::cli {

class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();  // leaves an empty line behind
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Sets what was done before this program was started, which says nothing about its speed.
  void go_on_from(std::size_t finished, double share);

  // Shows the progress. The time left is estimated from `share`, the share of the work done, 0..1.
  void show(std::size_t finished, std::size_t total, double share, std::string_view unit);

 private:
  using Clock = std::chrono::steady_clock;
  bool active_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  std::size_t finished_before_ = 0;
  double share_before_ = 0.0;
};

}  // namespace uaspl::cli
