// Columns of a table that `predict` writes as they are, before its own.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/prediction_lines.hpp"
#include "uaspl/data/table/record_reader.hpp"

namespace uaspl::cli {

struct PassOptions {
  std::vector<std::string> ids;
  std::vector<std::string> keep;
  bool keep_all = false;
  bool any() const { return keep_all || !ids.empty() || !keep.empty(); }
};
void add_pass_options(CLI::App& app, PassOptions& options);

class PassedColumns {
 public:
  // Ids come first, then the others, each column once. Columns that have a name of `taken` get
  // another one. Throws UnknownName for names that the reader does not have.
  PassedColumns(const PassOptions& options, const RecordReader& reader,
                std::span<const std::string> taken, LineFormat format);

  std::string header() const;  // the beginning of a header line; empty for JSON
  // The beginning of the line of the reader's record.
  std::string cells(const RecordReader& reader) const;
  // Says which columns have another name than in the table; empty if none.
  std::string renamed() const;

 private:
  struct Column {
    std::size_t place;
    std::string name;
    std::string key;  // of JSON
  };
  void add(const RecordReader& reader, std::size_t place);
  void rename(std::span<const std::string> taken);

  LineFormat format_;
  std::vector<Column> columns_;
  std::vector<std::string> renamed_;
};

}  // namespace uaspl::cli
