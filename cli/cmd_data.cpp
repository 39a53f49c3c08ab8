// `uaspl data`: the known data sets, where they are, and how to get them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/data_images.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/pull.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/data/table/waveform.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl::cli {
namespace {

namespace fs = std::filesystem;

// The authors' repository, at the commit that the checksums were taken from.
constexpr const char* kSources[] = {
    "https://raw.githubusercontent.com/treelife979/UASPL/7c2c496e2f9dfbd289eb98a726de1d59372c0806/"
    "uaspl25/data",
    "https://github.com/treelife979/UASPL/raw/7c2c496e2f9dfbd289eb98a726de1d59372c0806/uaspl25/"
    "data",
};

struct DataOptions {
  std::vector<std::string> names;
  std::vector<std::string> folders;
  std::vector<std::string> sources;
  std::string to;
  std::string output;
  std::size_t rows = 5000;
  std::uint64_t seed = 1;
  bool offline = false;
  LoadOptions load;
  FileOptions file;
  CommonOptions common;
  Fetching fetching() const { return {sources, offline, common.quiet}; }
};

std::string file_sha256(const fs::path& file) {
  Input input(file);
  Sha256 sum;
  input.pass([&](std::string_view bytes) { sum.add(bytes); });
  return sum.digest();
}

std::string place_of(const KnownSet& set, const DataFolders& folders) {
  const auto files = dataset_files(folders);
  const auto found = files.find(std::string(set.name));
  return found == files.end() ? "" : found->second.string();
}

nlohmann::ordered_json to_json(const KnownSet& set, const std::string& file) {
  return {{"name", set.name},
          {"rows", set.rows},
          {"features", set.features},
          {"classes", set.classes},
          {"rows_with_missing", set.rows_with_missing},
          {"title", set.title},
          {"uci_id", set.uci_id},
          {"doi", set.doi},
          {"licence", set.licence},
          {"sha256", set.sha256},
          {"bytes", set.bytes},
          {"notes", set.notes},
          {"leaks_label", set.leaks_label()},
          {"file", file}};
}

// Finds a table by its name; the error for an unknown name lists the image sets too.
const KnownSet& find_table(const std::string& name) {
  try {
    return find_known_set(name);
  } catch (const UnknownName& unknown) {
    std::string known = unknown.what();
    for (const KnownImages& set : known_images()) known += fmt::format(", {}", set.name);
    throw UnknownName(known);
  }
}

int run_list(const DataOptions& options) {
  const DataFolders folders = data_folders(options.folders);
  if (!options.common.json)
    fmt::print("{:<26} {:>5} {:>8} {:>7}  {}\n", "data set", "rows", "features", "classes", "file");
  for (const KnownSet& set : known_sets()) {
    const std::string file = place_of(set, folders);
    if (options.common.json) {
      fmt::print("{}\n", json_text(to_json(set, file)));
    } else {
      fmt::print("{:<26} {:>5} {:>8} {:>7}  {}{}\n", set.name, set.rows, set.features, set.classes,
                 file.empty() ? "not here: `uaspl data pull`" : printable(file, kAllCharacters),
                 set.leaks_label()
                     ? fmt::format("  (leaks its label; {}{}: without)", set.name, kNoLeak)
                     : "");
    }
  }
  // Lists the other files of the folders by their names.
  for (const auto& [name, file] : dataset_files(folders)) {
    const auto same = [&name = name](const KnownSet& set) { return set.name == name; };
    if (std::ranges::any_of(known_sets(), same)) continue;
    if (options.common.json) {
      fmt::print("{}\n", json_text(nlohmann::json{{"name", name}, {"file", file.string()}}));
    } else {
      fmt::print("{:<26} {:>5} {:>8} {:>7}  {}\n", printable(name), "", "", "",
                 printable(file.string(), kAllCharacters));
    }
  }
  list_images(folders, options.common.json);
  return kExitDone;
}

int run_info(const DataOptions& options) {
  const DataFolders folders = data_folders(options.folders);
  if (const KnownImages* images = find_known_images(options.names.front()))
    return show_images(*images, folders, options.common.json);
  const KnownSet& set = find_table(options.names.front());
  const std::string file = place_of(set, folders);
  if (options.common.json) {
    fmt::print("{}\n", json_text(to_json(set, file)));
    return kExitDone;
  }
  const auto or_unknown = [](std::string_view text) {
    return text.empty() ? "not confirmed" : text;
  };
  fmt::print("{}: {}\n", set.name, set.title);
  fmt::print("size      {} rows ({} with missing values), {} features, {} classes\n", set.rows,
             set.rows_with_missing, set.features, set.classes);
  fmt::print("source    UCI Machine Learning Repository, id {}, DOI {}\n", set.uci_id,
             or_unknown(set.doi));
  fmt::print("licence   {}\n", or_unknown(set.licence));
  fmt::print("SHA-256   {}\n", set.sha256);
  if (!set.notes.empty()) fmt::print("notes     {}\n", set.notes);
  fmt::print("file      {}\n",
             file.empty() ? "not here: `uaspl data pull`" : printable(file, kAllCharacters));
  if (!file.empty() && file_sha256(file) != set.sha256)
    note("warning: {} is not the known file: its SHA-256 differs", file);
  return kExitDone;
}

void pull(const KnownSet& set, const DataOptions& options, const fs::path& folder) {
  const Pull pull{.name = std::string(set.name),
                  .file = folder / fmt::format("{}.csv", set.name),
                  .addresses = addresses(
                      options.sources.empty()
                          ? std::vector<std::string>(std::begin(kSources), std::end(kSources))
                          : options.sources,
                      set.original_file),
                  .most_bytes = set.bytes,
                  .checksum = std::string(set.sha256),
                  .checksum_name = "SHA-256",
                  .checksum_of = sha256};
  if (pull_file(pull, options.fetching()) && !options.common.quiet)
    note("{}: {} rows, licence {}, DOI {}", pull.file.string(), set.rows,
         set.licence.empty() ? "not confirmed" : set.licence,
         set.doi.empty() ? "not confirmed" : set.doi);
}

int run_pull(const DataOptions& options) {
  const fs::path folder = options.to.empty() ? pulled_folder() : fs::path(options.to);
  if (folder.empty()) throw Error("neither XDG_DATA_HOME nor HOME is set; say where to with --to");
  std::vector<const KnownSet*> tables;
  std::vector<const KnownImages*> images;
  for (const std::string& name : options.names) {
    for (const KnownSet& set : known_sets())
      if (name == "all") tables.push_back(&set);
    for (const KnownImages& set : known_images())
      if (name == "images" || name == set.name) images.push_back(&set);
    if (name != "all" && name != "images" && !find_known_images(name))
      tables.push_back(&find_table(name));
  }
  make_folder(folder);
  for (const KnownSet* set : tables)
    if (!interrupted) pull(*set, options, folder);
  for (const KnownImages* set : images)
    if (!interrupted) pull_images(*set, folder, options.fetching());
  if (interrupted) note("uaspl: interrupted; the same command goes on where it was");
  return interrupted ? kExitInterrupted : kExitDone;
}

// Says what `train` would make of a table.
int run_describe(const DataOptions& options) {
  LoadOptions load = options.load;
  load.format = options.file.format();
  const Dataset data = open_dataset(options.names.front(), data_folders(options.folders), load);
  const auto columns = describe_columns(data);
  if (!options.common.quiet) note_reading(data);
  if (options.common.json) {
    const nlohmann::ordered_json result = {{"rows", data.rows()},
                                           {"dropped", data.dropped()},
                                           {"columns", columns_json(columns)},
                                           {"doubts", doubts(data)}};
    fmt::print("{}\n", json_text(result));
    return kExitDone;
  }
  fmt::print("{} rows", data.rows());
  if (data.dropped() > 0) fmt::print(", and {} left out as a value is missing", data.dropped());
  fmt::print("\n");
  print_columns(stdout, columns);
  for (const std::string& doubt : doubts(data)) note("warning: {}: {}", data.name, doubt);
  return kExitDone;
}

// Makes the one set that needs no source, because it is drawn at random.
int run_make(const DataOptions& options) {
  if (options.names.front() != "waveform")
    throw UnknownName(fmt::format("cannot make '{}'; known: waveform", options.names.front()));
  const Dataset data = make_waveform(options.rows, options.seed);
  Output output(options.output);
  std::string text = data.target.name;
  for (const FeatureColumn& feature : data.table().schema.features) text += "," + feature.name;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    text += fmt::format("\n{}", data.labels[i]);
    for (const double x : data.table().features.row(i)) text += fmt::format(",{:.2f}", x);
    if (text.size() < 1 << 20) continue;
    output.write(text);
    text.clear();
  }
  output.write(text + "\n");
  output.finish();
  return kExitDone;
}

}  // namespace

