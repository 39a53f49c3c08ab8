// One whole run of a method on a data set: network, pre-training, six stages and the test rows, as
// bench/pytorch_uaspl.py does it. Reading, split and scaling are not in the time.
#include <fmt/format.h>

#include <bit>
#include <exception>
#include <iostream>
#include <string>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/study/experiment.hpp"

namespace {

using namespace uaspl;

// Of what was computed for all rows in every stage: weights that differ in a bit show here.
std::uint64_t fingerprint(const RunRecord& record) {
  std::uint64_t hash = 0;
  const auto add = [&](double value) {
    hash = mix_bits(hash ^ std::bit_cast<std::uint64_t>(value));
  };
  for (const StageRecord& stage : record.stages) {
    for (const double value : {stage.mean_loss, stage.mean_uncertainty, stage.first_loss,
                               stage.last_loss, stage.loss_variation})
      add(value);
  }
  return hash;
}

void run_file(const std::string& file, std::uint32_t seed, std::size_t threads) {
  const Dataset data = load_dataset(file, published_loading());
  const std::vector<ChosenMethod> methods = choose_methods(std::vector<std::string>{"uaspl"});
  ExperimentOptions options;
  options.fit.resources.threads = threads;
  const PreparedRun prepared(data, seed, options);
  const RunRecord record = *prepared.run(methods.front());
  fmt::print("{},{},{},{:.6f},{:016x}\n", data.name, seed, record.metrics.accuracy, record.seconds,
             fingerprint(record));
  std::fflush(stdout);  // who measures waits for each line
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t threads = arguments.number(0, 0);
  const std::size_t seed = arguments.number(1, 0);
  if (threads < 1 || seed < 1 || arguments.size() < 3) {
    fmt::print(stderr,
               "usage: bench_run THREADS SEED FILE.csv ...   (-: file names from standard "
               "input, one a line)\n");
    return 2;
  }
  try {
    fmt::print("dataset,seed,accuracy,seconds,fingerprint\n");
    for (std::size_t place = 2; place < arguments.size(); ++place) {
      const std::string file = arguments.text(place, "");
      if (file != "-") {
        run_file(file, static_cast<std::uint32_t>(seed), threads);
        continue;
      }
      for (std::string line; std::getline(std::cin, line);)
        run_file(line, static_cast<std::uint32_t>(seed), threads);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_run: {}\n", error.what());
    return 1;
  }
}
