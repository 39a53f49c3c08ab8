// Computes scores of predictions against the truth.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

// `weights` say how much each row counts; without any, all count equally.

// Macro averages run over the classes that occur in the truth or in the predictions; 0/0 counts as
// 0. A truth of -1 stands for a class that the model does not know, a prediction of -1 for none;
// both count as wrong.
struct Metrics {
  double accuracy = 0.0;
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;  // mean of the classes' F1
};

struct ClassScore {
  std::size_t rows = 0;  // rows whose true class it is
  double precision = 0.0;
  double recall = 0.0;
  double f1 = 0.0;
  // Of the class's probability, see Ranking.
  double auroc = std::numeric_limits<double>::quiet_NaN();
  double average_precision = std::numeric_limits<double>::quiet_NaN();
};

// How well a probability ranks the rows of one class before the others: the area under the ROC
// curve (ties count half), and the mean precision over the recall it is reached at (as
// scikit-learn defines it: ties are taken in together).
struct Ranking {
  double auroc;              // NaN without rows of the class, or of others
  double average_precision;  // NaN without rows of the class
};
// Rows whose truth is not the class are the others. Both are NaN if a probability is.
Ranking one_vs_rest(std::span<const int> truth, const Matrix& probabilities, std::size_t k,
                    std::span<const double> weights = {});

// confusion(i, j): rows of class i that were predicted as j. Rows with a truth or prediction of -1
// have no place in it. Only pairs of classes that occur take memory: with many classes, most do
// not.
class Confusion {
 public:
  using Pair = std::pair<std::size_t, std::size_t>;  // true class and prediction
  void add(std::size_t truth, std::size_t predicted) { ++counts_[{truth, predicted}]; }
  std::size_t operator()(std::size_t truth, std::size_t predicted) const {
    const auto found = counts_.find({truth, predicted});
    return found == counts_.end() ? 0 : found->second;
  }
  const std::map<Pair, std::size_t>& counts() const { return counts_; }

 private:
  std::map<Pair, std::size_t> counts_;
};
Confusion confusion_matrix(std::span<const int> truth, std::span<const int> predicted);
std::vector<ClassScore> class_scores(std::span<const int> truth, std::span<const int> predicted,
                                     std::size_t classes, std::span<const double> weights = {});

// The following scores tell how well probabilities and uncertainties fit what is true. A truth that
// is no column of the probabilities is a class that the model does not know. What is NaN in a row
// makes the score NaN, and so does a lack of rows to judge by.

// Returns the mean of -log p(truth), p not below 1e-15; rows without a known class are left out.
double log_loss(std::span<const int> truth, const Matrix& probabilities,
                std::span<const double> weights = {});
// Returns the mean over the rows of the squared differences of probabilities and truth, added up
// over the classes: 0..2. Rows without a known class are left out.
double brier_score(std::span<const int> truth, const Matrix& probabilities,
                   std::span<const double> weights = {});
// Returns the expected calibration error: rows are put into 15 bins of equal width by the likeliest
// class's probability, which is compared with the share of right predictions in each bin (of the
// likeliest class, where a threshold chose the other). Rows without a known class are wrong.
double calibration_error(std::span<const int> truth, std::span<const int> predicted,
                         const Matrix& probabilities, std::span<const double> weights = {});
// Returns how well the uncertainty tells wrong predictions from right ones: the probability that a
// wrong one is more uncertain than a right one, ties counting half (area under the ROC curve). NaN
// if all predictions are right, or all wrong.
double error_auroc(std::span<const int> truth, std::span<const int> predicted,
                   std::span<const float> uncertainties, std::span<const double> weights = {});

// Returns the share of the commonest class: what is reached without looking at the rows.
double majority_share(std::span<const int> truth, std::span<const double> weights = {});
// Returns how many different classes there are.
std::size_t count_classes(std::span<const int> labels);

Metrics score(std::span<const int> truth, std::span<const int> predicted,
              std::span<const double> weights = {});

// Returns the mean recall of the classes that occur in the truth, among which -1 counts as one that
// is never predicted.
double balanced_accuracy(std::span<const int> truth, std::span<const int> predicted,
                         std::span<const double> weights = {});

// Returns the index of the largest logit of each row, the lowest on ties; as in PyTorch, the first
// NaN wins.
std::vector<int> predicted_classes(const Matrix& logits);
int predicted_class(std::span<const float> logits);

}  // namespace uaspl
