// Time and memory of the belief masses (EKNN, ECM) as the number of rows grows: time may grow with
// n^2 for the neighbours and with n for the centres, memory with n.
#include <fmt/format.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/method/ecm.hpp"
#include "uaspl/method/eknn.hpp"

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

struct Points {
  uaspl::Matrix values;
  std::vector<int> labels;

  Points(std::size_t n, std::size_t d, std::size_t classes) : values(n, d), labels(n) {
    uaspl::Stream stream(1, "points");
    for (int& label : labels) label = static_cast<int>(stream.below(classes));
    for (std::size_t i = 0; i < n; ++i)
      for (float& x : values.row(i)) x = static_cast<float>(stream.normal() + 0.5 * labels[i]);
  }
};

template <typename Compute>
std::string milliseconds(const Compute& compute) {
  const auto start = Clock::now();
  compute();
  return fmt::format("{:.1f}", 1e3 * seconds_since(start));
}

}  // namespace

int main() {
  constexpr std::size_t kDimensions = 30;
  fmt::print("{} dimensions; milliseconds, and the process's peak memory so far\n", kDimensions);
  fmt::print("{:>7} {:>3} {:>10} {:>10} {:>11} {:>9}\n", "rows", "K", "EKNN", "ECM", "ECM tuned",
             "MB");
  for (const std::size_t classes : {2U, 10U}) {
    for (const std::size_t n : {1000U, 2391U, 4000U, 16000U}) {
      const Points points(n, kDimensions, classes);
      const auto run = [&](const auto& compute) { return milliseconds(compute); };
      const std::string eknn =
          run([&] { uaspl::eknn_masses(points.values, points.labels, classes); });
      const std::string ecm =
          run([&] { uaspl::ecm_pignistic(points.values, points.labels, classes); });
      const std::string tuned =
          run([&] { uaspl::ecm_pignistic(points.values, points.labels, classes, {.tune = true}); });
      fmt::print("{:>7} {:>3} {:>10} {:>10} {:>11} {:>9.1f}\n", n, classes, eknn, ecm, tuned,
                 peak_megabytes());
    }
  }
  return 0;
}
