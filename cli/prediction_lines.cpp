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

std::string PredictionLines::header() const {
  if (format_ == LineFormat::kJson) return "";
  std::string text = key_ + ",label";
  for (const std::string& name : classes_) text += "," + csv_cell("p_" + name);
  text += ",vacuity,entropy\n";
  return format_ == LineFormat::kSafeCsv ? without_formulas(text) : text;
}

std::string PredictionLines::lines(const Predictions& predictions,
                                   std::span<const std::size_t> rows) const {
  return all_lines(predictions, rows);
}

std::string PredictionLines::lines(const Predictions& predictions,
                                   std::span<const std::string> files) const {
  return all_lines(predictions, files);
}

template <typename Key>
std::string PredictionLines::all_lines(const Predictions& p, std::span<const Key> keys) const {
  std::string text;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (format_ != LineFormat::kJson) {
      text += cell(keys[i]);
      add_csv(p, i, text);
      continue;
    }
    nlohmann::ordered_json object = {{key_, keys[i]},
                                     {"label", classes_[static_cast<std::size_t>(p.labels[i])]}};
    for (std::size_t k = 0; k < classes_.size(); ++k)
      object["probabilities"][classes_[k]] = p.probabilities(i, k);
    if (!p.vacuity.empty()) object["vacuity"] = p.vacuity[i];
    object["entropy"] = p.entropy[i];
    text += json_text(object) + "\n";
  }
  return format_ == LineFormat::kSafeCsv ? without_formulas(text) : text;
}

void PredictionLines::add_csv(const Predictions& p, std::size_t i, std::string& text) const {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, ",{}", csv_cell(classes_[static_cast<std::size_t>(p.labels[i])]));
  for (const float probability : p.probabilities.row(i)) fmt::format_to(out, ",{}", probability);
  text += ',';
  if (!p.vacuity.empty()) fmt::format_to(out, "{}", p.vacuity[i]);
  fmt::format_to(out, ",{}\n", p.entropy[i]);
}

}  // namespace uaspl::cli
