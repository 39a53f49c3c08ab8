// Converts text to UTF-8, see text_source.hpp.
#include "uaspl/io/text_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kSample = 256;      // bytes that the encoding is found in
constexpr std::size_t kBlock = 1 << 16;   // bytes that are converted at a time
constexpr std::size_t kLeastRoom = 4096;  // below it, nothing is done in place
constexpr std::uint32_t kByteOrderMark = 0xFEFF;

// The characters 0x80 to 0x9F of Windows-1252, 0 where it has none. From 0xA0 on it is Latin-1.
constexpr std::uint16_t kWindows[] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

std::uint32_t character_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80] : byte;
}

// What people take for a table and is none.
struct Foreign {
  std::string_view begin;
  std::string_view what;
};
using namespace std::string_view_literals;
constexpr Foreign kForeign[] = {
    {"PK\3\4"sv, "an Excel workbook or another zip archive; save it as CSV, or unpack it"},
    {"PK\5\6"sv, "an empty zip archive"},
    {"\xD0\xCF\x11\xE0"sv, "an old Excel workbook; save it as CSV"},
    {"\x1f\x8b"sv, "packed by gzip twice; unpack it once"},
    {"BZh"sv, "packed by bzip2; unpack it"},
    {"\xFD\x37zXZ"sv, "packed by xz; unpack it"},
    {"\x28\xB5\x2F\xFD"sv, "packed by zstd; unpack it"},
    {"PAR1"sv, "a Parquet file; save it as CSV"},
    {"ARROW1"sv, "an Arrow file; save it as CSV"},
    {"FEA1"sv, "a Feather file; save it as CSV"},
    {"\x89HDF"sv, "an HDF5 file; save its table as CSV"},
    {"SQLite format 3"sv, "an SQLite database; save a table of it as CSV"},
    {"%PDF-"sv, "a PDF document"},
    {"\x89PNG"sv, "a picture (PNG)"},
    {"\xFF\xD8\xFF"sv, "a picture (JPEG)"},
    {"\x93NUMPY"sv, "an array of NumPy; save it as CSV"},
    {"\x7F\x45LF"sv, "a program"},
};

// Returns the word around a byte, converted, to show what was made of it.
std::string word_around(std::string_view bytes, std::size_t at) {
  constexpr std::string_view kBetween = " ,;|\t\r\n\"'";
  constexpr std::size_t kReach = 20;
  const std::size_t first = at - std::min(at, kReach);
  std::size_t begin = bytes.substr(first, at - first).find_last_of(kBetween);
  begin = begin == std::string_view::npos ? first : first + begin + 1;
  std::size_t end = bytes.find_first_of(kBetween, at);
  end = std::min({end, bytes.size(), at + kReach});
  while (begin < at && (static_cast<unsigned char>(bytes[begin]) & 0xC0) == 0x80) ++begin;
  std::string word;
  for (std::string_view rest = bytes.substr(begin, end - begin); !rest.empty();) {
    const std::size_t good = utf8_prefix(rest);
    word += rest.substr(0, good);
    if (good < rest.size()) append_utf8(character_of(rest[good]), word);
    rest.remove_prefix(std::min(good + 1, rest.size()));
  }
  return word;
}

}  // namespace

TextSource::TextSource(std::unique_ptr<ByteSource> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  look();
}

void TextSource::look() {
  fill(kSample);
  const std::string_view start = held_;
  for (const auto& [begin, what] : kForeign)
    if (start.starts_with(begin)) throw Error(fmt::format("{}: this is {}", name_, what));
  const std::string_view wide = wide_encoding(start);
  if (wide.starts_with("UTF-32"))
    throw Error(
        fmt::format("{}: the text is {}, expected UTF-8; `iconv -f {} -t UTF-8` converts it", name_,
                    wide, wide));
  encoding_ = wide == "UTF-16LE"   ? Encoding::kUtf16Little
              : wide == "UTF-16BE" ? Encoding::kUtf16Big
                                   : Encoding::kUtf8;
}

void TextSource::rewind() {
  bytes_->rewind();
  held_.clear();
  converted_.clear();
  handed_ = 0;
  place_ = 0;
  ended_ = false;
}

std::vector<std::string> TextSource::notes() const {
  std::vector<std::string> all;
  if (encoding_ != Encoding::kUtf8)
    all.push_back(fmt::format("{}: the text is UTF-16 ({} endian)", name_,
                              encoding_ == Encoding::kUtf16Little ? "little" : "big"));
  if (strange_ > 0)
    all.push_back(
        fmt::format("{}: {} byte(s) are not UTF-8 and were read as Windows-1252, the "
                    "first in '{}'",
                    name_, strange_, printable(example_)));
  return all;
}

