// `uaspl predict`: predicts labels, probabilities and uncertainties of the rows of a CSV file while
// it is read, or of images.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cli/columns.hpp"
#include "cli/commands.hpp"
#include "cli/images.hpp"
#include "cli/note.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/prediction_lines.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/data/table/open_records.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"

namespace uaspl::cli {
namespace {

struct PredictOptions {
  std::string model;
  std::string data;
  std::string output;
  std::vector<std::string> folders;
  std::string device;
  bool safe_csv = false;
  bool strict = false;
  FileOptions file;
  CommonOptions common;
  PredictionLines lines(const Model& of, const char* key) const {
    return {of.target.classes, key,
            common.json ? LineFormat::kJson
            : safe_csv  ? LineFormat::kSafeCsv
                        : LineFormat::kCsv,
            !of.is_of_images()};
  }
};

// Rows are predicted a block at a time: memory does not depend on the length of the file.
class Block {
 public:
  explicit Block(const Model& model)
      : predictor_(model), width_(model.table().schema.features.size()) {}

  std::span<double> next_row(std::size_t number) {
    if (numbers_.empty()) values_.reserve(std::min<std::size_t>(kRows * width_, 1 << 20));
    numbers_.push_back(number);
    values_.resize(numbers_.size() * width_);
    return std::span(values_).last(width_);
  }
  // The last row cannot be judged; it gets a line that says so.
  void leave_out_row() {
    std::fill(values_.end() - static_cast<std::ptrdiff_t>(width_), values_.end(),
              std::numeric_limits<double>::quiet_NaN());
    left_out_.push_back(numbers_.size() - 1);
  }
  bool full() const { return numbers_.size() >= kRows; }

  std::string predict(PredictionLines& lines) {
    values_.resize(numbers_.size() * width_);
    Predictions result =
        predictor_.predict(DoubleMatrix(numbers_.size(), width_, std::move(values_)));
    for (const std::size_t row : left_out_) {
      take_answer(result, row);
      result.unknown[row] = 0;
    }
    std::string text = lines.lines(result, numbers_);
    numbers_.clear();
    values_.clear();
    left_out_.clear();
    return text;
  }

 private:
  static constexpr std::size_t kRows = 4096;

