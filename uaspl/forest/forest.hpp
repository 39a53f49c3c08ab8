// A forest of randomised trees whose leaves hold the weights of the training rows of each class:
// what they say together of a row is an opinion with evidence.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/forest/column_bins.hpp"
#include "uaspl/forest/tree.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

// What a forest says of some rows. The evidence for class k is amount * probability k, so that
// 1 + evidence are the parameters of a Dirichlet distribution; its likeliest class is that of the
// probabilities.
struct ForestOpinions {
  Matrix probabilities;
  std::vector<float> amounts;
};

constexpr std::size_t kMostTrees = 10000;
constexpr std::size_t kMostTreeDepth = 128;
constexpr std::size_t kMostForestClasses = 10000;

// Const functions may be called from any number of threads at once.
class Forest {
 public:
  // Throws an Error if a tree cannot be walked by rows of these columns, or a number is impossible.
  Forest(std::vector<ColumnBins> columns, std::size_t classes, std::vector<Tree> trees);

  std::size_t classes() const { return classes_; }
  const std::vector<ColumnBins>& columns() const { return columns_; }
  const std::vector<Tree>& trees() const { return trees_; }

  // The evidence of a row is this times the mean weight of the leaves that it falls into.
  double evidence_scale() const { return evidence_scale_; }
  void set_evidence_scale(double scale);

  // A row has one value for each column. An answer depends on its row alone.
  ForestOpinions predict(const DoubleMatrix& rows, Workers* workers = nullptr) const;
  // Does the same for some rows, each by the trees for which `asked(tree, row number)` is true; a
  // row that no tree is asked about has equal probabilities and no evidence.
  using Asked = std::function<bool(std::size_t tree, std::size_t row)>;
  ForestOpinions predict(const DoubleMatrix& rows, std::span<const int> numbers, const Asked& asked,
                         Workers* workers = nullptr) const;

  // As named tensors, for the file of a model; load() checks all that it reads.
  State save() const;
  static Forest load(const State& state);

 private:
  class Block;
  template <typename RowNumber>
  ForestOpinions predict_all(const DoubleMatrix& rows, std::size_t count, const RowNumber& number,
                             const Asked* asked, Workers* workers) const;

  std::vector<ColumnBins> columns_;
  std::size_t classes_;
  std::vector<Tree> trees_;
  bool has_categories_ = false;
  double evidence_scale_ = 1.0;
};

}  // namespace uaspl
