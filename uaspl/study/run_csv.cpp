// Writes finished runs to a CSV file, see run_csv.hpp.
#include "uaspl/study/run_csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "uaspl/data/table/csv_writer.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kHeader = "dataset,method,seed,accuracy,precision,recall,f1,seconds\n";

std::string csv_line(const RunRecord& run) {
  const Metrics& m = run.metrics;
  return fmt::format("{},{},{},{},{},{},{},{:.4f}\n", csv_cell(run.key.dataset), run.key.method,
                     run.key.seed, m.accuracy, m.precision, m.recall, m.f1, run.seconds);
}

}  // namespace

RunCsv::RunCsv(std::string output, const Grid& grid, bool safe)
    : output_(std::move(output)), lines_(grid.size()), safe_(safe) {
  if (output_.empty() || output_ == "-" || is_special_file(output_)) return;
  replaces_ = std::filesystem::exists(output_);
  const AtomicFile probe(output_);  // an output that cannot be written fails before the work
  journal_.emplace(output_ + ".journal", grid);
  for (const auto& [index, run] : journal_->earlier()) keep_line(index, run);
}

// A journal without runs is of no use, and would keep another bench from beginning.
RunCsv::~RunCsv() {
  if (journal_ && finished_ == 0) journal_->remove();
}

void RunCsv::add(std::size_t index, const RunRecord& run) {
  if (journal_) journal_->add(index, run);
  keep_line(index, run);
}

void RunCsv::keep_line(std::size_t index, const RunRecord& run) {
  std::string line = safe_ ? without_formulas(csv_line(run)) : csv_line(run);
  if (lines_[index].empty()) ++finished_;
  lines_[index] = std::move(line);
}

const std::map<std::size_t, RunRecord>& RunCsv::earlier() const {
  static const std::map<std::size_t, RunRecord> kNone;
  return journal_ ? journal_->earlier() : kNone;
}

std::string RunCsv::text() const {
  std::string all(kHeader);
  for (const std::string& line : lines_) all += line;
  return all;
}

std::string RunCsv::deliver() {
  const bool whole = finished_ == lines_.size();
  if (journal_ && !whole && replaces_ && finished_ > 0) return output_ + ".journal";
  if (!output_.empty() && output_ != "-" && (whole || finished_ > 0)) {
    AtomicFile file(output_);
    file.write(text());
    file.commit();
  }
  if (journal_) journal_->remove();
  journal_.reset();
  return output_;
}

}  // namespace uaspl
