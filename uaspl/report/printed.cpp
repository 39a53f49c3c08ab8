// Puts what the paper prints beside what the runs give, see sheet.hpp. The printed numbers are in
// paper.json, which is part of the program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "uaspl/base/embedded.hpp"
#include "uaspl/report/analysis.hpp"
#include "uaspl/report/sheet.hpp"

namespace uaspl {
namespace {

using Json = nlohmann::json;

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

const Json& paper() {
  static const Json kPaper = Json::parse(embedded_paper().front().text);
  return kPaper;
}

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

// Ranks and best counts depend on who takes part.
bool same_methods(const ResultsTable& table, const Json& printed) {
  std::vector<std::string> theirs;
  for (const Json& row : printed["rows"])
    if (std::ranges::find(theirs, row[1].get<std::string>()) == theirs.end())
      theirs.push_back(row[1].get<std::string>());
  std::vector<std::string> ours = table.methods;
  std::ranges::sort(ours);
  std::ranges::sort(theirs);
  return ours == theirs;
}

// What the runs give for the numbers that the paper prints.
class Ours {
 public:
  Ours(const ResultsTable& table, const Json& printed)
      : table_(table),
        metric_(
            *std::ranges::find(kMetrics, printed["metric"].get<std::string>(), &MetricInfo::name)),
        comparable_(same_methods(table, paper_ranks(printed))) {
    if (!table.complete().empty()) standings_ = table.standings(metric_);
    ablation_ = ablation(table);
  }

  double value(const std::string& dataset, const std::string& method,
               const std::string& quantity) const {
    const std::size_t m = place_of(table_.methods, method);
    if (m == table_.methods.size()) return kNothing;
    if (!dataset.empty()) return of_dataset(dataset, m, quantity);
    if (quantity == "difference" || quantity == "ablation rank") return of_part(method, quantity);
    if (standings_.empty()) return kNothing;
    const Standing& one = standings_[m];
    if (quantity == "mean") return one.mean;
    if (quantity == "deviation") return one.deviation;
    if (!comparable_) return kNothing;
    if (quantity == "rank") return one.rank;
    if (quantity == "best") return static_cast<double>(one.best);
    if (quantity == "deviation rank") return one.deviation_rank;
    return static_cast<double>(one.deviation_best);
  }

 private:
  // A table of a single method has the ranks of its study's first table.
  static const Json& paper_ranks(const Json& printed) {
    for (const Json& one : paper()["tables"])
      if (one["study"] == printed["study"]) return one;
    return printed;
  }

  double of_dataset(const std::string& dataset, std::size_t m, const std::string& quantity) const {
    const std::size_t d = place_of(table_.datasets, dataset);
    const Summary one = d == table_.datasets.size() ? Summary{} : table_.summary(metric_, d, m);
    if (one.count == 0) return kNothing;
    return quantity == "mean" ? one.mean : one.deviation;
  }

  double of_part(const std::string& method, const std::string& quantity) const {
    const auto found = std::ranges::find(ablation_, method, &Ablation::method);
    if (found == ablation_.end()) return kNothing;
    return quantity == "difference" ? found->difference : found->rank;
  }

  const ResultsTable& table_;
  const MetricInfo& metric_;
  bool comparable_;
  std::vector<Standing> standings_;
  std::vector<Ablation> ablation_;
};

int decimals_of(const std::string& quantity) {
  if (quantity.ends_with("best") || quantity == "ablation rank") return 0;
  return quantity.ends_with("rank") ? 2 : 4;
}

Sheet printed_sheet(const ResultsTable& table, const Json& printed) {
  const bool by_dataset = !printed["rows"][0][0].get<std::string>().empty();
  Sheet sheet{
      .name = printed["name"].get<std::string>(),
      .title = printed["title"].get<std::string>(),
      .caption = fmt::format(
          "What the paper prints, what these runs give, and the difference (ours - paper).{} "
          "Ranks and best counts are compared only if the methods are the same.",
          by_dataset ? ""
                     : fmt::format(" Ours over {} data sets, the paper's over 25.",
                                   table.complete().size())),
      .columns = {"method"},
      .rows = {}};
  if (by_dataset) sheet.columns.insert(sheet.columns.begin(), "data set");
  const auto quantities = printed["columns"].get<std::vector<std::string>>();
  for (const std::string& quantity : quantities)
    for (const char* whose : {"paper", "ours", "difference"})
      sheet.columns.push_back(fmt::format("{}: {}", quantity, whose));
  const Ours ours(table, printed);
  bool any = false;
  for (const Json& row : printed["rows"]) {
    const auto dataset = row[0].get<std::string>();
    const auto method = row[1].get<std::string>();
    std::vector<SheetCell> cells;
    if (by_dataset) cells.emplace_back(dataset);
    cells.emplace_back(method);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      const double theirs = row[i + 2].is_number() ? row[i + 2].get<double>() : kNothing;
      const double own = ours.value(dataset, method, quantities[i]);
      const int decimals = decimals_of(quantities[i]);
      any = any || own == own;
      cells.emplace_back(theirs, decimals);
      cells.emplace_back(own, decimals == 0 && own != std::round(own) ? 1 : decimals);
      cells.emplace_back(own - theirs, decimals == 0 && own != std::round(own) ? 1 : decimals,
                         true);
    }
    sheet.rows.push_back(std::move(cells));
  }
  if (!any) sheet.rows.clear();
  if (printed.contains("remarks"))
    sheet.remarks = printed["remarks"].get<std::vector<std::string>>();
  return sheet;
}

}  // namespace

std::vector<Sheet> printed_sheets(const ResultsTable& table, std::string_view study) {
  std::vector<Sheet> all;
  // Other conditions than the paper's would not be comparable.
  if (table.variant != (study == "images" ? "network resnet18" : "")) return all;
  for (const Json& printed : paper()["tables"])
    if (printed["study"] == study) all.push_back(printed_sheet(table, printed));
  std::erase_if(all, [](const Sheet& sheet) { return sheet.rows.empty(); });
  return all;
}

}  // namespace uaspl