  Predictor predictor_;
  std::size_t width_;
  std::vector<std::size_t> numbers_;  // of the rows in the file, from 1
  std::vector<double> values_;
  std::vector<std::size_t> left_out_;  // places in the block
};

// Says which cells could not be read as the training rows were, a line a column.
void warn_of_odd_cells(const RecordEncoder& encoder, const Schema& schema, std::string_view name) {
  for (std::size_t f = 0; f < schema.features.size(); ++f) {
    const OddCells& odd = encoder.odd()[f];
    const FeatureColumn& column = schema.features[f];
    if (odd.count > 0)
      note("warning: {}: column '{}': {} cell(s) {} ({}; the first in line {})", name,
           printable(column.name), odd.count,
           column.categorical()               ? "of categories that the model does not know"
           : column.kind == ColumnKind::kDate ? "that are no dates count as missing"
                                              : "that are no numbers count as missing",
           examples_of(odd), odd.line);
  }
}

int give_up() {
  note("uaspl: interrupted");
  return kExitInterrupted;
}

void warn_of(const PredictionLines& lines, std::string_view name) {
  if (const std::string text = lines.warning(); !text.empty()) note("warning: {}: {}", name, text);
}

// Predicts the test images of a known set, which are identified by number.
int predict_known_set(const PredictOptions& options, const Model& model, const Predictor& predictor,
                      Output& output) {
  const auto images =
      std::make_shared<const ImageSet>(open_images(options.data, data_folders(options.folders)));
  PredictionLines lines = options.lines(model, "row");
  std::vector<int> rows(images->rows() - images->train);
  std::iota(rows.begin(), rows.end(), static_cast<int>(images->train));
  std::vector<std::size_t> numbers(rows.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{1});
  output.write(lines.header() + lines.lines(predictor.predict(images, rows), numbers));
  output.finish();
  warn_of(lines, options.data);
  return kExitDone;
}

// Predicts pictures, which are identified by their files, some at a time.
int predict_pictures(const PredictOptions& options, const Model& model, const Predictor& predictor,
                     Output& output) {
  constexpr std::size_t kBytes = std::size_t{1} << 24;  // of pictures in memory, but at least one
  const auto at_once = std::clamp<std::size_t>(kBytes / model.images().shape.size(), 1, 512);
  const auto files = find_pictures(options.data);
  if (files.empty()) throw Error(fmt::format("{}: no .png, .jpg or .jpeg files", options.data));
  PredictionLines lines = options.lines(model, "file");
  std::string header = lines.header();
  for (std::size_t first = 0; first < files.size(); first += at_once) {
    const auto block = std::span(files).subspan(first, std::min(at_once, files.size() - first));
    const auto images =
        std::make_shared<const ImageSet>(read_pictures(block, model.images().shape));
    std::vector<int> rows(block.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::vector<std::string> names;
    for (const auto& file : block) names.push_back(file.string());
    output.write(std::exchange(header, {}) + lines.lines(predictor.predict(images, rows), names));
    if (interrupted) return give_up();
  }
  output.finish();
  warn_of(lines, options.data);
  return kExitDone;
}

int predict_images(const PredictOptions& options, const Model& model) {
  Output output(options.output);
  const Predictor predictor(model, image_resources(options.common.threads, options.device));
  return find_known_images(options.data) ? predict_known_set(options, model, predictor, output)
                                         : predict_pictures(options, model, predictor, output);
}

void check_output(const PredictOptions& options, const Model& model) {
  if (options.output.empty()) return;
  Outputs outputs;
  outputs.reads(options.model);
  if (model.is_of_images())
    outputs.reads_images(options.data, data_folders(options.folders));
  else
    outputs.reads(options.data);
  outputs.writes(options.output);
}

int run_predict(const PredictOptions& options) {
  const Model model = load_model(options.model);
  check_options_fit(options.model, model, options.file, options.folders, options.device);
  check_output(options, model);
  if (model.is_of_images()) return predict_images(options, model);
  Input input(options.data);
  const auto records = open_records(input, options.file.format());
  RecordReader& reader = *records;
  RecordEncoder encoder(
      model.table().schema, nullptr, reader,
      {.scaler = &model.table().scaler, .strict = options.strict, .pass_over = true});
  Output output(options.output);
  Block block(model);
  PredictionLines lines = options.lines(model, "row");
  // The header is written with the first block, so that a file that does not fit leaves standard
  // output empty.
  std::string header = lines.header();
  const auto write_block = [&] { output.write(std::exchange(header, {}) + block.predict(lines)); };
  std::size_t number = 0;
  std::size_t dropped = 0;
  while (reader.next()) {
    if (!encoder.encode(reader, block.next_row(++number), nullptr)) {
      block.leave_out_row();
      ++dropped;
    }
    if (!block.full()) continue;
    write_block();
    if (interrupted) return give_up();
  }
  write_block();
  output.finish();
  warn_of_odd_cells(encoder, model.table().schema, input.name());
  if (dropped > encoder.out_of_range())
    note(
        "warning: {}: {} row(s) with a missing value have no answer, as the model was trained "
        "without such rows",
        input.name(), dropped - encoder.out_of_range());
  if (encoder.out_of_range() > 0)
    note(
        "warning: {}: {} row(s) have no answer, as a number in them is too far from those that the "
        "model was trained with",
        input.name(), encoder.out_of_range());
  warn_of(lines, input.name());
  return kExitDone;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  CLI::App* predict =
      app.add_subcommand("predict", "Classify the rows of a CSV file, or images, with a model.");
  const auto options = std::make_shared<PredictOptions>();
  predict->add_option("model", options->model, "A model file")->required();
  predict
      ->add_option("data", options->data,
                   "CSV file, or - for standard input; for a model of images, a picture, a folder "
                   "of them, or the name of\na known set, whose test images are taken")
      ->required();
  predict->add_option("-o,--output", options->output, "Where to write; default: standard output")
      ->check(is_file_name);
  predict->add_option("--data", options->folders, "Folder of known image sets")
      ->allow_extra_args(false);
  predict->add_option(
      "--device", options->device,
      "Where networks for images run: cpu (default), or cuda where libtorch has it");
  predict->add_flag("--strict", options->strict,
                    "Categories that the model does not know, and cells that are no numbers or "
                    "dates where these are expected, are errors");
  add_safe_csv(*predict, options->safe_csv);
  add_file_options(*predict, options->file);
  add_common(*predict, options->common);
  predict->footer(
      "Columns are found by name, whatever their order; others are ignored. For each row, in "
      "order, a line: its\nnumber, the label, a probability for each class, the vacuity (0: much "
      "evidence, 1: none; empty for models\nwithout evidence), the entropy of the probabilities "
      "in nats, and the number of cells that the training\nrows give no way to read: they add "
      "nothing, and raise the vacuity. A row without an answer has empty cells\nand vacuity 1.\n\n"
      "Examples:\n"
      "  uaspl predict churn.model new.csv -o predictions.csv\n"
      "  uaspl predict digits.model scans/ -o predictions.csv   (pictures are brought to the size "
      "it takes)\n"
      "  zcat new.csv.gz | uaspl predict churn.model - | sort -t, -k5 -g");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace uaspl::cli
