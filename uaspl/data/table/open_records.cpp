// Chooses the reader of a table, see open_records.hpp.
#include "uaspl/data/table/open_records.hpp"

#include <fmt/format.h>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/arff.hpp"
#include "uaspl/data/table/csv.hpp"
#include "uaspl/data/table/json_lines.hpp"
#include "uaspl/data/table/libsvm.hpp"
#include "uaspl/io/text_input.hpp"

namespace uaspl {
namespace {

enum class Kind { kUnknown, kCsv, kArff, kLibsvm, kJsonLines };

// So much of a file may be comments of ARFF, or numbers and comments of libsvm, before it is taken
// for CSV.
constexpr std::size_t kMostLookedAt = std::size_t{1} << 20;

class Origin final : public RecordReader::Origin {
 public:
  explicit Origin(Input& bytes) : text(bytes) {}
  std::vector<std::string> notes() const override { return text.notes(); }
  TextInput text;
};

// Looks at whole lines, from the first on, until one of them decides.
class Recogniser {
 public:
  Kind take(std::string_view line) {
    line = trim_blanks(line);
    if (line.empty()) return Kind::kUnknown;
    const bool first = !seen_;
    seen_ = true;
    if (line.front() == '%') {
      comments_ = comments_ || first;
      return comments_ ? Kind::kUnknown : Kind::kCsv;
    }
    if (first || comments_) {
      if (begins_arff(line)) return Kind::kArff;
      if (comments_) return Kind::kCsv;
      if (begins_json_object(line)) return Kind::kJsonLines;
      list_ = line.front() == '[' && (line.size() == 1 || trim_blanks(line.substr(1))[0] == '{');
      if (list_) return Kind::kJsonLines;
    }
    const Likeness likeness = likeness_to_libsvm(line);
    return likeness == Likeness::kYes  ? Kind::kLibsvm
           : likeness == Likeness::kNo ? Kind::kCsv
                                       : Kind::kUnknown;
  }
  bool list() const { return list_; }

 private:
  bool seen_ = false;      // a line that is not empty
  bool comments_ = false;  // all lines so far are comments of ARFF
  bool list_ = false;      // of JSON objects
};

Kind recognise(Input& text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Recogniser recogniser;
  std::size_t at = 0;
  std::size_t searched = 0;
  while (true) {
    const std::string_view view = text.view();
    if (at == 0 && view.starts_with(kByteOrderMark)) at = kByteOrderMark.size();
    const std::size_t end = view.find_first_of("\r\n", std::max(at, searched));
    const bool whole = end != std::string_view::npos;
    if (!whole && !text.ended() && view.size() < kMostLookedAt) {
      searched = view.size();
      text.more(0);
      continue;
    }
    const Kind kind = recogniser.take(view.substr(at, end - at));
    if (recogniser.list())
      throw Error(
          fmt::format("{}: a list of JSON, expected an object on each line; `jq -c '.[]'` "
                      "makes them of it",
                      text.name()));
    if (kind != Kind::kUnknown) return kind;
    if (!whole || end > kMostLookedAt) return Kind::kCsv;
    at = end + 1;
  }
}

std::unique_ptr<RecordReader> open_text(Input& text, Kind kind, const TableFormat& format) {
  switch (kind) {
    case Kind::kArff: return std::make_unique<ArffReader>(text);
    case Kind::kLibsvm: return std::make_unique<LibsvmReader>(text, format);
    case Kind::kJsonLines: return std::make_unique<JsonLinesReader>(text, format);
    default: return std::make_unique<CsvReader>(text, format);
  }
}

}  // namespace

std::unique_ptr<RecordReader> open_records(Input& input, const TableFormat& format) {
  auto origin = std::make_unique<Origin>(input);
  Input& text = origin->text.text();
  const Kind kind = format.delimiter != '\0' ? Kind::kCsv : recognise(text);
  const bool two_passes =
      format.expected.empty() && (kind == Kind::kLibsvm || kind == Kind::kJsonLines);
  if (two_passes) origin->text.keep_rewindable();
  origin->text.forget_bytes();
  auto reader = open_text(text, kind, format);
  reader->keep(std::move(origin));
  return reader;
}

}  // namespace uaspl
