// Reads and writes safetensors, see safetensors.hpp.
#include "uaspl/io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "uaspl/base/error.hpp"
#include "uaspl/io/json.hpp"

namespace uaspl {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeader = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

// Makes a float of the bits of one with 16 bits: 5 of the exponent, 10 of the fraction.
float from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const float size = exponent == 31 ? std::numeric_limits<float>::infinity()
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  if (exponent == 31 && fraction != 0) return std::numeric_limits<float>::quiet_NaN();
  return (bits & 0x8000) != 0 ? -size : size;
}

// Makes a float of the upper 16 bits of one.
float from_upper_half(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

using Values = std::variant<std::vector<float>, std::vector<double>>;

// Reads values of type From, whose bytes may lie anywhere, as such of type To.
template <typename From, typename To, To (*convert)(From)>
Values copy(std::string_view bytes) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = convert(value);
  }
  return values;
}

template <typename From, typename To>
To as(From value) {
  return static_cast<To>(value);
}
template <typename From, typename To = double>
constexpr auto kCopy = &copy<From, To, as<From, To>>;

struct NumberType {
  std::string_view name;
  std::size_t bytes;
  Values (*copy)(std::string_view bytes);
};

// Those of uaspl are the first two.
constexpr NumberType kTypes[] = {{"F32", 4, kCopy<float, float>},
                                 {"F64", 8, kCopy<double>},
                                 {"F16", 2, &copy<std::uint16_t, float, from_half>},
                                 {"BF16", 2, &copy<std::uint16_t, float, from_upper_half>},
                                 {"I64", 8, kCopy<std::int64_t>},
                                 {"I32", 4, kCopy<std::int32_t>},
                                 {"I16", 2, kCopy<std::int16_t>},
                                 {"I8", 1, kCopy<std::int8_t>},
                                 {"U8", 1, kCopy<std::uint8_t>},
                                 {"BOOL", 1, kCopy<std::uint8_t>}};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name, Writer writer)
      : bytes_(bytes), name_(name), writer_(writer) {}

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
    const NumberType* type;
    std::size_t begin;
    std::size_t end;
  };

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: not a valid {} file: {}", name_,
                            writer_ == Writer::kUaspl ? "model" : "safetensors", what));
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

  const NumberType* find_type(const std::string& key, const json& name) const {
    const bool own = writer_ == Writer::kUaspl;
    const auto known = std::span(kTypes).first(own ? 2 : std::size(kTypes));
    const auto found =
        std::ranges::find_if(known, [&](const auto& one) { return name == one.name; });
    if (found == known.end())
      fail(fmt::format("tensor '{}' is {}", key,
                       own ? "neither F32 nor F64" : "of a type that is not read"));
    return &*found;
  }

  Place read_place(const std::string& key, const json& entry) const {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets"))
      fail(fmt::format("tensor '{}' is not described by dtype, shape and data_offsets", key));
    const json& shape = entry["shape"];
    const json& offsets = entry["data_offsets"];
    const NumberType* type = find_type(key, entry["dtype"]);
    if (!shape.is_array() || !offsets.is_array() || offsets.size() != 2)
      fail(fmt::format("tensor '{}' has no shape or no offsets", key));
    Place place{{}, type, size_at(offsets, 0), size_at(offsets, 1)};
    if (place.begin > place.end || place.end > data_.size())
      fail(fmt::format("tensor '{}' lies outside of the file", key));
    std::size_t bytes = type->bytes;
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

  StoredTensor load(const Place& place) const {
    return {place.shape, place.type->copy(data_.substr(place.begin, place.end - place.begin))};
  }

  std::string_view bytes_;
  std::string_view name_;
  Writer writer_;
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

TensorFile read_safetensors(std::string_view bytes, std::string_view name, Writer writer) {
  return Reader(bytes, name, writer).read();
}

}  // namespace uaspl
