// The CSV reader, see csv.hpp. A record is scanned in what the input shows; if it is cut off there,
// the input shows more and the record is scanned again.
#include "uaspl/data/table/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kBlock = 32;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns one bit for each byte of the block, set if the byte is `c`.
std::uint32_t bits_where(char c, const char* block) {
  std::uint32_t bits = 0;
#if defined(__SSE2__)  // every x86-64 has it
  for (std::size_t at = 0; at < kBlock; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
    bits |= static_cast<std::uint32_t>(equal) << at;
  }
#else
  for (std::size_t at = 0; at < kBlock; ++at) bits |= std::uint32_t{block[at] == c} << at;
#endif
  return bits;
}

// Returns the place of the first carriage return outside of quotes that is not the text's last
// byte.
std::size_t find_return(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '\r' && !quoted) return i;
  }
  return std::string_view::npos;
}

}  // namespace

CsvReader::CsvReader(Input& input, const TableFormat& format)
    : RecordReader(input.name()), input_(input), format_(format) {
  if (format_.delimiter == '"' || format_.delimiter == '\n' || format_.delimiter == '\r')
    throw Error("a quote or a line end cannot be the delimiter of a CSV file");
  begin();
  const std::size_t end = find_line_end();
  choose_delimiter(input_.view().substr(position_, end - position_));
  name_columns();
}

// Goes to the start of the text, behind a byte order mark.
void CsvReader::begin() {
  while (input_.view().size() < kByteOrderMark.size() && !input_.ended()) input_.more(0);
  position_ = input_.view().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  next_line_ = 1;
  checked_ = 0;
  check_bytes();
}

// Adds bytes to the view; the record that is not whole yet, and what comes before it if that is
// kept, stay.
void CsvReader::read_more(std::size_t passed) {
  const std::size_t dropped = input_.more(passed);
  position_ -= dropped;
  checked_ -= dropped;
  check_bytes();
}

// Text has no zeros: they come from files that were not written to the end.
void CsvReader::check_bytes() {
  const std::string_view text = input_.view();
  const std::size_t zero = text.find('\0', checked_);
  checked_ = text.size();
  if (zero == std::string_view::npos) return;
  const auto above = std::ranges::count(text.substr(0, zero).substr(position_), line_end_);
  throw Error(fmt::format("{}:{}: a NUL byte, expected text", input_.name(),
                          next_line_ + static_cast<std::size_t>(above)));
}

// Finds out what ends the lines, and returns the place of the first end.
std::size_t CsvReader::find_line_end() {
  // Enough for a file not to be taken for one of an old Mac because of its header alone.
  constexpr std::size_t kSample = 1 << 16;
  while (true) {
    const std::string_view text = input_.view();
    const std::size_t line_feed = text.find('\n', position_);
    if (line_feed != std::string_view::npos) return line_feed;
    const bool enough = input_.ended() || text.size() >= kSample;
    const std::size_t carriage_return =
        enough ? find_return(text.substr(position_)) : std::string_view::npos;
    if (carriage_return != std::string_view::npos) {
      line_end_ = '\r';
      return position_ + carriage_return;
    }
    if (input_.ended()) return text.size();
    read_more(0);
  }
}

void CsvReader::choose_delimiter(std::string_view first_line) {
  if (format_.delimiter != '\0') return;
  constexpr std::string_view kCandidates = ",;\t|";
  std::size_t counts[kCandidates.size()] = {};
  bool quoted = false;
  for (const char c : first_line) {
    if (c == '"') quoted = !quoted;
    const std::size_t candidate = kCandidates.find(c);
    if (!quoted && candidate != std::string_view::npos) ++counts[candidate];
  }
  format_.delimiter =
      kCandidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts)];
}

void CsvReader::name_columns() {
  const std::size_t start = position_;
  // Without a header the first record is read again: what comes before it must stay.
  if (!read_record(format_.header ? Passed::kForget : Passed::kKeep))
    throw Error(fmt::format("{}: the file is empty, expected {}", input_.name(),
                            format_.header ? "a header line" : "rows of data"));
  const auto has_return = [](std::string_view cell) {
    return cell.find('\r') != std::string_view::npos;
  };
  if (format_.header && !quoted_ && std::ranges::any_of(cells_, has_return))
    throw Error(
        fmt::format("{}:{}: a carriage return within the line; some lines end with it, "
                    "others with a line feed",
                    input_.name(), line_));
  if (cells_.size() > kMostColumns)
    throw Error(fmt::format("{}:{}: {} columns, expected at most {}", input_.name(), line_,
                            cells_.size(), kMostColumns));
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    // A column without a name is called by its place.
    const bool named = format_.header && !cells_[i].empty();
    columns_.push_back(named ? std::string(cells_[i]) : fmt::format("c{}", i + 1));
    const auto [first, is_new] = places.emplace(columns_.back(), i + 1);
    if (!is_new)
      throw Error(fmt::format("{}:{}: columns {} and {} are both called '{}'", input_.name(), line_,
                              first->second, i + 1, printable(columns_.back())));
  }
  hints_.resize(columns_.size());
  if (!format_.header) {
    position_ = start;
    next_line_ = 1;
  }
}

