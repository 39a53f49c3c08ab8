// What `uaspl bench` prints when the runs are done.
#pragma once

#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/report/stats.hpp"
#include "uaspl/run/experiment.hpp"

namespace uaspl::cli {

// Collects accuracies and oddities for the table and the warnings.
class Overview {
 public:
  void add(const RunRecord& run);

  // A few methods stand beside each other, a line a data set; many stand below each other.
  void print_table(std::FILE* out, std::span<const Dataset> datasets,
                   std::span<const ChosenMethod> chosen) const;
  void print_json(std::FILE* out) const;  // one object a data set and method
  void print_warnings() const;

 private:
  Summary summary(const Dataset& data, const ChosenMethod& method) const;
  void print_by_dataset(std::FILE* out, std::span<const Dataset> datasets,
                        std::span<const ChosenMethod> chosen) const;
  void print_by_method(std::FILE* out, std::span<const Dataset> datasets,
                       std::span<const ChosenMethod> chosen) const;

  std::map<std::pair<std::string, std::string>, std::vector<double>> accuracies_;
  std::map<std::string, std::vector<std::string>> diverged_;
  std::map<std::string, std::vector<std::string>> stalled_;
  std::map<std::string, std::vector<std::string>> unseen_;
};

}  // namespace uaspl::cli
