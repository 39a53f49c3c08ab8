// Lines of a text, see lines.hpp.
#include "uaspl/data/table/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "uaspl/base/text.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Lines::Lines(Input& input) : input_(input) {
  begin();
  constexpr std::size_t kSample = 1 << 16;
  const auto known = [&] { return input_.view().find('\n') != std::string_view::npos; };
  while (!known() && !input_.ended() && input_.view().size() < kSample) input_.more(0);
  if (!known() && input_.view().find('\r') != std::string_view::npos) line_end_ = '\r';
}

void Lines::begin() {
  while (input_.view().size() < kByteOrderMark.size() && !input_.ended()) input_.more(0);
  position_ = input_.view().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  searched_ = position_;
  number_ = 0;
  bytes_ = 0;
  again_ = false;
}

void Lines::rewind() {
  input_.rewind();
  begin();
}

bool Lines::next() {
  if (std::exchange(again_, false)) return true;
  std::size_t end = std::string_view::npos;
  while (true) {
    end = input_.view().find(line_end_, searched_);
    if (end != std::string_view::npos || input_.ended()) break;
    searched_ = input_.view().size();
    const std::size_t dropped = input_.more(position_);
    position_ -= dropped;
    searched_ -= dropped;
  }
  const std::string_view view = input_.view();
  if (position_ == view.size()) return false;
  end = std::min(end, view.size());
  line_ = view.substr(position_, end - position_);
  has_room_ = view.size() - end >= kNumberRoom;
  ++number_;
  const std::size_t next = std::min(end + 1, view.size());
  bytes_ += next - position_;
  position_ = searched_ = next;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  // Text has no zeros: they come from files that were not written to the end.
  if (line_.find('\0') != std::string_view::npos) throw error("a NUL byte, expected text");
  return true;
}

RecordReader::Extent Lines::extent(std::size_t columns) {
  RecordReader::Extent all{1, 0};
  input_.pass([&](std::string_view text) {
    all.bytes += text.size();
    all.records += static_cast<std::size_t>(std::ranges::count(text, line_end_));
  });
  all.records = std::min(all.records, CellBudget::most_rows(columns, all.bytes));
  rewind();
  return all;
}

Error Lines::error(std::string_view what) const {
  return Error(fmt::format("{}:{}: {}", name(), number_, what));
}

Error Lines::error_at(const char* place, std::string_view what) const {
  return Error(fmt::format("{}:{}:{}: {}", name(), number_, place - line_.data() + 1, what));
}

std::string_view trim_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

void CellBudget::refuse(std::size_t columns, const Lines& lines) {
  throw lines.error(fmt::format(
      "{} columns, and nearly all cells of the rows are left out; as a table that would be more "
      "than {} cells for each byte of the file",
      columns, kMostPerByte));
}

}  // namespace uaspl