void CsvReader::rewind() {
  input_.rewind();
  begin();
  if (format_.header) read_record();
}

RecordReader::Extent CsvReader::extent() {
  std::size_t lines = 1;
  std::size_t bytes = 0;
  input_.pass([&](std::string_view text) {
    bytes += text.size();
    for (std::size_t at = text.find(line_end_); at != std::string_view::npos;
         at = text.find(line_end_, at + 1))
      ++lines;
  });
  rewind();
  return {std::min(lines, bytes / (2 * columns_.size()) + 1), bytes};
}

bool CsvReader::next() {
  if (!read_record()) return false;
  if (cells_.size() != columns_.size())
    throw Error(fmt::format("{}:{}: {} fields, {} {}", input_.name(), line_, cells_.size(),
                            format_.header ? "header has" : "first line has", columns_.size()));
  return true;
}

bool CsvReader::read_record(Passed passed) {
  while (true) {
    const std::string_view rest = input_.view().substr(position_);
    if (rest.empty() && input_.ended()) return false;
    line_ = next_line_;
    if (rest.empty() || (!scan_plain(rest) && scan_record(rest) == Scan::kIncomplete)) {
      read_more(passed == Passed::kKeep ? 0 : position_);
      continue;
    }
    const std::string_view record = rest.substr(0, length_);
    position_ += length_;
    next_line_ += quoted_ ? static_cast<std::size_t>(std::ranges::count(record, line_end_)) : 1;
    const bool empty = cells_.size() == 1 && cells_[0].empty() && !quoted_;
    if (!empty) return true;
  }
}

// Scans a record a block of bytes at a time, if it has no quotes and is not at the end of the text,
// as most. Returns false for any other record; scan_record() then reads it.
bool CsvReader::scan_plain(std::string_view text) {
  cells_.clear();
  quoted_ = false;
  has_room_ = true;
  std::size_t start = 0;
  for (std::size_t at = 0; at + kBlock + kNumberRoom <= text.size(); at += kBlock) {
    const char* const block = text.data() + at;
    const std::uint32_t line_ends = bits_where(line_end_, block);
    const std::uint32_t of_record = line_ends ^ (line_ends - 1);  // up to the first line end
    if ((bits_where('"', block) & of_record) != 0) return false;
    std::uint32_t ends = (line_ends | bits_where(format_.delimiter, block)) & of_record;
    for (; ends != 0; ends &= ends - 1) {
      const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(ends));
      cells_.push_back(trimmed({text.data() + start, end - start}));
      start = end + 1;
    }
    if (line_ends == 0) continue;
    length_ = start;
    return true;
  }
  return false;
}

CsvReader::Scan CsvReader::scan_record(std::string_view text) {
  cells_.clear();
  unescaped_.clear();
  quoted_ = false;
  has_room_ = false;
  std::size_t at = 0;
  while (true) {
    if (scan_cell(text, at) == Scan::kIncomplete) return Scan::kIncomplete;
    const bool last = at == text.size() || text[at] == line_end_;
    if (at < text.size()) ++at;
    length_ = at;
    if (last) return Scan::kDone;
  }
}

// Leaves `at` on the delimiter, on the line end, or at the end of the text.
CsvReader::Scan CsvReader::scan_cell(std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  while (at < text.size() && is_space(text[at])) ++at;
  if (at < text.size() && text[at] == '"') return scan_quoted(text, at);
  while (at < text.size() && text[at] != format_.delimiter && text[at] != line_end_) ++at;
  if (at == text.size() && !input_.ended()) return Scan::kIncomplete;
  cells_.push_back(trimmed(text.substr(start, at - start)));
  return Scan::kDone;
}

CsvReader::Scan CsvReader::scan_quoted(std::string_view text, std::size_t& at) {
  quoted_ = true;
  const std::size_t start = at + 1;
  bool doubled = false;
  std::size_t end = start;
  while (true) {
    end = text.find('"', end);
    const bool cut_off = end == std::string_view::npos || end + 1 == text.size();
    if (cut_off && !input_.ended()) return Scan::kIncomplete;
    if (end == std::string_view::npos) {
      const auto above =
          static_cast<std::size_t>(std::ranges::count(text.substr(0, at), line_end_));
      throw Error(fmt::format("{}:{}: a quote opens here that is never closed", input_.name(),
                              line_ + above));
    }
    if (end + 1 == text.size() || text[end + 1] != '"') break;
    doubled = true;
    end += 2;
  }
  std::string_view cell = text.substr(start, end - start);
  if (doubled) {
    std::string& plain = unescaped_.emplace_back();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      plain += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = plain;
  }
  cells_.push_back(cell);
  at = end + 1;
  while (at < text.size() && is_space(text[at])) ++at;
  if (at == text.size()) return input_.ended() ? Scan::kDone : Scan::kIncomplete;
  if (text[at] == format_.delimiter || text[at] == line_end_) return Scan::kDone;
  const auto above = static_cast<std::size_t>(std::ranges::count(text.substr(0, at), line_end_));
  throw Error(fmt::format("{}:{}: text after a closing quote, expected '{}' or the end of the line",
                          input_.name(), line_ + above, printable({&format_.delimiter, 1})));
}

}  // namespace uaspl
