// Finds what imported runs are about, see imported_tasks.hpp.
#include "uaspl/exchange/imported_tasks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/data/split.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/report/results.hpp"
#include "uaspl/study/protocol.hpp"
#include "uaspl/study/run_facts.hpp"

namespace uaspl {
namespace {

// Returns the conditions of a run, for imported runs that stand beside it.
std::string conditions_of(const std::string& configuration) {
  nlohmann::json all = parse_json(configuration);
  if (!all.is_object()) throw Error("the configuration of a stored run is no object");
  all.erase("method");
  all["imported"] = true;
  return all.dump();
}

double test_fraction(const std::string& configuration) {
  const double fraction = number(parse_json(configuration), "test_fraction");
  if (!(fraction > 0.0 && fraction < 1.0))
    throw Error("a stored run tests on all rows, or on none");
  return fraction;
}

std::shared_ptr<const ImportedData> facts_of(const Dataset& data) {
  if (data.is_images()) throw Error("only runs on tables can be imported");
  auto facts = std::make_shared<ImportedData>();
  facts->name = data.name;
  facts->sha256 = content_sha256(data);
  facts->labels = data.labels;
  facts->weights = data.weights;
  facts->classes = data.target.classes;
  for (std::size_t k = 0; k < facts->classes.size(); ++k)
    facts->places[facts->classes[k]] = static_cast<int>(k);
  facts->class_ratio = class_ratio(data.labels);
  return facts;
}

}  // namespace

ImportedTasks::ImportedTasks(std::span<const RunRecord> stored,
                             const std::function<Dataset(const std::string&)>& open)
    : open_(open) {
  const ChosenMethod direct{&find_method("direct"), Settings({})};
  conditions_[""] = conditions_of(configuration(direct, {}));
  std::set<std::string> seen;
  for (const RunRecord& run : stored) {
    stored_[run.key.dataset].insert(run.key.data_sha256);
    if (run.key.is_of_images() || !seen.insert(run.key.configuration).second) continue;
    conditions_.emplace(variant_label(run.key), conditions_of(run.key.configuration));
  }
}

std::shared_ptr<const ImportedData> ImportedTasks::data_of(const ImportedCells& cells) {
  const std::string name = cells.text("dataset");
  if (const auto found = data_.find(name); found != data_.end()) return found->second;
  try {
    const auto facts = facts_of(open_(name));
    const auto known = stored_.find(facts->name);
    if (known != stored_.end() && !known->second.contains(facts->sha256))
      throw Error(fmt::format("the store's runs are on other data of the name '{}'",
                              printable(facts->name)));
    return data_[name] = facts;
  } catch (const Error& error) {
    cells.fail("dataset", error.what());
  }
}

std::string ImportedTasks::configuration_of(const ImportedCells& cells) const {
  const auto found = conditions_.find(cells.text("variant"));
  if (found != conditions_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [label, text] : conditions_) known.push_back("'" + printable(label) + "'");
  cells.fail("variant", fmt::format("the store has no runs under '{}'; it has {}",
                                    printable(cells.text("variant")), fmt::join(known, ", ")));
}

const ImportedTask& ImportedTasks::find(const ImportedCells& cells) {
  const std::pair key{cells.text("dataset"), cells.text("variant")};
  if (const auto found = tasks_.find(key); found != tasks_.end()) return found->second;
  ImportedTask task{.data = data_of(cells), .configuration = configuration_of(cells)};
  task.test_fraction = test_fraction(task.configuration);
  task.test_rows = train_test_split(task.data->labels.size(), task.test_fraction, 0).test.size();
  return tasks_.emplace(key, std::move(task)).first->second;
}

}  // namespace uaspl
