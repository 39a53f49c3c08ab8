// Options that several verbs share, and the printing that goes with them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/io/file.hpp"

namespace uaspl::cli {

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::size_t threads = 0;  // 0: chosen by the number of rows
};
void add_common(CLI::App& app, CommonOptions& options);

// One thread for small data, where more gain little and keep a processor from other work.
std::size_t choose_threads(std::size_t wanted, std::size_t rows);

// What reports and merges say of runs in a results store that they leave out.
void warn_of_other_versions(const std::string& store, std::size_t runs);

// For CLI11's checks, whose ranges let `nan` pass.
std::string is_finite(const std::string& number);
std::string is_positive(const std::string& number);
std::string is_count(const std::string& number);

// How a file is to be read.
struct FileOptions {
  std::string delimiter;
  bool no_header = false;
  bool any() const { return no_header || !delimiter.empty(); }  // something is said
  CsvFormat format() const;
};
void add_file_options(CLI::App& app, FileOptions& options);

// Which columns are what, and what to do about missing values.
void add_load_options(CLI::App& app, LoadOptions& options);

// Standard output for `-` or nothing, otherwise a file that is put in place by finish().
class Output {
 public:
  explicit Output(const std::string& path);
  void write(std::string_view text);
  void finish();

 private:
  std::unique_ptr<AtomicFile> file_;
};

}  // namespace uaspl::cli
