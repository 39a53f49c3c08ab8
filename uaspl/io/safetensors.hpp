// Reads and writes the safetensors format: a JSON header and raw numbers. A file is checked before
// anything is allocated, and can never run code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace uaspl {

struct StoredTensor {
  std::vector<std::size_t> shape;
  std::variant<std::vector<float>, std::vector<double>> values;  // F32 or F64, row-major
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, StoredTensor> tensors;
};

// Returns the bytes of a file, with the tensors in the order of their names, so that equal content
// gives equal bytes.
std::string write_safetensors(const TensorFile& content);

// Who may have written a file that is read.
enum class Writer {
  kUaspl,  // all tensors are F32 or F64
  kAny,    // also F16, BF16 and whole numbers, which are read as F32 and F64
};

// Reads and checks: header within the file, no duplicate key, offsets that cover the data without
// holes and fit shape and type, nothing after the end. `name` stands for the file in errors.
TensorFile read_safetensors(std::string_view bytes, std::string_view name,
                            Writer writer = Writer::kUaspl);

}  // namespace uaspl
