// The interface of methods: a method decides which rows enter a stage, with which weights, and
// which loss they are trained on.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "uaspl/base/matrix.hpp"
#include "uaspl/base/saved_state.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/method/probe.hpp"
#include "uaspl/net/network.hpp"

namespace uaspl {

struct Stage {
  int index;                         // t = 0..count-1
  int count;                         // T
  double share;                      // share of the training rows that self-paced methods take
  int passes = 0;                    // that are made at most
  bool naive_cross_entropy = false;  // where a loss is the cross-entropy
};

// Rows of a stage, by ascending position, and their weights.
struct StageRows {
  std::vector<int> rows;
  std::vector<float> weights;
  float dropout = 0.0F;  // rate in the steps of the stage
};

// What a method requires of the network and of the data.
struct Needs {
  Abilities network = {};
  double meta_fraction = 0.0;  // share of training rows kept apart to judge the others
};

// Which rows the stages of a method take in.
enum class Selection { kEasiest, kEasiestOfEachClass, kAll };

class Method {
 public:
  virtual ~Method() = default;
  virtual Needs needs() const { return {}; }
  virtual Selection take() const { return Selection::kAll; }
  virtual Loss loss(const Stage& stage) const = 0;
  // Returns the loss of one pass of a stage, if it is not that of the whole stage.
  virtual std::optional<Loss> loss_of_pass(const Stage&, int /*pass*/) const { return {}; }
  virtual StageRows begin_stage(const Stage& stage, const Probe& probe) = 0;

  // Returns the share of the rows that a stage takes in, as far as it is known.
  virtual double share(const Stage& stage) const { return stage.share; }

  // A method that paces itself ends its stages when it wants and takes as many as it wants, from
  // one budget of passes: as many as all stages of other methods have together.
  virtual bool paces_itself() const { return false; }
  // Returns how many passes such a stage may make of those that are left; asked after begin_stage.
  virtual int most_passes(const Stage&, int left) const { return left; }
  // Asked after each pass of such a stage, with the mean losses of all its passes.
  virtual bool ends_stage(const Stage&, std::span<const double> /*losses*/) const { return false; }

  // Returns the logits that every row is to have. Asked of methods that need a network with
  // constant answers: they learn nothing from the rows' values, and their stages have no steps.
  virtual std::vector<float> constant_logits(const Probe&) const { return {}; }

  // Called before each step: may change the weights that begin_stage gave to the rows.
  virtual void weigh(const Visit&, const Probe&, std::span<float> /*weights*/) {}
  // Called after each step, with the logits that its rows had before it.
  virtual void after_step(const Visit&, const Probe&, const Matrix& /*logits*/) {}

  // Called between stages: saves what the method remembers of them, so that a fit can go on in
  // another process with the same number of rows.
  virtual void save(SavedState&) const {}
  virtual void load(const SavedState&, std::size_t /*rows*/) {}
};

}  // namespace uaspl
