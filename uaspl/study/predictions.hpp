// Makes the records of predictions that the results store keeps, of our runs as of imported ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "uaspl/model/readout.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

std::vector<PredictionRecord> prediction_records(std::span<const int> rows,
                                                 std::span<const int> labels,
                                                 const Predictions& predictions);

// The names of classes as a run keeps them: a JSON list, or an empty text where it would be too
// long.
std::string class_list(std::span<const std::string> classes);
// Returns the names in the list; if it is no list of `count` names, their numbers from 0.
std::vector<std::string> listed_classes(const std::string& list, std::size_t count);

}  // namespace uaspl
