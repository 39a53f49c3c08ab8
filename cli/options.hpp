// Declares options that several verbs share, and the printing that goes with them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/class_weights.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/io/file.hpp"

namespace uaspl::cli {

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::size_t threads = 0;  // 0: chosen by the number of rows
};
void add_common(CLI::App& app, CommonOptions& options);

// Returns the number of threads: one for small data, since more gain little and keep cores from
// other work.
std::size_t choose_threads(std::size_t wanted, std::size_t rows);

// Warns of runs in a results store that reports and merges leave out.
void warn_of_other_versions(const std::string& store, std::size_t runs);

// A check for CLI11, whose ranges let `nan` pass.
std::string is_finite(const std::string& number);
std::string is_positive(const std::string& number);
std::string is_count(const std::string& number);

// How a file is to be read.
struct FileOptions {
  std::string delimiter;
  bool no_header = false;
  bool any() const { return no_header || !delimiter.empty(); }  // whether an option is given
  TableFormat format() const;
};
void add_file_options(CLI::App& app, FileOptions& options);

// Adds --safe-csv.
void add_safe_csv(CLI::App& app, bool& safe);

// Adds --class-weight.
void add_class_weight(CLI::App& app, ClassWeights& weights);

// Adds options for the roles of columns and for missing values. Where tables are read as published,
// there are fewer. The options must outlive the parsing.
void add_load_options(CLI::App& app, LoadOptions& options);
void add_missing_option(CLI::App& app, std::function<void(Missing)> take, const char* what);

// Says what was done to the bytes of a table to read them.
void note_reading(const Dataset& data);

// Standard output for `-` or an empty name, otherwise a file that is put in place by finish().
class Output {
 public:
  explicit Output(const std::string& path);
  void write(std::string_view text);
  void finish();

 private:
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace uaspl::cli
