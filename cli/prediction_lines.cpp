// Writes predictions as lines, see prediction_lines.hpp.
#include "cli/prediction_lines.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "uaspl/data/table/csv_writer.hpp"
#include "uaspl/io/json_text.hpp"

namespace uaspl::cli {
namespace {

std::string cell(std::size_t number) { return fmt::format("{}", number); }
std::string cell(const std::string& text) { return csv_cell(text); }

}  // namespace

std::vector<std::string> PredictionLines::names() const {
  std::vector<std::string> all = {key_, "label", "probabilities", "vacuity", "entropy"};
  for (const std::string& name : classes_) all.push_back("p_" + name);
  if (unknown_) all.emplace_back("unknown");
  return all;
}

void PredictionLines::begin_line(std::string text) {
  waiting_ += text.size();
  before_.push_back(std::move(text));
}

std::string PredictionLines::header() const {
  if (format_ == LineFormat::kJson) return "";
  std::string text = before_header_ + key_ + ",label";
  for (const std::string& name : classes_) text += "," + csv_cell("p_" + name);
  text += ",vacuity,entropy";
  text += unknown_ ? ",unknown\n" : "\n";
  return format_ == LineFormat::kSafeCsv ? without_formulas(text) : text;
}

std::string PredictionLines::lines(const Predictions& predictions,
                                   std::span<const std::size_t> rows) {
  return all_lines(predictions, rows);
}

std::string PredictionLines::lines(const Predictions& predictions,
                                   std::span<const std::string> files) {
  return all_lines(predictions, files);
}

std::string PredictionLines::warning() const {
  if (unanswered_ == 0) return "";
  return fmt::format("{} row(s) have no finite answer, the first is {} {}", unanswered_, key_,
                     first_unanswered_);
}

// JSON has no NaN: what a row without an answer lacks is null there, and an empty cell in CSV.
template <typename Key>
std::string PredictionLines::all_lines(const Predictions& p, std::span<const Key> keys) {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool answered = p.labels[i] != Predictions::kNoAnswer;
    if (!answered && unanswered_++ == 0) first_unanswered_ = cell(keys[i]);
    const std::string_view before = i < before_.size() ? before_[i] : std::string_view();
    if (format_ != LineFormat::kJson) {
      text += before;
      text += cell(keys[i]);
      add_csv(p, i, text);
      continue;
    }
    nlohmann::ordered_json object = {{key_, keys[i]}, {"label", nullptr}};
    if (answered) object["label"] = classes_[static_cast<std::size_t>(p.labels[i])];
    for (std::size_t k = 0; k < classes_.size(); ++k)
      object["probabilities"][classes_[k]] = p.probabilities(i, k);
    if (!p.vacuity.empty()) object["vacuity"] = p.vacuity[i];
    object["entropy"] = p.entropy[i];
    if (unknown_) object["unknown"] = p.unknown[i];
    text += '{';
    text += before;
    text += json_text(object).substr(1) + "\n";
  }
  before_.clear();
  waiting_ = 0;
  return format_ == LineFormat::kSafeCsv ? without_formulas(text) : text;
}

void PredictionLines::add_csv(const Predictions& p, std::size_t i, std::string& text) const {
  const auto out = std::back_inserter(text);
  const bool answered = p.labels[i] != Predictions::kNoAnswer;
  text += ',';
  if (answered) text += csv_cell(classes_[static_cast<std::size_t>(p.labels[i])]);
  for (const float probability : p.probabilities.row(i))
    answered ? fmt::format_to(out, ",{}", probability) : fmt::format_to(out, ",");
  text += ',';
  if (!p.vacuity.empty()) fmt::format_to(out, "{}", p.vacuity[i]);
  text += ',';
  if (answered) fmt::format_to(out, "{}", p.entropy[i]);
  if (unknown_) fmt::format_to(out, ",{}", p.unknown[i]);
  text += '\n';
}

}  // namespace uaspl::cli
