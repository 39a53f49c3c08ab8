// Writes finished runs to a CSV file, see run_csv.hpp.
#include "uaspl/study/run_csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "uaspl/base/error.hpp"
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

RunCsv::RunCsv(std::string output, std::size_t count, bool safe)
    : output_(std::move(output)), lines_(count), safe_(safe) {
  if (output_.empty() || output_ == "-" || is_special_file(output_)) return;
  replaces_ = std::filesystem::exists(output_);
  const std::string journal = output_ + ".journal";
  if (std::filesystem::exists(std::filesystem::symlink_status(journal)))
    throw Error(fmt::format("{}: an earlier bench left its finished runs here; move or remove it",
                            journal));
  const AtomicFile probe(output_);  // an output that cannot be written fails before the work
  journal_.emplace(journal, KeptFile::Begin::kNew);
}

// A journal without runs would only keep the next bench from beginning.
RunCsv::~RunCsv() {
  if (journal_ && finished_ == 0) journal_->remove();
}

void RunCsv::add(std::size_t index, const RunRecord& run) {
  std::string line = safe_ ? without_formulas(csv_line(run)) : csv_line(run);
  if (journal_) journal_->write(finished_ == 0 ? std::string(kHeader) + line : line);
  lines_[index] = std::move(line);
  ++finished_;
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
