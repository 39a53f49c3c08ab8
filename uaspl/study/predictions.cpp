// Records of predictions, see predictions.hpp.
#include "uaspl/study/predictions.hpp"

#include <fmt/format.h>

#include "uaspl/base/error.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/io/json_text.hpp"

namespace uaspl {

std::vector<PredictionRecord> prediction_records(std::span<const int> rows,
                                                 std::span<const int> labels,
                                                 const Predictions& predictions) {
  std::vector<PredictionRecord> records;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    PredictionRecord& record = records.emplace_back();
    record.row = rows[i];
    record.label = labels[i];
    record.predicted = predictions.labels[i];
    record.uncertainty =
        predictions.vacuity.empty() ? predictions.entropy[i] : predictions.vacuity[i];
    if (record.predicted == Predictions::kNoAnswer) continue;
    const auto row = predictions.probabilities.row(i);
    record.probabilities.assign(row.begin(), row.end());
  }
  return records;
}

std::string class_list(std::span<const std::string> classes) {
  constexpr std::size_t kLongest = 500000;  // a row of a store has less than a megabyte
  std::string text = json_text(nlohmann::ordered_json(std::vector(classes.begin(), classes.end())));
  return text.size() <= kLongest ? text : "";
}

std::vector<std::string> listed_classes(const std::string& list, std::size_t count) {
  std::vector<std::string> names;
  try {
    if (!list.empty())
      for (const nlohmann::json& one : parse_json(list)) names.push_back(one.get<std::string>());
  } catch (const nlohmann::json::exception&) {
    names.clear();
  } catch (const Error&) {
    names.clear();
  }
  if (names.size() == count) return names;
  names.clear();
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

}  // namespace uaspl
