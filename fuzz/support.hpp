// What several targets share: the input as text or as a row of choices, and a folder in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace uaspl::fuzz {

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// Reads an input as choices, one byte each; after its end all choices are 0.
class Choices {
 public:
  Choices(const std::uint8_t* bytes, std::size_t size) : left_(text_of(bytes, size)) {}

  bool empty() const { return left_.empty(); }
  std::size_t one_of(std::size_t count) { return count == 0 ? 0 : byte() % count; }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return first;
  }
  // A number that programs stumble over, or any eight bytes as one.
  double number() {
    static constexpr std::array kNasty = {0.0,    1.0,    -1.0,   2.0,     0.5, -0.0, 1e300,
                                          -1e300, 1e-320, 255.0,  256.0,   2e9, 3e9,  9e15,
                                          1e19,   1e6,    3.5e38, -3.4e38, 7.0, 16.0, 17.0};
    const std::size_t which = one_of(kNasty.size() + 3);
    if (which < kNasty.size()) return kNasty[which];
    if (which == kNasty.size()) return std::strtod("nan", nullptr);
    if (which == kNasty.size() + 1) return std::strtod("-inf", nullptr);
    std::array<std::uint8_t, sizeof(double)> bytes{};
    for (std::uint8_t& one : bytes) one = byte();
    double value = 0.0;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

 private:
  std::string_view left_;
};

// A folder that is gone when the program ends; in memory where the system has such a place.
inline const std::filesystem::path& scratch_folder() {
  static const struct Folder {
    Folder() {
      std::error_code failed;
      const bool memory = std::filesystem::is_directory("/dev/shm", failed);
      std::string name = (memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
                         "/uaspl-fuzz-XXXXXX";
      if (!::mkdtemp(name.data())) std::abort();
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path path;
  } kFolder;
  return kFolder.path;
}

}  // namespace uaspl::fuzz
