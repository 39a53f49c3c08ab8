// `uaspl predict`: labels, probabilities and uncertainty of the rows of a CSV file, as they stream
// by.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "uaspl/data/csv.hpp"
#include "uaspl/train/model.hpp"

namespace uaspl::cli {
namespace {

struct PredictOptions {
  std::string model;
  std::string data;
  std::string output;
  FileOptions file;
  CommonOptions common;
};

// Rows are predicted a block at a time: memory does not depend on the length of the file.
class Block {
 public:
  explicit Block(const Model& model)
      : model_(model), predictor_(model), width_(model.schema.width()) {}

  std::span<double> next_row(std::size_t number) {
    if (numbers_.empty()) values_.reserve(std::min<std::size_t>(kRows * width_, 1 << 20));
    numbers_.push_back(number);
    values_.resize(numbers_.size() * width_);
    return std::span(values_).last(width_);
  }
  void forget_row() { numbers_.pop_back(); }
  bool full() const { return numbers_.size() >= kRows; }

  std::string predict(bool json) {
    values_.resize(numbers_.size() * width_);
    const Predictions result =
        predictor_.predict(DoubleMatrix(numbers_.size(), width_, std::move(values_)));
    std::string text;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      if (json) {
        text += json_line(result, i);
      } else {
        add_csv_line(result, i, text);
      }
    }
    numbers_.clear();
    values_.clear();
    return text;
  }

  std::string header() const {
    std::string text = "row,label";
    for (const std::string& name : model_.schema.classes) text += "," + csv_cell("p_" + name);
    return text + ",vacuity,entropy\n";
  }

 private:
  static constexpr std::size_t kRows = 4096;

  const std::string& label(const Predictions& p, std::size_t i) const {
    return model_.schema.classes[static_cast<std::size_t>(p.labels[i])];
  }

  void add_csv_line(const Predictions& p, std::size_t i, std::string& text) const {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{},{}", numbers_[i], csv_cell(label(p, i)));
    for (const float probability : p.probabilities.row(i)) fmt::format_to(out, ",{}", probability);
    text += ',';
    if (!p.vacuity.empty()) fmt::format_to(out, "{}", p.vacuity[i]);
    fmt::format_to(out, ",{}\n", p.entropy[i]);
  }

  std::string json_line(const Predictions& p, std::size_t i) const {
    nlohmann::ordered_json object = {{"row", numbers_[i]}, {"label", label(p, i)}};
    for (std::size_t k = 0; k < model_.schema.classes.size(); ++k)
      object["probabilities"][model_.schema.classes[k]] = p.probabilities(i, k);
    if (!p.vacuity.empty()) object["vacuity"] = p.vacuity[i];
    object["entropy"] = p.entropy[i];
    return object.dump() + "\n";
  }

  const Model& model_;
  Predictor predictor_;
  std::size_t width_;
  std::vector<std::size_t> numbers_;  // of the rows in the file, from 1
  std::vector<double> values_;
};

int run_predict(const PredictOptions& options) {
  const Model model = load_model(options.model);
  Input input(options.data);
  CsvReader reader(input, options.file.format());
  const RowEncoder encoder(model.schema, reader, false);
  Output output(options.output);
  Block block(model);
  // The header waits for the first block: a file that does not fit leaves standard output empty.
  std::string header = options.common.json ? "" : block.header();
  const auto write_block = [&] {
    output.write(std::exchange(header, {}) + block.predict(options.common.json));
  };
  std::size_t number = 0;
  std::size_t dropped = 0;
  while (reader.next()) {
    if (!encoder.encode(reader, block.next_row(++number), nullptr)) {
      block.forget_row();
      ++dropped;
    }
    if (!block.full()) continue;
    write_block();
    if (interrupted) {
      fmt::print(stderr, "uaspl: interrupted\n");
      return kExitInterrupted;
    }
  }
  write_block();
  output.finish();
  if (dropped > 0 && !options.common.quiet)
    fmt::print(stderr, "{}: {} of {} row(s) with a missing value left out\n", input.name(), dropped,
               number);
  return kExitDone;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  CLI::App* predict =
      app.add_subcommand("predict", "Classify the rows of a CSV file with a model.");
  const auto options = std::make_shared<PredictOptions>();
  predict->add_option("model", options->model, "A model file")->required();
  predict->add_option("data", options->data, "CSV file, or - for standard input")->required();
  predict->add_option("-o,--output", options->output, "Where to write; default: standard output");
  add_file_options(*predict, options->file);
  add_common(*predict, options->common);
  predict->footer(
      "Columns are found by name, whatever their order; others are ignored. For each row: its "
      "number, the\n"
      "label, a probability for each class, the vacuity (0: much evidence, 1: none; empty for "
      "models without\n"
      "evidence) and the entropy of the probabilities in nats.\n\n"
      "Examples:\n"
      "  uaspl predict churn.model new.csv -o predictions.csv\n"
      "  zcat new.csv.gz | uaspl predict churn.model - | sort -t, -k5 -g");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace uaspl::cli
