// Gives a method read-only access to a run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/base/saved_state.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/method/history.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

// Results that depend on the training rows and the pre-trained network alone, computed by the first
// method that asks and kept for the others.
class Memo {
 public:
  // Throws if the result has another number of columns: it was loaded, and is of another run.
  std::shared_ptr<const DoubleMatrix> get(const std::string& key, std::size_t columns,
                                          const std::function<DoubleMatrix()>& compute);

  void save(SavedState& numbers) const;
  void load(const SavedState& numbers, std::size_t rows);  // rows of each result

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const DoubleMatrix>> kept_;
};

// The rows that a network is trained on; methods refer to them by their positions 0..n-1 in here.
struct TrainingSet {
  const Inputs* inputs = nullptr;
  std::span<const int> rows;    // rows of the inputs
  std::span<const int> labels;  // of those rows, 0..classes-1
  std::size_t classes = 0;
  const PredictionHistory* pretraining = nullptr;  // of those rows, if recorded
  Memo* memo = nullptr;                            // shared by the methods of these rows
  // Rows to judge the others by, for methods that need them; they are split off if none are given.
  std::span<const int> meta_rows = {};
  std::span<const int> meta_labels = {};
  // How much the rows count, with mean 1; none: all the same. They multiply the weights that the
  // method gives the rows in a step, while scores and selection ignore them.
  std::span<const float> weights = {};
  std::span<const float> meta_weights = {};  // in the loss by which the meta rows judge
};

// One step: its rows by position, and the rows that may judge it.
struct Visit {
  std::span<const int> positions;
  const Step& step;
  View view = {};
  std::span<const int> meta = {};  // places among the meta rows; none: all of them
};

// A view of the run, valid while the network stays as it is: during begin_stage, weigh or
// after_step.
class Probe {
 public:
  Probe(const Network& network, const TrainingSet& set, std::uint64_t seed = 0,
        const View& view = {})
      : network_(network), set_(set), seed_(seed), view_(view) {}

  std::size_t rows() const { return set_.rows.size(); }
  std::size_t classes() const { return set_.classes; }
  std::span<const int> labels() const { return set_.labels; }
  std::vector<int> labels_at(std::span<const int> positions) const;
  // How much the rows at these positions count (TrainingSet::weights).
  std::vector<float> weights_at(std::span<const int> positions) const;
  std::span<const int> data_rows() const { return set_.rows; }  // in the data

  // Logits of all training rows under the present weights; computed at the first call.
  const Matrix& logits() const;
  // Returns the logits of the rows at these positions.
  Matrix logits_at(std::span<const int> positions) const;
  // Returns a loss of all training rows.
  std::vector<float> losses(const Loss& loss) const;
  // Returns the logits with dropout.
  Matrix sampled_logits(float dropout, std::uint64_t seed) const;
  Matrix features() const;  // of rows without augmentation, whatever the view

  // Returns d (mean loss of the visit's meta rows, as much as they count, after a plain step of its
  // rate) / d (factor of each row in that step's loss). `step_gradient` is the gradient of the
  // step's loss, factors included.
  std::vector<float> weight_influence(const Visit& visit, const LogitGradient& step_gradient,
                                      const Loss& loss) const;

  // A random stream of the run, by name.
  Stream stream(std::string_view name, std::uint64_t a = 0, std::uint64_t b = 0) const {
    return {seed_, name, a, b};
  }

  // Returns the predictions of the rows in the pre-training; empty histories if they were not
  // recorded.
  PredictionHistory pretraining() const {
    return set_.pretraining ? *set_.pretraining : PredictionHistory(rows());
  }

  // Returns a result of so many columns for each row that is computed by the first method of this
  // training set that asks for it.
  std::shared_ptr<const DoubleMatrix> once(const std::string& key, std::size_t columns,
                                           const std::function<DoubleMatrix()>& compute) const;

 private:
  const Network& network_;
  const TrainingSet& set_;
  std::uint64_t seed_;
  View view_;  // of logits
  mutable std::optional<Matrix> logits_;
};

}  // namespace uaspl
