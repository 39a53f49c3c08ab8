// The identity of a data set, see dataset.hpp.
#include "uaspl/data/dataset.hpp"

#include <fmt/format.h>

#include <string_view>

#include "uaspl/io/sha256.hpp"

namespace uaspl {

std::string content_sha256(const Dataset& data) {
  if (!data.identity.empty()) return data.identity;
  if (data.is_images()) return data.images().set->content;
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  const DoubleMatrix& features = data.table().features;
  std::string parts = sha256(bytes(features.values())) + sha256(bytes(data.labels));
  parts += fmt::format("{} x {}", features.rows(), features.cols());
  for (const std::string& name : data.target.classes) parts += "\n" + name;
  return sha256(parts);
}

}  // namespace uaspl
