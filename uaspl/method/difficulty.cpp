// Self-paced learning by how hard rows were in the pre-training, once and for all: by EL2N, by
// forgetting and by the area under the margin.
#include <numeric>

#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

// Returns the predictions of the pre-training; if there was none, those of the network as it is.
PredictionHistory past(const Probe& probe) {
  PredictionHistory history = probe.pretraining();
  if (history.rows() > 0 && history.visits(0) > 0) return history;
  std::vector<int> all(probe.rows());
  std::iota(all.begin(), all.end(), 0);
  history.add(all, probe.logits(), probe.labels());
  return history;
}

// The score is shared by all stages, and found once: at the first, before the network changes.
std::unique_ptr<Method> by_past(std::string name,
                                double (*score)(const PredictionHistory&, std::size_t row)) {
  return paced({.loss = softmax_loss, .score = [=](const Stage&, const Probe& probe) {
                  const auto kept = probe.once(name, 1, [&] {
                    const PredictionHistory history = past(probe);
                    DoubleMatrix scores(probe.rows(), 1);
                    for (std::size_t i = 0; i < scores.rows(); ++i)
                      scores(i, 0) = score(history, i);
                    return scores;
                  });
                  return std::vector<float>(kept->values().begin(), kept->values().end());
                }});
}

}  // namespace

std::unique_ptr<Method> make_el2n(const Settings&) {
  return by_past("el2n", [](const PredictionHistory& history, std::size_t row) {
    return history.distance(row);
  });
}

std::unique_ptr<Method> make_forgetting(const Settings&) {
  return by_past("forgetting", [](const PredictionHistory& history, std::size_t row) {
    return static_cast<double>(history.forgotten(row));
  });
}

std::unique_ptr<Method> make_aum(const Settings&) {
  return by_past("aum", [](const PredictionHistory& history, std::size_t row) {
    return -history.margin(row);
  });
}

}  // namespace uaspl
