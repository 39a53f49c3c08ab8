// Model files, see docs/formats.md: safetensors with a description in JSON.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "uaspl/model/model.hpp"

namespace uaspl {

std::string write_model(const Model& model);
// Every part is checked; `name` stands for the file in errors.
Model read_model(std::string_view bytes, std::string_view name);

void save_model(const Model& model, const std::filesystem::path& file);
Model load_model(const std::filesystem::path& file);

}  // namespace uaspl
