// Which runs of a results store are asked for.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "uaspl/study/record.hpp"
#include "uaspl/study/study.hpp"

namespace uaspl {

class RunFilter {
 public:
  // Each where it is not empty. Data sets by name, or `paper` and `honest` for several; of a study,
  // its data sets where none are named.
  RunFilter(const std::vector<std::string>& methods, const std::vector<std::string>& datasets,
            std::optional<Study> study);

  bool takes(const RunKey& key);

 private:
  void add_datasets(const std::vector<std::string>& names);
  bool in_study(const RunKey& key) const;

  std::set<std::string> methods_;
  std::set<std::string> datasets_;
  std::optional<Study> study_;
  std::vector<ChosenMethod> study_methods_;
  // Many runs have one configuration: it is looked at once.
  std::map<std::tuple<std::string, std::string, std::string>, bool> known_;
};

}  // namespace uaspl
