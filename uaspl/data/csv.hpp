// Reading a plain CSV file: a header line, the class in the first column, numeric features after
// it.
#pragma once

#include <filesystem>
#include <string_view>

#include "uaspl/data/dataset.hpp"

namespace uaspl {

// Rows with an empty cell or a `?` are dropped and counted. Errors name file, line and column.
Dataset read_csv(const std::filesystem::path& file);

// The same from memory; `name` stands for the file in errors.
Dataset parse_csv(std::string_view text, std::string_view name);

}  // namespace uaspl