// Reads until so many bytes are held, or all that there are.
void TextSource::fill(std::size_t enough) {
  while (held_.size() < enough && !ended_) {
    const std::size_t before = held_.size();
    held_.resize(enough);
    const std::size_t got = bytes_->read(held_.data() + before, enough - before);
    held_.resize(before + got);
    ended_ = got == 0;
  }
}

std::size_t TextSource::read(char* to, std::size_t room) {
  while (true) {
    if (handed_ < converted_.size()) {
      const std::size_t count = std::min(room, converted_.size() - handed_);
      std::memcpy(to, converted_.data() + handed_, count);
      handed_ += count;
      return count;
    }
    converted_.clear();
    handed_ = 0;
    if (ended_ && held_.empty()) return 0;
    if (encoding_ != Encoding::kUtf8) {
      convert_wide();
    } else if (room >= kLeastRoom) {
      if (const std::size_t got = read_in_place(to, room); got > 0) return got;
    } else {
      fill(std::max(held_.size() + 1, kSample));
      convert(std::string(std::exchange(held_, {})));
    }
  }
}

// Reads where the bytes are wanted, and converts from the first one on that is not UTF-8.
std::size_t TextSource::read_in_place(char* to, std::size_t room) {
  const std::size_t before = held_.size();
  std::memcpy(to, held_.data(), before);
  held_.clear();
  const std::size_t got = ended_ ? 0 : bytes_->read(to + before, room - before);
  ended_ = got == 0;
  const std::string_view all(to, before + got);
  const std::size_t good = utf8_prefix(all);
  place_ += good;
  if (good < all.size()) {
    if (example_.empty() && (ended_ || !is_cut_off_utf8(all.substr(good))))
      example_ = word_around(all, good);
    convert(all.substr(good));
  }
  return good;
}

// Appends the text of the bytes; the last ones are held if they may be half of a character.
void TextSource::convert(std::string_view bytes) {
  std::size_t at = 0;
  while (true) {
    const std::size_t good = utf8_prefix(bytes.substr(at));
    converted_ += bytes.substr(at, good);
    at += good;
    if (at == bytes.size()) break;
    if (!ended_ && is_cut_off_utf8(bytes.substr(at))) {
      held_ = bytes.substr(at);
      break;
    }
    convert_byte(bytes, at, place_ + at);
    ++at;
  }
  place_ += at;
}

void TextSource::convert_byte(std::string_view bytes, std::size_t at, std::size_t place) {
  const std::uint32_t point = character_of(bytes[at]);
  if (point == 0)
    fail_at(place, "is text neither in UTF-8 nor in Windows-1252; convert the file to UTF-8");
  if (place >= counted_) {
    if (example_.empty()) example_ = word_around(bytes, at);
    ++strange_;
    counted_ = place + 1;
  }
  append_utf8(point, converted_);
}

void TextSource::convert_wide() {
  fill(kBlock);
  const std::size_t high = encoding_ == Encoding::kUtf16Big ? 0 : 1;
  const auto unit = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(held_[at + high])) << 8 |
           static_cast<unsigned char>(held_[at + 1 - high]);
  };
  std::size_t at = 0;
  for (; at + 2 <= held_.size(); at += 2) {
    std::uint32_t point = unit(at);
    if (point >= 0xD800 && point < 0xE000) {
      if (at + 4 > held_.size() && !ended_) break;
      const std::uint32_t low = at + 4 <= held_.size() ? unit(at + 2) : 0;
      if (point >= 0xDC00 || low < 0xDC00 || low >= 0xE000)
        fail_at(place_ + at, "is half of a character of UTF-16; the file is damaged");
      point = 0x10000 + ((point & 0x3FF) << 10) + (low & 0x3FF);
      at += 2;
    }
    if (point != kByteOrderMark || place_ + at > 0) append_utf8(point, converted_);
  }
  if (ended_ && at < held_.size())
    fail_at(place_ + at, "is half of a character of UTF-16; the file is cut off");
  held_.erase(0, at);
  place_ += at;
}

void TextSource::fail_at(std::size_t place, std::string_view what) const {
  throw Error(fmt::format("{}: byte {} {}", name_, place + 1, what));
}

}  // namespace uaspl
