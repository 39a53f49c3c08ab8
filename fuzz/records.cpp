// Any bytes as a table of any format: the records are the same in one piece and in small ones,
// twice as once, as many cells as columns, and text; or both end with an error, which can be shown.
// The first byte says what the bytes are: what they seem, packed or wide text made of them, or what
// is told of the columns.
#include <zlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/table/open_records.hpp"

namespace {

using namespace uaspl;

class Drops final : public ByteSource {
 public:
  Drops(std::string_view text, std::size_t most) : text_(text), most_(most) {}
  std::size_t read(char* to, std::size_t room) override {
    const std::size_t count = std::min({most_, room, text_.size() - at_});
    if (count > 0) std::memcpy(to, text_.data() + at_, count);
    at_ += count;
    return count;
  }
  void rewind() override { at_ = 0; }

 private:
  std::string_view text_;
  std::size_t most_;
  std::size_t at_ = 0;
};

std::string packed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size())) + 64;
  std::string bytes(size, '\0');
  z_stream z{};
  if (deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(bytes.data());
  z.avail_out = static_cast<uInt>(bytes.size());
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) std::abort();
  bytes.erase(z.total_out);
  deflateEnd(&z);
  return bytes;
}

std::string wide(std::string_view text) {
  std::string bytes = "\xFF\xFE";
  for (const char c : text) bytes += {c, '\0'};
  return bytes;
}

struct Seen {
  std::vector<std::vector<std::string>> records;
  std::string error;
};

void add_all(RecordReader& reader, Seen& seen) {
  while (reader.next()) {
    if (reader.cells().size() != reader.columns().size()) std::abort();
    for (std::size_t i = 0; i < reader.cells().size(); ++i) {
      double fast = 0.0;
      double slow = 0.0;
      if (!is_utf8(reader.cells()[i])) std::abort();
      if (reader.short_number(i, fast) && (!parse_number(reader.cells()[i], slow) || fast != slow))
        std::abort();
    }
    seen.records.emplace_back(reader.cells().begin(), reader.cells().end());
  }
}

Seen read(Input& input, const TableFormat& format, bool twice) {
  Seen seen;
  try {
    const auto reader = open_records(input, format);
    if (reader->hints().size() != reader->columns().size()) std::abort();
    if (reader->target() && *reader->target() >= reader->columns().size()) std::abort();
    seen.records.push_back(reader->columns());
    add_all(*reader, seen);
    if (twice) {
      const auto whole = [](const auto& record) {
        return std::ranges::none_of(record, [](const std::string& cell) { return cell.empty(); });
      };
      const auto rows = std::count_if(seen.records.begin() + 1, seen.records.end(), whole);
      if (reader->extent().records < static_cast<std::size_t>(rows)) std::abort();
      Seen again;
      add_all(*reader, again);
      if (!std::equal(again.records.begin(), again.records.end(), seen.records.begin() + 1,
                      seen.records.end()))
        std::abort();
    }
    for (const std::string& note : reader->notes())
      if (note.size() > 5000 || printable_lines(note) != note) std::abort();
  } catch (const Error& error) {
    seen.error = error.what();
    if (seen.error.size() > 5000 || printable_lines(seen.error) != seen.error) std::abort();
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t choice = bytes[0];
  std::string text(fuzz::text_of(bytes + 1, size - 1));
  if (choice % 4 == 1) text = packed(text);
  if (choice % 4 == 2) text = wide(text);
  TableFormat format;
  if ((choice & 4) != 0) format.expected = {"f1", "b", "f3"};
  if ((choice & 8) != 0) format.header = false;
  Input whole(text, "fuzz");
  const Seen seen = read(whole, format, true);
  Input drops(std::make_unique<Drops>(text, 1 + choice / 16), "fuzz");
  const Seen again = read(drops, format, false);
  // Of several faults, the one that is met first depends on the pieces.
  if (seen.error.empty() != again.error.empty()) std::abort();
  if (seen.error.empty() && again.records != seen.records) std::abort();
  return 0;
}
