// Reads and writes the journal of a grid, see run_journal.hpp.
#include "uaspl/study/run_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <type_traits>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/study/run_key.hpp"

namespace uaspl {
namespace {

constexpr std::string_view kMark = "uaspl bench journal 2 ";

// Returns the keys of the grid's runs by data set, variant and method, without their seeds.
std::vector<RunKey> keys_of(const Grid& grid) {
  std::vector<RunKey> keys;
  for (const Dataset& data : grid.datasets) {
    const DatasetId dataset = dataset_id(data);
    for (const ExperimentOptions& options : grid.variants)
      for (const ChosenMethod& method : grid.methods)
        keys.push_back(run_key(dataset, method, options, 0));
  }
  return keys;
}

std::string head_of(const Grid& grid) {
  Sha256 sum;
  for (const RunKey& key : keys_of(grid))
    sum.add(fmt::format("{} {} {}\n", key.dataset.size(), key.dataset, run_text(key)));
  for (std::size_t run = 0; run < grid.runs; ++run) sum.add(fmt::format("{}\n", grid.seed(run)));
  return fmt::format("{}{}\n", kMark, sum.digest());
}

// Visits what a line holds of a run: all numbers but the seed, which the place tells.
template <typename Record, typename Visit>
void visit_numbers(Record& run, Visit&& visit) {
  visit_fields(run, [&](const char*, auto& field) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(field)>>)
      if (static_cast<const void*>(&field) != &run.key.seed) visit(field);
  });
}

// Takes the next cell of a line as a number; returns whether it is one.
template <typename Number>
bool take(std::string_view& line, Number& number) {
  const std::string_view cell = line.substr(0, line.find(','));
  line.remove_prefix(std::min(line.size(), cell.size() + 1));
  if constexpr (std::is_same_v<Number, bool>) {
    number = cell == "true";
    return number || cell == "false";
  } else {
    const auto [end, status] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    return status == std::errc() && end == cell.data() + cell.size();
  }
}

struct PlacedRun {
  std::size_t place = 0;
  RunRecord run;
};

// Returns nothing if the line is none that a journal has.
std::optional<PlacedRun> parse_line(std::string_view line, std::size_t places) {
  PlacedRun one;
  bool good = take(line, one.place) && one.place < places;
  visit_numbers(one.run, [&](auto& number) { good = good && take(line, number); });
  if (!good || !line.empty()) return std::nullopt;
  return one;
}

}  // namespace

RunJournal::RunJournal(const std::filesystem::path& path, const Grid& grid)
    : head_(head_of(grid)), file_(path, KeptFile::Begin::kAppend) {
  take_up(grid);
}

// What follows the last good line is cut off: a kill or a full disk can leave half of one there.
void RunJournal::take_up(const Grid& grid) {
  const std::string text = file_.read_all();
  if (!text.starts_with(head_) && !head_.starts_with(text))
    throw Error(fmt::format("{}: {}; move or remove it", file_.path().string(),
                            text.starts_with(kMark)
                                ? "an earlier bench left its finished runs here; it goes on with "
                                  "the same data, methods and options"
                                : "is in the place of the journal, and is none"));
  has_head_ = text.starts_with(head_);
  std::size_t good = has_head_ ? head_.size() : 0;
  const std::vector<RunKey> keys = keys_of(grid);
  for (std::size_t end = 0; has_head_ && (end = text.find('\n', good)) != std::string::npos;) {
    auto one = parse_line(std::string_view(text).substr(good, end - good), grid.size());
    if (!one) break;
    one->run.key = keys[one->place / grid.runs];
    one->run.key.seed = grid.seed(one->place % grid.runs);
    // A plan may name a seed twice: these are one run, wherever it stands.
    const std::size_t first = one->place - one->place % grid.runs;
    for (std::size_t run = 0; !grid.seeds.empty() && run < grid.runs; ++run)
      if (grid.seed(run) == one->run.key.seed) earlier_.emplace(first + run, one->run);
    earlier_[one->place] = std::move(one->run);
    good = end + 1;
  }
  if (good < text.size()) file_.cut(good);
}

void RunJournal::add(std::size_t index, const RunRecord& run) {
  std::string line = has_head_ ? "" : head_;
  line += fmt::format("{}", index);
  visit_numbers(run, [&](const auto& number) { line += fmt::format(",{}", number); });
  file_.write(line + "\n");
  has_head_ = true;
}

}  // namespace uaspl
