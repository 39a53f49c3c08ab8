// Reads and writes model files: safetensors with a description in JSON, see docs/formats.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "uaspl/model/model.hpp"

namespace uaspl {

std::string write_model(const Model& model);
// Reads a model and checks every part; `name` stands for the file in errors.
Model read_model(std::string_view bytes, std::string_view name);

void save_model(const Model& model, const std::filesystem::path& file);
Model load_model(const std::filesystem::path& file);

}  // namespace uaspl
