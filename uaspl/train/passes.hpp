// Makes passes over the rows of one stage.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "uaspl/train/trainer.hpp"

namespace uaspl {

// All that stays the same during a fit.
struct Fit {
  Network& network;
  Method& method;
  const TrainingSet& set;
  const Training& training;
  Observer* observer;

  // Returns a probe of the network when the stage begins. Scores use the same view as training.
  Probe probe_before(int stage) const;
};

class Passes {
 public:
  // `earlier`: how many passes the stages before this one made.
  Passes(const Fit& fit, const StageRows& chosen, const Loss& loss, const Stage& stage,
         int earlier = 0);

  // Returns the mean loss before the updates of this pass; nothing if the observer stopped it.
  std::optional<double> run(int pass);

 private:
  // The rows of one step, as the method, the network and the loss need them.
  struct Rows {
    std::vector<int> positions;
    std::vector<float> weights;  // of the method
    std::vector<float> counts;   // how much the rows count; none: all the same
    std::vector<int> rows;
    std::vector<int> labels;
  };

  std::size_t end_of_step(std::size_t first) const;
  void fill(Rows& step, std::size_t first) const;
  double update(Rows& rows, int pass, std::size_t first);
  Step step(int pass, std::size_t first) const;
  double rate_share(int pass) const;
  double cosine_share(int pass, std::size_t first) const;
  View view(int pass) const;
  std::span<const int> meta(int pass, std::size_t first);

  const Fit& fit_;
  const StageRows& chosen_;
  const Loss& loss_;
  std::optional<Loss> pass_loss_;  // of the present pass, if not that of the stage
  Stage stage_;
  int earlier_;
  std::size_t size_;        // number of rows of a step, but see end_of_step
  std::vector<int> order_;  // order of the present pass, as places among the chosen rows
  Rows now_;
  Rows next_;
  std::vector<int> meta_;
  std::vector<float> losses_;
  Matrix logits_;
};

}  // namespace uaspl
