// A grid with a results store: runs per second with one job and with several, and what part of the
// time is not training. Usage: bench_grid [--csv] [RUNS] [JOBS] [FOLDER WITH CSV FILES] [ROUNDS]
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <filesystem>

#include "bench/support.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/study/grid.hpp"
#include "uaspl/study/store.hpp"
#include "uaspl/train/trainer.hpp"

namespace {

using namespace uaspl;

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
      options.fit.pretraining = 0;
      const PreparedRun prepared(data, grid.first_seed + static_cast<std::uint32_t>(run), options);
      Training training;
      training.seed = grid.first_seed + static_cast<std::uint32_t>(run);
      const double start = processor_seconds();
      const auto pretrained = prepared.start().pretrained().clone();
      TrainingSet rows = prepared.start().training_set();
      const Pretraining before = pretrain(*pretrained, rows, FitOptions{}.pretraining, training);
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

struct Times {
  double training = kNever;   // of the processor, as the next one
  double processor = kNever;  // of the grid with one job
  double one = kNever;
  double several = kNever;
};

// In turn, and the best of each: the least disturbed.
Times measure(const Grid& grid, std::size_t jobs, std::size_t rounds) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("uaspl_bench_grid.{}", getpid());
  std::filesystem::create_directories(folder);
  Times best;
  for (std::size_t round = 0; round < rounds; ++round) {
    best.training = std::min(best.training, train_only(grid));
    const double before = processor_seconds();
    best.one = std::min(best.one, whole_grid(grid, 1, folder));
    best.processor = std::min(best.processor, processor_seconds() - before);
    best.several = std::min(best.several, whole_grid(grid, jobs, folder));
  }
  std::filesystem::remove_all(folder);
  return best;
}

void print_table(const Grid& grid, std::size_t jobs, const Times& best) {
  const auto count = static_cast<double>(grid.size());
  fmt::print("{} data sets, {} methods, {} runs each: {} runs\n", grid.datasets.size(),
             grid.methods.size(), grid.runs, grid.size());
  fmt::print("{:>2} job   {:8.2f} s {:8.1f} runs/s\n", 1, best.one, count / best.one);
  fmt::print("{:>2} jobs  {:8.2f} s {:8.1f} runs/s  {:.2f}x\n", jobs, best.several,
             count / best.several, best.one / best.several);
  fmt::print("training alone {:.2f} s of {:.2f} s of the processor: {:.2f} % is something else\n",
             best.training, best.processor, 100.0 * (1.0 - best.training / best.processor));
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t runs = arguments.number(0, 5);
  const std::size_t jobs = arguments.number(1, 2);
  const std::size_t rounds = arguments.number(3, 5);
  if (runs < 1 || jobs < 1 || rounds < 1) {
    fmt::print(stderr, "usage: bench_grid [--csv] [RUNS=5] [JOBS=2] [FOLDER=data] [ROUNDS=5]\n");
    return 2;
  }
  const DataFolders folders = {arguments.text(2, "data")};
  std::vector<Dataset> datasets;
  for (const std::string& name : dataset_names(folders))
    datasets.push_back(open_dataset(name, folders));
  for (Dataset& data : datasets) data.identity = content_sha256(data);
  const std::vector<ChosenMethod> methods =
      choose_methods(std::vector<std::string>{"direct", "spl", "wsplbf1", "mc_mi", "uaspl"});
  const Grid grid{.datasets = datasets, .methods = methods, .runs = runs};
  const Times best = measure(grid, jobs, rounds);
  if (arguments.csv()) {
    fmt::print("runs,jobs,one,several,speedup,not_training\n{},{},{},{},{},{}\n", grid.size(), jobs,
               best.one, best.several, best.one / best.several,
               1.0 - best.training / best.processor);
  } else {
    print_table(grid, jobs, best);
  }
  return 0;
}
