// `uaspl import`: takes runs of other programs into a results store.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/exchange/import_runs.hpp"
#include "uaspl/study/store.hpp"

namespace uaspl::cli {
namespace {

struct ImportCommand {
  std::string file;
  std::string database;
  std::vector<std::string> data;
  LoadOptions load = published_loading();
  FileOptions format;
  ImportOptions import;
  CommonOptions common;
};

// Opens a data set of the folders. The names come from a file of anybody, so they are no paths.
Dataset open_by_name(const std::string& name, const DataFolders& folders,
                     const LoadOptions& options) {
  if (dataset_files(folders).contains(name) || find_without_leak(name))
    return open_dataset(name, folders, options);
  throw Error(fmt::format("unknown data set '{}'; --data names the folder of its CSV file",
                          printable(name)));
}

int run_import(ImportCommand command) {
  Outputs outputs;
  outputs.reads(command.file);
  outputs.writes_store(command.database);
  const DataFolders folders = data_folders(command.data);
  command.load.format = command.format.format();
  command.import.open = [&](const std::string& name) {
    return open_by_name(name, folders, command.load);
  };
  const std::vector<RunRecord> stored = stored_runs(command.database);
  Input input(command.file);
  const auto lines = open_records(input, {});
  const std::vector<RunRecord> runs = read_runs(*lines, stored, command.import);
  Store(command.database, Store::Open::kCreate).add_all(runs, command.import.replace);
  if (!command.common.quiet)
    note("{}: {} run(s) of {} imported", command.database, runs.size(), command.import.program);
  return kExitDone;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  CLI::App* verb =
      app.add_subcommand("import", "Take runs of other programs into a results store.");
  const auto command = std::make_shared<ImportCommand>();
  verb->add_option("file", command->file,
                   "CSV file: a line is a run, or a predicted row; - is standard input")
      ->required()
      ->check(is_file_name);
  verb->add_option("--db", command->database, "The store that takes the runs; made where missing")
      ->required()
      ->check(is_file_name);
  verb->add_option("--data", command->data,
                   "Folder with NAME.csv or uci/NAME.csv, searched before $UASPL_DATA")
      ->allow_extra_args(false);
  verb->add_option("--program", command->import.program,
                   "What made the runs, for the report: \"scikit-learn 1.2.1\"");
  verb->add_flag("--replace", command->import.replace,
                 "Imported runs that are in the store already are replaced");
  add_load_options(*verb, command->load);
  add_file_options(*verb, command->format);
  add_common(*verb, command->common);
  verb->footer(
      "Columns: dataset, method, seed; then accuracy, precision, recall, f1 (macro), and if they "
      "are "
      "known\nlog_loss, brier, ece, error_auroc; or row, predicted, and if they are known p_CLASS "
      "of "
      "each class,\nuncertainty: all test rows of `bench --export-splits`, which are then scored. "
      "`variant` names other\nconditions than the usual ones, as reports do; seconds, "
      "inference_seconds. Either all runs are taken\nor, after an error, none.\n\n"
      "Examples:\n"
      "  uaspl bench --datasets iris --runs 10 --export-splits splits\n"
      "  examples/scikit_learn.py --splits splits --data data -o runs.csv\n"
      "  uaspl import runs.csv --db results.db --program \"scikit-learn\"\n"
      "  uaspl report results.db");
  verb->callback([command, &action] { action = [command] { return run_import(*command); }; });
}

}  // namespace uaspl::cli
