// `uaspl predict`: predicts labels, probabilities and uncertainties of the rows of a table while
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
#include "cli/passed_columns.hpp"
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
  std::optional<double> threshold;
  std::string positive;
  std::string format;  // csv, jsonl, or nothing
  PassOptions pass;
  bool strict = false;
  FileOptions file;
  CommonOptions common;
  bool json() const { return common.json || format == "jsonl"; }
  LineFormat line_format() const {
    return json() ? LineFormat::kJson : safe_csv ? LineFormat::kSafeCsv : LineFormat::kCsv;
  }
  PredictionLines lines(const Model& of, const char* key) const {
    return {of.target.classes, key, line_format(), !of.is_of_images()};
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

// Rows are predicted before the block is full if the cells that pass it have so many bytes.
constexpr std::size_t kMostWaiting = std::size_t{1} << 24;

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

// A format that names cells line by line need not be passed first if it is known what is looked
// for; all its columns are known only after that.
TableFormat format_for(const PredictOptions& options, const Model& model) {
  TableFormat format = options.file.format();
  for (const FeatureColumn& feature : model.table().schema.features)
    if (!options.pass.keep_all) format.expected.push_back(feature.name);
  return format;
}

void check_pass_options(const PredictOptions& options, const Model& model) {
  if (options.common.json && options.format == "csv")
    throw UsageError("--json and --output-format csv contradict each other");
  if (model.is_of_images() && options.pass.any())
    throw UsageError(fmt::format(
        "{} is a model of images; --id, --keep and --keep-all are for tables", options.model));
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

// Applies --threshold and --positive, which choose the label otherwise than the model would.
void apply_decision(const PredictOptions& options, Model& model) {
  if (!options.threshold) {
    if (!options.positive.empty())
      throw UsageError("--positive is the class of a --threshold, which is missing");
    return;
  }
  auto& decision = model.readout.decision;
  if (model.target.classes.size() != 2)
    throw UsageError(fmt::format("{}: --threshold is for two classes, and the model has {}",
                                 options.model, model.target.classes.size()));
  if (!options.positive.empty())
    decision = {class_place(model.target, options.positive, "--positive"), *options.threshold};
  else if (decision)
    decision->threshold = *options.threshold;
  else
    throw UsageError(fmt::format("{}: the model has no positive class; name it with --positive: {}",
                                 options.model, list_some(model.target.classes)));
}

void note_passing(const RecordReader& reader, const PassedColumns& passed) {
  for (const std::string& text : reader.notes()) note("{}", text);
  if (const std::string text = passed.renamed(); !text.empty()) note("{}: {}", reader.name(), text);
}

int run_predict(const PredictOptions& options) {
  Model model = load_model(options.model);
  apply_decision(options, model);
  check_options_fit(options.model, model, options.file, options.folders, options.device);
  check_pass_options(options, model);
  check_output(options, model);
  if (model.is_of_images()) return predict_images(options, model);
  Input input(options.data);
  const auto records = open_records(input, format_for(options, model));
  RecordReader& reader = *records;
  RecordEncoder encoder(
      model.table().schema, nullptr, reader,
      {.scaler = &model.table().scaler, .strict = options.strict, .pass_over = true});
  Output output(options.output);
  Block block(model);
  PredictionLines lines = options.lines(model, "row");
  const PassedColumns passed(options.pass, reader, lines.names(), options.line_format());
  lines.begin_header(passed.header());
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
    if (options.pass.any()) lines.begin_line(passed.cells(reader));
    if (!block.full() && lines.waiting() < kMostWaiting) continue;
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
  if (!options.common.quiet) note_passing(reader, passed);
  warn_of(lines, input.name());
  return kExitDone;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  CLI::App* predict =
      app.add_subcommand("predict", "Classify the rows of a table, or images, with a model.");
  const auto options = std::make_shared<PredictOptions>();
  predict->add_option("model", options->model, "A model file")->required();
  predict
      ->add_option("data", options->data,
                   "Table (CSV, ARFF, libsvm or JSON lines, also in gzip), or - for standard "
                   "input; for a model of\nimages, a picture, a folder "
                   "of them, or the name of\na known set, whose test images are taken")
      ->required();
  predict->add_option("-o,--output", options->output, "Where to write; default: standard output")
      ->check(is_file_name);
  predict->add_option("--data", options->folders, "Folder of known image sets")
      ->allow_extra_args(false);
  predict->add_option(
      "--device", options->device,
      "Where networks for images run: cpu (default), or cuda where libtorch has it");
  predict
      ->add_option("--threshold", options->threshold,
                   "Of two classes: the probability from which on the positive one is the label, "
                   "instead of the model's")
      ->check(is_finite)
      ->check(CLI::Range(0.0, 1.0));
  predict->add_option("--positive", options->positive,
                      "The class of the --threshold; default: the model's");
  const auto is_format = [](const std::string& name) {
    return name == "csv" || name == "jsonl" ? "" : "expected csv or jsonl, not " + name;
  };
  predict
      ->add_option("--output-format", options->format,
                   "csv (default), or jsonl: an object on each line, as with --json")
      ->check(is_format);
  add_pass_options(*predict, options->pass);
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
      "nothing, and raise the vacuity. A row without an answer has empty cells\nand vacuity 1.\n"
      "The label is the likeliest class, or where the model has a threshold (`uaspl inspect`), "
      "what "
      "that says.\n\n"
      "Examples:\n"
      "  uaspl predict churn.model new.csv -o predictions.csv\n"
      "  uaspl predict digits.model scans/ -o predictions.csv   (pictures are brought to the size "
      "it takes)\n"
      "  uaspl predict fraud.model new.csv --threshold 0.2   (more rows are flagged than at 0.5)\n"
      "  uaspl predict churn.model new.csv.gz --id customer --output-format jsonl\n"
      "  uaspl predict churn.model - < new.csv | sort -t, -k5 -g");
  predict->callback([options, &action] { action = [options] { return run_predict(*options); }; });
}

}  // namespace uaspl::cli
