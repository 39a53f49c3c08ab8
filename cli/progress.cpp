// The progress line, see progress.hpp.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace uaspl::cli {
namespace {

std::string duration(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

}  // namespace

Progress::Progress(bool wanted) : active_(wanted && isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (active_) fmt::print(stderr, "\r\033[K");
}

void Progress::go_on_from(std::size_t finished, double share) {
  start_ = Clock::now();
  finished_before_ = finished;
  share_before_ = share;
}

void Progress::show(std::size_t finished, std::size_t total, double share, std::string_view unit) {
  const auto now = Clock::now();
  const bool recent = now - shown_ < std::chrono::milliseconds(100);
  if (!active_ || (recent && finished < total)) return;
  shown_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double done = share - share_before_;
  const double left = done > 0.0 ? elapsed * (1.0 - share) / done : 0.0;
  constexpr int kWidth = 24;
  const int filled = static_cast<int>(share * kWidth);
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}/{} {}, {:.1f}/s, {} left", "", filled, "",
             kWidth - filled, finished, total, unit,
             static_cast<double>(finished - finished_before_) / elapsed, duration(left));
  std::fflush(stderr);
}

}  // namespace uaspl::cli