void add_data(CLI::App& app, Action& action) {
  CLI::App* data = app.add_subcommand("data", "List, describe and fetch data sets.");
  data->require_subcommand(1);
  const auto options = std::make_shared<DataOptions>();
  const auto add = [&](const char* name, const char* what, auto run) {
    CLI::App* verb = data->add_subcommand(name, what);
    add_common(*verb, options->common);
    verb->callback([options, &action, run] { action = [options, run] { return run(*options); }; });
    return verb;
  };
  CLI::App* list = add("list", "The known data sets, and where they are.", run_list);
  CLI::App* info =
      add("info", "Size, source, licence, checksum and defects of a data set.", run_info);
  CLI::App* pull =
      add("pull", "Fetch data sets: tables from the authors' repository, images from their makers.",
          run_pull);
  CLI::App* describe =
      add("describe", "What the columns of a file hold, as `train` would take them.", run_describe);
  for (CLI::App* verb : {list, info, describe})
    verb->add_option("--data", options->folders, "Folder of data sets; searched before $UASPL_DATA")
        ->allow_extra_args(false);
  info->add_option("name", options->names, "A data set")->required()->expected(1);
  describe
      ->add_option(
          "data", options->names,
          "Table (CSV, ARFF, libsvm or JSON lines, also in gzip), name of a data set, or -")
      ->required()
      ->expected(1);
  add_load_options(*describe, options->load);
  add_file_options(*describe, options->file);
  pull->add_option("names", options->names,
                   "Data sets; `all`: all tables, `images`: all image sets")
      ->required();
  pull->add_option("--to", options->to,
                   "Folder to put them into; default: where uaspl looks for them")
      ->check(is_file_name);
  pull->add_option("--source", options->sources,
                   "Address of a folder with the original files; several are tried in turn")
      ->allow_extra_args(false);
  pull->add_flag("--offline", options->offline, "Only check what is there");
  CLI::App* make = add("make", "Draw a data set: waveform, Breiman's three waves.", run_make);
  make->add_option("name", options->names, "waveform")->required()->expected(1);
  make->add_option("--rows", options->rows, "How many")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000000U));
  make->add_option("--seed", options->seed, "Of the draws")->capture_default_str()->check(is_count);
  make->add_option("-o,--output", options->output, "CSV file; default: standard output")
      ->check(is_file_name);
  data->footer(
      "Examples:\n  uaspl data list\n  uaspl data info steel_plates_4\n  uaspl data describe "
      "customers.csv --target churned\n  uaspl data pull all\n"
      "  uaspl data pull mnist\n"
      "  uaspl data make waveform --rows 1000 -o waveform_1000.csv");
}

}  // namespace uaspl::cli
