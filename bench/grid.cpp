// A grid with a results store: runs per second with one job and with several, and what part of the
// time is not training. Usage: bench_grid [RUNS] [JOBS] [FOLDER WITH CSV FILES]
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/run/grid.hpp"
#include "uaspl/run/store.hpp"
#include "uaspl/train/trainer.hpp"

namespace {

using namespace uaspl;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of this process: what others do on the machine does not count.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// Nothing but training: the steps of pre-training and stages, without records, tests or a store.
double train_only(const Grid& grid) {
  double seconds = 0.0;
  for (const Dataset& data : grid.datasets)
    for (std::size_t run = 0; run < grid.runs; ++run) {
      ExperimentOptions options;
      options.pretraining = 0;
      const PreparedRun prepared(data, grid.first_seed + static_cast<std::uint32_t>(run), options);
      Training training;
      training.seed = grid.first_seed + static_cast<std::uint32_t>(run);
      const double start = processor_seconds();
      const auto pretrained = prepared.pretrained().clone();
      TrainingSet rows = prepared.training_set();
      const Pretraining before =
          pretrain(*pretrained, rows, ExperimentOptions{}.pretraining, training);
      rows.pretraining = &before.history;
      for (const ChosenMethod& chosen : grid.methods) {
        const auto network = pretrained->clone();
        const auto method = chosen.make();
        fit(*network, *method, rows, training);
      }
      seconds += processor_seconds() - start;
    }
  return seconds;
}

double whole_grid(const Grid& grid, std::size_t jobs, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "results.db";
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + ending);
  const auto start = Clock::now();
  Store store(file, Store::Open::kCreate);
  const std::atomic<bool> cancel{false};
  run_grid(grid,
           {.on_finished = [&](const Finished& one) { store.add(one.run); },
            .wanted = [&](const RunKey& key) { return !store.has(key); },
            .jobs = jobs},
           cancel);
  return seconds_since(start);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t runs = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5;
  const std::size_t jobs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2;
  const DataFolders folders = {argc > 3 ? argv[3] : "data"};
  std::vector<Dataset> datasets;
  for (const std::string& name : dataset_names(folders))
    datasets.push_back(open_dataset(name, folders));
  for (Dataset& data : datasets) data.content = content_sha256(data);
  const std::vector<ChosenMethod> methods =
      choose_methods(std::vector<std::string>{"direct", "spl", "wsplbf1", "mc_mi", "uaspl"});
  const Grid grid{.datasets = datasets, .methods = methods, .runs = runs};
  const auto folder = std::filesystem::temp_directory_path() / "uaspl_bench_grid";
  std::filesystem::create_directories(folder);
  double alone = std::numeric_limits<double>::infinity();
  double spent = alone;
  double one = alone;
  double several = alone;
  for (int round = 0; round < 5; ++round) {  // in turn, and the best of each: least disturbed
    alone = std::min(alone, train_only(grid));
    const double before = processor_seconds();
    one = std::min(one, whole_grid(grid, 1, folder));
    spent = std::min(spent, processor_seconds() - before);
    several = std::min(several, whole_grid(grid, jobs, folder));
  }
  std::filesystem::remove_all(folder);
  const auto count = static_cast<double>(grid.size());
  fmt::print("{} data sets, {} methods, {} runs each: {} runs\n", datasets.size(), methods.size(),
             runs, grid.size());
  fmt::print("{:>2} job   {:8.2f} s {:8.1f} runs/s\n", 1, one, count / one);
  fmt::print("{:>2} jobs  {:8.2f} s {:8.1f} runs/s  {:.2f}x\n", jobs, several, count / several,
             one / several);
  fmt::print("training alone {:.2f} s of {:.2f} s of the processor: {:.2f} % is something else\n",
             alone, spent, 100.0 * (1.0 - alone / spent));
}
