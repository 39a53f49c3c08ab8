// Selects runs of a results store.
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
  // A list filters only if it is not empty. Data sets are given by name, or `paper` and `honest`
  // for several; if none are named, those of the study are used.
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
  // Many runs share one configuration, so each is only checked once.
  std::map<std::tuple<std::string, std::string, std::string>, bool> known_;
};

}  // namespace uaspl
