// Writes what the store keeps of single rows and passes as CSV files, see csv_file.hpp.
#include <algorithm>
#include <optional>
#include <set>

#include "uaspl/base/error.hpp"
#include "uaspl/report/csv_file.hpp"
#include "uaspl/study/predictions.hpp"

namespace uaspl::csv {
namespace {

template <typename Record>
std::string header_of(std::string text) {
  const Record any{};
  visit_fields(any, [&](const char* name, const auto&) { text += "," + std::string(name); });
  return text;
}

// Rows are counted from 1, as `uaspl predict` does.
template <typename Record>
std::string cells_of(const Record& record) {
  std::string text;
  visit_fields(record, [&](const char* name, const auto& field) {
    text += "," + (std::string_view(name) == "row" ? fmt::format("{}", std::int64_t(field) + 1)
                                                   : value_text(field));
  });
  return text;
}

// Writes one file with a line for each record of those runs that have them; none if no run has.
template <typename Record>
void write_records(const Place& place, std::span<const ResultsTable> tables, const char* name,
                   bool RunParts::*kept,
                   const std::function<std::vector<Record>(const RunKey&)>& load) {
  std::optional<File> file;
  visit_cells(tables, [&](const ResultsTable& table, std::size_t d, std::size_t m) {
    for (const RunRecord* run : table.runs(d, m)) {
      if (!(run->parts.*kept)) continue;
      if (!file) file.emplace(place, name, header_of<Record>("variant,dataset,method,seed"));
      const std::string begin = fmt::format("{},{}", where(table, d, m), run->key.seed);
      for (const Record& record : load(run->key)) file->line("{}{}", begin, cells_of(record));
    }
  });
  if (file) file->commit();
}

// The predictions of one data set, in all variants: all its runs have the same classes.
class PredictionFile {
 public:
  PredictionFile(const Place& place, const std::string& name, const RunRecord& first)
      : list_(first.class_names), classes_(listed_classes(first.class_names, first.classes)) {
    std::string header = "variant,dataset,method,seed,row,label,predicted,uncertainty";
    for (const std::string& one : classes_) header += "," + csv_cell("p_" + one);
    file_.emplace(place, name, header);
  }

  void add(const std::string& begin, const RunRecord& run,
           const std::vector<PredictionRecord>& predictions) {
    if (run.class_names != list_ || run.classes != classes_.size())
      throw Error(fmt::format("{}: runs that name the classes of one data set differently",
                              run.key.dataset));
    for (const PredictionRecord& one : predictions) {
      std::string line =
          fmt::format("{},{},{},{},{},{}", begin, run.key.seed, std::int64_t{one.row} + 1,
                      class_cell(one.label), class_cell(one.predicted), cell(one.uncertainty));
      for (std::size_t k = 0; k < classes_.size(); ++k)
        line += "," + (k < one.probabilities.size() ? cell(one.probabilities[k]) : "");
      file_->line("{}", line);
    }
  }
  void commit() { file_->commit(); }

 private:
  std::string class_cell(int label) const {
    return label < 0 ? "" : csv_cell(classes_.at(static_cast<std::size_t>(label)));
  }

  std::string list_;
  std::vector<std::string> classes_;
  std::optional<File> file_;
};

void write_predictions(const Place& place, std::span<const ResultsTable> tables, Store& store) {
  std::set<std::string> datasets;
  for (const ResultsTable& table : tables)
    datasets.insert(table.datasets.begin(), table.datasets.end());
  std::set<std::string> taken;
  for (const std::string& dataset : datasets) {
    std::optional<PredictionFile> file;
    for (const ResultsTable& table : tables) {
      const auto d = static_cast<std::size_t>(std::ranges::find(table.datasets, dataset) -
                                              table.datasets.begin());
      for (std::size_t m = 0; m < table.methods.size(); ++m)
        for (const RunRecord* run : table.runs(d, m)) {
          if (!run->parts.predictions) continue;
          if (!file) file.emplace(place, "predictions-" + file_name(dataset, taken) + ".csv", *run);
          file->add(where(table, d, m), *run, store.predictions(run->key));
        }
    }
    if (file) file->commit();
  }
}

}  // namespace

std::string file_name(const std::string& dataset, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 100;
  std::string plain = dataset.substr(0, kLongest);
  std::ranges::replace_if(
      plain,
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_' || c == '-' || c == '.');
      },
      '_');
  std::string name = plain;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", plain, i);
  return name;
}

void write_errors(const Place& place, std::span<const ResultsTable> tables) {
  File file(place, "errors.csv", "method,task,seed,metric_error,time_train_s,time_infer_s");
  visit_cells(tables, [&](const ResultsTable& table, std::size_t d, std::size_t m) {
    const std::string task = table.datasets[d] + (table.variant.empty() ? "" : " (") +
                             table.variant + (table.variant.empty() ? "" : ")");
    for (const RunRecord* run : table.runs(d, m)) {
      const double inference = run->inference_seconds;
      const double training = run->seconds - (std::isnan(inference) ? 0.0 : inference);
      file.line("{},{},{},{},{},{}", csv_cell(table.methods[m]), csv_cell(task), run->key.seed,
                cell(1.0 - run->metrics.accuracy), cell(training), cell(inference));
    }
  });
  file.commit();
}

void write_parts(const Place& place, std::span<const ResultsTable> tables, Store& store) {
  write_records<SampleRecord>(place, tables, "traces.csv", &RunParts::samples,
                              [&](const RunKey& key) { return store.samples(key); });
  write_records<PassRecord>(place, tables, "curves.csv", &RunParts::passes,
                            [&](const RunKey& key) { return store.passes(key); });
  write_predictions(place, tables, store);
}

}  // namespace uaspl::csv
