// Reads and writes safetensors, see safetensors.hpp.
#include "uaspl/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

#include "uaspl/base/error.hpp"
#include "uaspl/io/json.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeader = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  TensorFile read() {
    const json header = parse_header();
    TensorFile content;
    std::vector<std::pair<std::size_t, std::size_t>> extents;
    for (const auto& [key, entry] : header.items()) {
      if (key == kMetadata) {
        read_metadata(entry, content);
        continue;
      }
      const Place place = read_place(key, entry);
      extents.emplace_back(place.begin, place.end);
    }
    check_cover(extents);
    for (const auto& [key, entry] : header.items())
      if (key != kMetadata) content.tensors.emplace(key, load(read_place(key, entry)));
    return content;
  }

 private:
  struct Place {
    std::vector<std::size_t> shape;
    bool is_double;
    std::size_t begin;
    std::size_t end;
  };

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: not a valid model file: {}", name_, what));
  }

  json parse_header() {
    if (bytes_.size() < kLengthBytes) fail("it is too short");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > kMaxHeader || length > bytes_.size() - kLengthBytes)
      fail("its header does not fit");
    const std::string_view text = bytes_.substr(kLengthBytes, length);
    data_ = bytes_.substr(kLengthBytes + length);
    // The format wants it so; other programs would not read what stands before.
    if (!text.starts_with('{')) fail("its header is not an object");
    try {
      return parse_json(text);
    } catch (const Error& error) {
      fail(fmt::format("its header: {}", error.what()));
    }
  }

  void read_metadata(const json& entry, TensorFile& content) const {
    if (!entry.is_object()) fail("its metadata is not an object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail("its metadata is not of strings");
      content.metadata.emplace(key, value.get<std::string>());
    }
  }

  std::size_t size_at(const json& list, std::size_t i) const {
    if (!is_whole<std::size_t>(list[i])) fail("a size is not a whole number");
    return list[i].get<std::size_t>();
  }

  Place read_place(const std::string& key, const json& entry) const {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets"))
      fail(fmt::format("tensor '{}' is not described by dtype, shape and data_offsets", key));
    const json& type = entry["dtype"];
    const json& shape = entry["shape"];
    const json& offsets = entry["data_offsets"];
    if (type != "F32" && type != "F64")
      fail(fmt::format("tensor '{}' is neither F32 nor F64", key));
    if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
      fail(fmt::format("tensor '{}' has no shape or no offsets", key));
    Place place{{}, type == "F64", size_at(offsets, 0), size_at(offsets, 1)};
    if (place.begin > place.end || place.end > data_.size())
      fail(fmt::format("tensor '{}' lies outside of the file", key));
    std::size_t bytes = place.is_double ? sizeof(double) : sizeof(float);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      place.shape.push_back(size_at(shape, i));
      if (__builtin_mul_overflow(bytes, place.shape.back(), &bytes))
        fail(fmt::format("tensor '{}' has an impossible shape", key));
    }
    if (bytes != place.end - place.begin)
      fail(fmt::format("tensor '{}' has offsets that do not fit its shape", key));
    return place;
  }

  void check_cover(std::vector<std::pair<std::size_t, std::size_t>>& extents) const {
    std::ranges::sort(extents);
    std::size_t reached = 0;
    for (const auto& [begin, end] : extents) {
      if (begin != reached) fail("its tensors overlap or leave holes");
      reached = end;
    }
    if (reached != data_.size()) fail("bytes follow its last tensor");
  }

  template <typename T>
  std::vector<T> copy(const Place& place) const {
    std::vector<T> values((place.end - place.begin) / sizeof(T));
    if (!values.empty())
      std::memcpy(values.data(), data_.data() + place.begin, place.end - place.begin);
    return values;
  }

  StoredTensor load(const Place& place) const {
    if (place.is_double) return {place.shape, copy<double>(place)};
    return {place.shape, copy<float>(place)};
  }

  std::string_view bytes_;
  std::string_view name_;
  std::string_view data_;
};

}  // namespace

std::string write_safetensors(const TensorFile& content) {
  json header = json::object();
  if (!content.metadata.empty()) header[std::string(kMetadata)] = content.metadata;
  std::string data;
  for (const auto& [name, tensor] : content.tensors) {
    const std::size_t begin = data.size();
    std::visit(
        [&](const auto& values) {
          data.append(reinterpret_cast<const char*>(values.data()),
                      values.size() * sizeof(values[0]));
        },
        tensor.values);
    const bool is_double = std::holds_alternative<std::vector<double>>(tensor.values);
    header[name] = {{"dtype", is_double ? "F64" : "F32"},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  while (text.size() % kLengthBytes != 0) text += ' ';  // the numbers begin at an aligned place
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
  return bytes + text + data;
}

TensorFile read_safetensors(std::string_view bytes, std::string_view name) {
  return Reader(bytes, name).read();
}

}  // namespace uaspl
