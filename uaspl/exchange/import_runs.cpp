// Takes runs of other programs into a results store, see import_runs.hpp.
#include "uaspl/exchange/import_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/data/table/schema.hpp"
#include "uaspl/exchange/imported_tasks.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/study/predictions.hpp"
#include "uaspl/study/run_facts.hpp"

namespace uaspl {
namespace {

constexpr double kLongest = 1e9;  // seconds

bool is_plain(std::string_view name) {
  constexpr std::size_t kMost = 64;
  return !name.empty() && name.size() <= kMost && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-.+").find(c) != std::string_view::npos;
  });
}

// A predicted row. It is known to be a test row only when its run is whole: until then, a file
// costs no more than its own size.
struct Row {
  std::size_t line;
  int predicted;
  float unsure;
  std::vector<float> probabilities;  // of all classes, or none
};

// A run whose lines are being read.
struct Draft {
  const ImportedTask* task;
  std::size_t line;  // the first one
  RunRecord run = {};
  std::map<std::size_t, Row> rows = {};
};

float entropy(std::span<const float> probabilities) {
  double sum = 0.0;
  for (const double p : probabilities)
    if (p > 0.0) sum -= p * std::log(p);
  return static_cast<float>(sum);
}

class Runs {
 public:
  Runs(RecordReader& lines, std::span<const RunRecord> stored, const ImportOptions& options)
      : name_(lines.name()), cells_(lines), options_(options), tasks_(stored, options.open) {
    for (const RunRecord& run : stored) {
      if (!run.key.is_imported()) own_.insert(run.key.method);
      if (run.key.is_imported()) stored_.insert(identity(run.key));
    }
  }

  void read() {
    while (cells_.next()) {
      Draft& draft = draft_of_line();
      if (cells_.of_rows())
        add_row(draft);
      else
        set_metrics(draft);
    }
  }

  std::vector<RunRecord> finish() {
    std::vector<RunRecord> runs;
    for (Draft* draft : order_) {
      if (cells_.of_rows()) judge(*draft);
      runs.push_back(std::move(draft->run));
    }
    if (runs.empty()) throw Error(fmt::format("{}: no run", name_));
    return runs;
  }

 private:
  using Identity = std::tuple<std::string, std::string, std::string, std::uint32_t>;
  static Identity identity(const RunKey& key) {
    return {key.data_sha256, key.method, key.configuration, key.seed};
  }

  void check_method(const std::string& method) const {
    if (!is_plain(method))
      cells_.fail("method", "expected a name of at most 64 letters, digits, and _ - . +");
    if (std::ranges::find(methods(), method, &MethodInfo::name) != methods().end() ||
        method.starts_with("uaspl"))
      cells_.fail("method", fmt::format("'{}' is a name of uaspl's own; choose another", method));
    if (own_.contains(method))
      cells_.fail("method", fmt::format("the store has runs of a method '{}' that were not "
                                        "imported; choose another name",
                                        method));
  }

  Draft& draft_of_line() {
    const ImportedTask& task = tasks_.find(cells_);
    const std::string method = cells_.text("method");
    RunKey key{task.data->name, task.data->sha256, method, task.configuration, cells_.seed()};
    const auto [at, added] = drafts_.try_emplace(identity(key), Draft{&task, cells_.line()});
    Draft& draft = at->second;
    if (!added && !cells_.of_rows())
      cells_.fail("seed", fmt::format("this run is there already, on line {}", draft.line));
    if (!added) return draft;
    check_method(method);
    if (!options_.replace && stored_.contains(identity(key)))
      cells_.fail("seed", "the store has this run already");
    draft.run.key = std::move(key);
    begin(draft);
    order_.push_back(&draft);
    return draft;
  }

  // Fills in what is known before the results are.
  void begin(Draft& draft) const {
    const ImportedTask& task = *draft.task;
    RunRecord& run = draft.run;
    run.rows = task.data->labels.size();
    run.classes = task.data->classes.size();
    run.class_ratio = task.data->class_ratio;
    run.version = options_.program;
    run.finished = utc_now();
    run.inference_seconds =
        cells_.number("inference_seconds", 0.0, kLongest).value_or(std::nan(""));
    run.seconds = cells_.number("seconds", 0.0, kLongest).value_or(std::nan(""));
    if (run.inference_seconds > run.seconds)
      cells_.fail("inference_seconds", "more than `seconds`, of which it is a part");
  }

  void set_metrics(Draft& draft) const {
    RunRecord& run = draft.run;
    const auto score = [&](const char* name, double high) {
      return cells_.number(name, 0.0, high).value_or(std::nan(""));
    };
    run.metrics = {share_of_rows(draft), cells_.needed_number("precision", 0.0, 1.0),
                   cells_.needed_number("recall", 0.0, 1.0), cells_.needed_number("f1", 0.0, 1.0)};
    run.calibration = {.log_loss = score("log_loss", 1e6),
                       .brier = score("brier", 2.0),
                       .ece = score("ece", 1.0),
                       .error_auroc = score("error_auroc", 1.0)};
  }

  // An accuracy is a number of right rows: one that is none was not found on these test rows. It
  // may be rounded to four digits; what it stands for is what counts. Where rows have weights, it
  // may be anything.
  double share_of_rows(const Draft& draft) const {
    constexpr double kRounding = 5.0001e-5;
    const double accuracy = cells_.needed_number("accuracy", 0.0, 1.0);
    if (!draft.task->data->weights.empty()) return accuracy;
    const auto rows = static_cast<double>(draft.task->test_rows);
    const double share = std::round(accuracy * rows) / rows;
    if (std::abs(share - accuracy) > kRounding)
      cells_.fail("accuracy", fmt::format("{} is no share of the {} test rows of this seed",
                                          accuracy, draft.task->test_rows));
    return share;
  }

