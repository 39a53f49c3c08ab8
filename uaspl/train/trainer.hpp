// The one training loop: it joins network, loss and method.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "uaspl/method/history.hpp"
#include "uaspl/method/method.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct Training {
  int stages = 6;
  double first_share = 0.25;
  double share_step = 0.15;
  int passes = 150;  // over the rows of a stage; at full batch, a pass is one step
  std::vector<int> stage_passes = {};  // of each stage, where they differ; else empty
  std::size_t batch = 0;               // rows of a step; 0 is all rows of the stage at once
  double stop_below = 1e-4;            // mean loss of a pass that ends its stage
  Step step;
  std::uint64_t seed = 0;  // of shuffling, dropout masks, views, methods' draws and the meta rows
  // The rate is divided by 10 when so many stages are left, the present one included.
  std::vector<int> rate_falls = {};
  // The rate falls as half a cosine, from the first pass of the pre-training to the last of the
  // stages.
  bool cosine = false;
  int earlier_passes = 0;         // those of the pre-training, for the cosine
  bool augmented = false;         // training and scoring see random views of the rows
  std::size_t meta_of_class = 0;  // rows of each class kept apart at most; 0: the method's share
  std::size_t meta_batch = 0;     // meta rows that judge a step; 0: all
  bool carry_momentum = false;    // stages begin with the pre-training's momentum
  // Every cross-entropy, that of the pre-training included, is computed as minus the log of the
  // softmax in float (cross_entropy.hpp).
  bool naive_cross_entropy = false;
};

// Returns the passes of a stage, and of all stages together.
int passes_of_stage(const Training& training, int stage);
int passes_of_stages(const Training& training);

struct StageTrace {
  int stage = 0;
  std::size_t selected = 0;
  int passes = 0;
  double first_loss = 0.0;  // mean over the selected rows, before the first update
  double last_loss = 0.0;   // the same before the last update
  // Rows without any evidence have no gradient under relu evidence.
  std::size_t dead = 0;   // dead training rows when the stage begins
  std::size_t stuck = 0;  // selected rows that are dead when the stage begins and at its end
};

// Above this share of stuck rows in the last stage, learning has stalled because rows lack
// evidence.
constexpr double kStalledShare = 0.05;

class CheckpointFile;  // checkpoint.hpp

struct FitReport {
  std::vector<StageTrace> stages;
  bool diverged = false;  // some loss was not finite; the run is kept as it is
  bool stalled = false;
  bool stopped = false;  // by the observer
  double seconds = 0.0;  // including those before an interruption
};

// Watches a fit; an observer overrides the functions that it needs.
class Observer {
 public:
  virtual ~Observer() = default;
  // Called before the stages of a method with what is trained. Both arguments outlive the stages.
  virtual void on_start(const Network&, const Method&) {}
  virtual void on_step(const Visit&, std::span<const float> /*weights*/) {}
  virtual void on_pass(int /*stage*/, int /*pass*/, double /*loss*/) {}
  virtual void on_stage_start(const Stage&, const Probe&, const StageRows&) {}
  virtual void on_stage_end(const StageTrace&, const Probe& /*after*/) {}
  virtual bool stop() { return false; }  // asked before every step
  // Called by methods without stages, of which the share 0..1 is done.
  virtual void on_progress(double /*done*/) {}
  // Called between stages: saves what the observer remembers of them.
  virtual void save(SavedState&) const {}
  virtual void load(const SavedState&) {}
};

struct Pretraining {
  PredictionHistory history;  // predictions of the rows in each pass
  bool stopped = false;       // by the observer
  double seconds = 0.0;
};

// Trains with cross-entropy on all rows, without self-pacing and without early stop; the observer
// sees stage -1. If the checkpoint file exists, the result is read from it, and otherwise written
// to it.
Pretraining pretrain(Network& network, const TrainingSet& set, int passes, const Training& training,
                     Observer* observer = nullptr, const CheckpointFile* checkpoint = nullptr);

// Returns how many rows the steps of a fit will see if no stage ends early. A row that is seen
// twice counts twice.
double planned_visits(const Training& training, const Method& method, std::size_t rows);

// Throws, with a reason, if a method needs what the network or the rows cannot give.
void check_needs(const Needs& needs, const Network& network, std::size_t rows,
                 std::string_view method = "this method");

// Trains the stages of a method. The network's momentum should be empty, as in a clone, or that of
// the pre-training, if it is carried over. If the method needs meta rows and the set has none, they
// are split off by the training's seed. With a checkpoint file, the stages saved in it are not
// trained again, and every stage is saved when it ends.
FitReport fit(Network& network, Method& method, const TrainingSet& set, const Training& training,
              Observer* observer = nullptr, const CheckpointFile* checkpoint = nullptr);

}  // namespace uaspl
