// Counts whether losses have the order that the paper claims, see sheet.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "uaspl/report/sheet.hpp"

namespace uaspl {
namespace {

constexpr const char* kClaim =
    "The paper's claim is that the mean losses of four groups of training rows, when a round "
    "begins, are in this order: right and sure < right and unsure < wrong and unsure < wrong and "
    "sure. Sure: an uncertainty of at most the median of all rows.";

// The three steps of the order, for columns.
constexpr const char* kSteps[] = {"right: sure < unsure", "unsure: right < wrong",
                                  "wrong: unsure < sure"};

// How often something holds where it can be told.
struct Share {
  std::size_t known = 0;
  std::size_t holds = 0;
  void add(bool hold) {
    ++known;
    holds += hold ? 1 : 0;
  }
  double value() const {
    return known == 0 ? std::numeric_limits<double>::quiet_NaN()
                      : static_cast<double>(holds) / static_cast<double>(known);
  }
};

struct OrderCount {
  std::size_t stages = 0;  // that have recorded groups
  Share whole;             // of the stages that have all four groups
  std::array<Share, 3> steps;

  void add(const StageRecord& stage) {
    const auto groups = stage.groups.in_order();
    std::size_t rows = 0;
    for (const RowGroup* group : groups) rows += group->rows;
    if (rows == 0) return;  // of an older program
    ++stages;
    bool all = true;
    bool ordered = true;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (groups[i]->rows == 0 || groups[i + 1]->rows == 0) {
        all = false;
        continue;
      }
      const bool holds = groups[i]->loss < groups[i + 1]->loss;
      steps[i].add(holds);
      ordered = ordered && holds;
    }
    if (all) whole.add(ordered);
  }

  std::vector<SheetCell> cells() const {
    std::vector<SheetCell> all{{static_cast<double>(stages), 0},
                               {static_cast<double>(whole.known), 0},
                               {whole.value(), 3}};
    for (const Share& step : steps) all.emplace_back(step.value(), 3);
    return all;
  }
};

// The paper claims it of its own loss.
bool is_claimed(const std::string& method) { return method.starts_with("uaspl"); }

bool has_claim(const ResultsTable& table) { return std::ranges::any_of(table.methods, is_claimed); }

std::vector<std::string> columns(std::string second) {
  return {"method",      std::move(second), "stages",  "with four groups",
          "order holds", kSteps[0],         kSteps[1], kSteps[2]};
}

void add_row(Sheet& sheet, const std::string& method, const std::string& second,
             const OrderCount& count) {
  if (count.stages == 0) return;
  std::vector<SheetCell> row{method, second};
  for (const SheetCell& cell : count.cells()) row.push_back(cell);
  sheet.rows.push_back(std::move(row));
}

}  // namespace

Sheet ordering_sheet(const ResultsTable& table) {
  Sheet sheet{.name = "ordering",
              .title = "The order of right and wrong, sure and unsure rows",
              .caption = fmt::format(
                  "{} Share of runs where it holds as a whole, among those that have all four "
                  "groups, and of each of its steps, among those that have both groups. Methods "
                  "with another loss are shown for comparison.",
                  kClaim),
              .columns = columns("round"),
              .rows = {}};
  if (!has_claim(table)) return sheet;
  for (std::size_t m = 0; m < table.methods.size(); ++m) {
    OrderCount all;
    std::vector<OrderCount> rounds;
    for (std::size_t d = 0; d < table.datasets.size(); ++d)
      for (const RunRecord* run : table.runs(d, m))
        for (std::size_t t = 0; t < run->stages.size(); ++t) {
          if (rounds.size() <= t) rounds.resize(t + 1);
          rounds[t].add(run->stages[t]);
          all.add(run->stages[t]);
        }
    for (std::size_t t = 0; t < rounds.size(); ++t)
      add_row(sheet, table.methods[m], fmt::format("{}", t + 1), rounds[t]);
    add_row(sheet, table.methods[m], "all", all);
  }
  return sheet;
}

Sheet ordering_by_dataset_sheet(const ResultsTable& table) {
  Sheet sheet{.name = "ordering-datasets",
              .title = "The same order on each data set",
              .caption = fmt::format("{} Over all rounds of all runs.", kClaim),
              .columns = columns("data set"),
              .rows = {}};
  if (!has_claim(table)) return sheet;
  for (std::size_t m = 0; m < table.methods.size(); ++m)
    for (std::size_t d = 0; is_claimed(table.methods[m]) && d < table.datasets.size(); ++d) {
      OrderCount count;
      for (const RunRecord* run : table.runs(d, m))
        for (const StageRecord& stage : run->stages) count.add(stage);
      add_row(sheet, table.methods[m], table.datasets[d], count);
    }
  return sheet;
}

}  // namespace uaspl
