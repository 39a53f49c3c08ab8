// Self-paced learning: which rows a stage takes in, the weights it gives them, and the recipe that
// most methods are made of (loss x score x regulariser x which rows).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "uaspl/method/method.hpp"

namespace uaspl {

// Returns the share of rows in stage t: min(1, first + step * t), in double arithmetic.
double stage_share(int stage, double first = 0.25, double step = 0.15);

// Returns max(1, trunc(share * rows)), in double arithmetic as in the published code.
std::size_t stage_rows(double share, std::size_t rows);

// Returns the number of rows for a class with so many members: max(1, share * members rounded half
// up).
std::size_t stage_rows_of_class(double share, std::size_t members);

// A threshold below this one cannot tell rows apart.
constexpr double kTinyThreshold = 1e-12;

struct SelectedRows {
  std::vector<int> rows;  // ascending
  double threshold;       // between the hardest row inside and the easiest outside
};

// Returns the `count` rows of lowest score, ties by index, in linear time. Scores that are not a
// number count as the hardest.
SelectedRows easiest(std::span<const float> scores, std::size_t count);

// Weight of a selected row from its score and the stage's threshold, 0..1.
using Regulariser = std::function<double(double score, double threshold)>;
double hard_weight(double score, double threshold);    // Kumar et al. 2010
double linear_weight(double score, double threshold);  // Jiang et al. 2014
// Zhao et al. 2015 with lambda = sqrt(threshold) and gamma = ratio * lambda.
Regulariser mixture_weight(double gamma_ratio);

// Returns the weights of the selected rows; all 1 if the threshold cannot tell rows apart.
std::vector<float> stage_weights(const SelectedRows& selection, std::span<const float> scores,
                                 const Regulariser& regulariser);

using StageLoss = std::function<Loss(const Stage&)>;
using PassLoss = std::function<Loss(const Stage&, int pass)>;
using Score = std::function<std::vector<float>(const Stage&, const Probe&)>;  // low = easy

// A factor for the weight of every training row, whatever the stage.
using RowWeights = std::function<std::vector<float>(const Probe&)>;

// Returns how many of the rows with these labels a stage takes in; scores decide which.
std::size_t taken_rows(Selection take, double share, std::span<const int> labels);

struct Recipe {
  StageLoss loss;
  Score score = nullptr;  // if empty, the method's own loss
  Regulariser regulariser = hard_weight;
  Selection take = Selection::kEasiest;  // kAll: no scores, all weights 1
  RowWeights weights = nullptr;
  float dropout = 0.0F;  // in the steps
  Needs needs = {};
  PassLoss loss_of_pass = nullptr;  // if empty, the loss of the stage
};

std::unique_ptr<Method> paced(Recipe recipe);

}  // namespace uaspl
