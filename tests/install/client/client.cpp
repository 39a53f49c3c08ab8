// A program of a user's: trains on points in the plane through the installed library.
#include <uaspl/base/version.hpp>
#include <uaspl/data/table/load.hpp>
#include <uaspl/method/registry.hpp>
#include <uaspl/study/experiment.hpp>

#include <cstdio>
#include <string>

int main() {
  std::string table = "label,x,y\n";
  for (int i = 0; i < 200; ++i) {
    const double x = (i * 37 % 100) / 50.0 - 1.0;
    const double y = (i * 61 % 97) / 48.5 - 1.0;
    table += std::to_string(x + y > 0) + "," + std::to_string(x) + "," + std::to_string(y) + "\n";
  }
  const uaspl::Dataset data = uaspl::parse_dataset(table, "plane");
  const uaspl::PreparedRun run(data, 2025, {});
  const auto method = uaspl::choose_methods(std::vector<std::string>{"uaspl"});
  const double accuracy = run.run(method[0])->metrics.accuracy;
  std::printf("uaspl %s: accuracy %.3f\n", uaspl::version(), accuracy);
  return accuracy > 0.9 ? 0 : 1;
}
