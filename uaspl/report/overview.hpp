// Summarises the runs of a grid: accuracies, standings, and oddities.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/report/stats.hpp"
#include "uaspl/study/record.hpp"

namespace uaspl {

// A method's place among others, over the data sets that all of them have finished.
struct MethodStanding {
  std::size_t datasets = 0;
  double mean = 0.0;     // of the data sets' mean accuracies
  double rank = 0.0;     // average over the data sets
  std::size_t best = 0;  // number of data sets for which it has, or shares, the best mean
};

class Overview {
 public:
  explicit Overview(std::span<const RunRecord> runs);

  // Returns the accuracy over the runs of a data set and method; its count is 0 if there are none.
  Summary accuracy(const std::string& dataset, const std::string& method) const;
  // Returns the same for all data sets and methods that have runs, by their names.
  const std::map<std::pair<std::string, std::string>, Summary>& accuracies() const {
    return accuracies_;
  }
  std::vector<MethodStanding> standings(std::span<const std::string> datasets,
                                        std::span<const std::string> methods) const;

  // Runs of a method that have a problem, and what it is.
  struct Oddity {
    std::string method;
    std::string what;
    std::vector<std::string> runs;  // data set and seed
  };
  std::vector<Oddity> oddities() const;

 private:
  using RunsByMethod = std::map<std::string, std::vector<std::string>>;
  std::map<std::pair<std::string, std::string>, Summary> accuracies_;
  RunsByMethod diverged_;
  RunsByMethod unseen_;
  RunsByMethod stalled_;
};

}  // namespace uaspl