  void add_row(Draft& draft) const {
    const ImportedData& data = *draft.task->data;
    const std::size_t row = cells_.row();
    if (row >= data.labels.size())
      cells_.fail("row", fmt::format("the data set has {} rows", data.labels.size()));
    if (const auto before = draft.rows.find(row); before != draft.rows.end())
      cells_.fail("row", fmt::format("this row was there before, on line {}", before->second.line));
    if (!cells_.text("label").empty() && class_of("label", data) != data.labels[row])
      cells_.fail("label",
                  fmt::format("row {} is of class '{}'", row + 1,
                              printable(data.classes[static_cast<std::size_t>(data.labels[row])])));
    Row one{cells_.line(), class_of("predicted", data), std::nanf(""), probabilities_of_line(data)};
    if (!draft.rows.empty() &&
        draft.rows.begin()->second.probabilities.size() != one.probabilities.size())
      cells_.fail("row", "expected probabilities in all rows of a run, or in none");
    if (const auto unsure = cells_.number("uncertainty", 0.0, 1e6))
      one.unsure = static_cast<float>(*unsure);
    else if (!one.probabilities.empty() && !cells_.has("uncertainty"))
      one.unsure = entropy(one.probabilities);
    draft.rows.emplace(row, std::move(one));
  }

  int class_of(const char* column, const ImportedData& data) const {
    const auto found = data.places.find(class_name(cells_.text(column)));
    if (found == data.places.end())
      cells_.fail(column, fmt::format("not a class of '{}'", printable(data.name)));
    return found->second;
  }

  // Returns the probabilities of all classes, or none if the line has none.
  std::vector<float> probabilities_of_line(const ImportedData& data) const {
    std::vector<float> all;
    std::size_t found = 0;
    double sum = 0.0;
    for (const ImportedCells::Probability& one : cells_.probabilities()) {
      const auto value = cells_.probability(one);
      if (!value) continue;
      const auto at = data.places.find(one.class_name);
      if (at == data.places.end())
        cells_.fail("dataset", fmt::format("'{}' has no class '{}', which has a probability here",
                                           printable(data.name), printable(one.class_name)));
      all.resize(data.classes.size());
      all[static_cast<std::size_t>(at->second)] = static_cast<float>(*value);
      sum += *value;
      ++found;
    }
    if (found > 0 && found != data.classes.size())
      cells_.fail("row", fmt::format("expected probabilities of all {} classes, not of {}",
                                     data.classes.size(), found));
    if (found > 0 && std::abs(sum - 1.0) > 1e-3)
      cells_.fail("row", fmt::format("the probabilities add up to {}, not to 1", sum));
    return all;
  }

  // Makes sure that the rows are the test rows of the run's seed; returns these in their order.
  std::vector<int> test_rows(const Draft& draft) const {
    const ImportedTask& task = *draft.task;
    const RunKey& key = draft.run.key;
    if (draft.rows.size() != task.test_rows)
      throw Error(fmt::format("{}:{}: the run of '{}' on '{}' with seed {} has {} of {} test rows",
                              name_, draft.line, key.method, printable(key.dataset), key.seed,
                              draft.rows.size(), task.test_rows));
    const Split split = train_test_split(task.data->labels.size(), task.test_fraction, key.seed);
    for (const int row : split.train)
      if (const auto found = draft.rows.find(static_cast<std::size_t>(row));
          found != draft.rows.end())
        throw cells_.error_on(
            found->second.line, "row",
            fmt::format("row {} is a training row of seed {}", row + 1, key.seed));
    return split.test;
  }

  // Scores a run whose lines have all been read.
  void judge(Draft& draft) const {
    const ImportedData& data = *draft.task->data;
    const std::vector<int> test = test_rows(draft);
    const std::vector<int> truth = pick(data.labels, test);
    std::vector<double> weights;
    for (const int row : test)
      if (!data.weights.empty()) weights.push_back(data.weights[static_cast<std::size_t>(row)]);
    Predictions predictions;
    std::vector<float> probabilities;
    for (const int row : test) {
      const Row& one = draft.rows.at(static_cast<std::size_t>(row));
      predictions.labels.push_back(one.predicted);
      predictions.entropy.push_back(one.unsure);
      probabilities.insert(probabilities.end(), one.probabilities.begin(), one.probabilities.end());
    }
    const bool has_some = !probabilities.empty();
    predictions.probabilities =
        Matrix(test.size(), has_some ? data.classes.size() : 0, std::move(probabilities));
    RunRecord& run = draft.run;
    run.metrics = score(truth, predictions.labels, weights);
    run.predicted_classes = count_classes(predictions.labels);
    run.majority = majority_share(truth, weights);
    if (has_some)
      run.calibration = calibration(truth, predictions, weights);
    else
      run.calibration.error_auroc =
          error_auroc(truth, predictions.labels, predictions.entropy, weights);
    run.parts.predictions = true;
    run.class_names = class_list(data.classes);
    run.predictions = prediction_records(test, truth, predictions);
    draft.rows.clear();
  }

  std::string name_;
  ImportedCells cells_;
  const ImportOptions& options_;
  ImportedTasks tasks_;
  std::set<std::string> own_;  // methods of runs that were not imported
  std::set<Identity> stored_;
  std::map<Identity, Draft> drafts_;
  std::vector<Draft*> order_;  // as in the file
};

}  // namespace

std::vector<RunRecord> read_runs(RecordReader& lines, std::span<const RunRecord> stored,
                                 const ImportOptions& options) {
  Runs runs(lines, stored, options);
  runs.read();
  return runs.finish();
}

}  // namespace uaspl
