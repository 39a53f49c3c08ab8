// A committee of networks and forests, see committee.hpp.
#include "uaspl/train/committee.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "uaspl/base/pick.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/model/readout.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/fusion.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kFewRows = 600;

std::size_t folds_for(std::span<const int> labels, std::size_t classes, std::size_t wanted) {
  std::vector<std::size_t> members(classes);
  for (const int label : labels) ++members[static_cast<std::size_t>(label)];
  std::erase(members, std::size_t{0});
  const std::size_t usual = labels.size() <= kFewRows ? 8 : 5;
  return std::max<std::size_t>(2, std::min(wanted > 0 ? wanted : usual, std::ranges::min(members)));
}

// How long a network is trained on so many rows, and with which batches.
struct Schedule {
  std::size_t batch;
  int passes;       // of all
  int pretraining;  // the first of them: cross-entropy on all rows
  int paced;        // of each of the three stages with the easiest rows of each class

  Schedule(std::size_t rows, int steps) {
    batch = std::clamp<std::size_t>(rows / 4, 16, 256);
    const double steps_of_pass =
        std::max(1.0, std::round(static_cast<double>(rows) / static_cast<double>(batch)));
    passes = std::max(30, static_cast<int>(std::ceil(steps / steps_of_pass)));
    pretraining = std::max(1, static_cast<int>(std::lround(0.03 * passes)));
    paced = std::max(1, static_cast<int>(std::lround(0.05 * (passes - pretraining))));
  }

  Training training(const NetworkExpert& expert, std::uint64_t seed) const {
    Training result;
    result.stages = 4;
    result.first_share = 0.7;
    result.share_step = 0.1;
    result.stage_passes = {paced, paced, paced, passes - pretraining - 3 * paced};
    result.batch = batch;
    result.stop_below = 0.0;
    result.step = {.optimiser = Optimiser::kAdamW,
                   .rate = expert.rate,
                   .momentum = 0.9F,
                   .second_keep = 0.95F,
                   .decay = expert.decay,
                   .dropout = expert.dropout};
    result.seed = seed;
    result.cosine = true;
    result.earlier_passes = pretraining;
    return result;
  }
};

// Keeps the weights of a network at some moments of its training, and what it then says of rows.
class Moments final : public Observer {
 public:
  Moments(const Network& network, const Inputs& inputs, std::span<const int> judged,
          std::vector<int> after_passes, const std::function<bool()>& stop)
      : network_(network),
        inputs_(inputs),
        judged_(judged),
        after_(std::move(after_passes)),
        stop_(stop) {}

  void on_pass(int, int, double) override {
    ++passes_;
    while (weights.size() < after_.size() && after_[weights.size()] <= passes_) {
      weights.push_back(network_.save());
      const Predictions said = read_out(network_.logits({inputs_, judged_}), {Evidence::kExp});
      probabilities.push_back(said.probabilities);
    }
  }
  bool stop() override { return stop_ && stop_(); }

  std::vector<State> weights;
  std::vector<Matrix> probabilities;

 private:
  const Network& network_;
  const Inputs& inputs_;
  std::span<const int> judged_;
  std::vector<int> after_;
  const std::function<bool()>& stop_;
  int passes_ = 0;
};

struct TrainedMember {
  std::vector<State> weights;         // at each moment
  std::vector<Matrix> probabilities;  // of the rows of its fold
};

class Assembly {
 public:
  Assembly(const CommitteeRows& rows, const CommitteeOptions& options)
      : rows_(rows),
        options_(options),
        method_(choose_methods(std::vector<std::string>{options.method}).front()),
        workers_(options.threads),
        folds_(folds_for(rows.labels, rows.classes, options.folds)),
        fold_(stratified_folds(rows.labels, rows.classes, folds_, options.seed)) {}

  std::optional<Committee> run() {
    Committee committee;
    committee.folds = folds_;
    for (const NetworkExpert& expert : options_.networks) encode(expert, committee);
    if (!train_networks()) return std::nullopt;
    if (!grow_forests(committee)) return std::nullopt;
    committee.novelty = fit_novelty(rows_.inputs, rows_.level, rows_.categories, options_.seed);
    fuse(committee);
    return committee;
  }

 private:
  std::vector<int> rows_where(const auto& wanted) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < fold_.size(); ++i)
      if (wanted(fold_[i])) result.push_back(static_cast<int>(i));
    return result;
  }

  void encode(const NetworkExpert& expert, Committee& committee) {
    committee.scalings.push_back(fit_rich_scaling(rows_.inputs, rows_.level, expert.encoding));
    const RichScaling& scaling = committee.scalings.back();
    Matrix encoded(rows_.inputs.rows(), scaling.width());
    for (std::size_t i = 0; i < encoded.rows(); ++i)
      scaling.apply(rows_.inputs.row(i), encoded.row(i));
    inputs_.emplace_back(std::move(encoded));
  }

  TrainedMember train_member(std::size_t expert, std::size_t fold) const {
    const NetworkExpert& kind = options_.networks[expert];
    const std::vector<int> train = rows_where([&](int f) { return std::cmp_not_equal(f, fold); });
    const std::vector<int> judged = rows_where([&](int f) { return std::cmp_equal(f, fold); });
    const std::vector<int> labels = pick(rows_.labels, train);
    const std::uint64_t seed = Stream(options_.seed, "committee", expert, fold).word();
    const Schedule schedule(train.size(), kind.steps);
    const Training training = schedule.training(kind, seed);
    Mlp network({inputs_[expert].matrix().cols(), options_.hidden, rows_.classes},
                static_cast<std::uint32_t>(seed));
    std::vector<int> after;
    for (const double moment : options_.moments)
      after.push_back(std::max(schedule.pretraining + 1,
                               static_cast<int>(std::lround(moment * schedule.passes))));
    Moments moments(network, inputs_[expert], judged, std::move(after), options_.stop);
    TrainingSet set{&inputs_[expert], train, labels, rows_.classes};
    const Pretraining before = pretrain(network, set, schedule.pretraining, training, &moments);
    set.pretraining = &before.history;
    if (!before.stopped) fit(network, *method_.make(), set, training, &moments);
    return {std::move(moments.weights), std::move(moments.probabilities)};
  }

  bool stopped() const { return options_.stop && options_.stop(); }

  bool train_networks() {
    const std::size_t count = options_.networks.size() * folds_;
    trained_.resize(count);
    workers_.run(count, [&](std::size_t task, std::size_t) {
      if (stopped()) return;
      trained_[task] = train_member(task / folds_, task % folds_);
      const std::lock_guard lock(mutex_);
      ++done_;
      if (options_.progress)
        options_.progress(static_cast<double>(done_) / static_cast<double>(count + 1));
    });
    return !stopped();
  }

  bool grow_forests(Committee& committee) {
    const ForestData data{rows_.cells, rows_.columns, rows_.labels, rows_.classes};
    for (const ForestKind kind : options_.forests) {
      ForestOptions forest{.kind = kind,
                           .trees = options_.trees,
                           .seed = Stream(options_.seed, "forest").word(),
                           .stop = options_.stop};
      std::vector<int> all(fold_.size());
      std::iota(all.begin(), all.end(), 0);
      Matrix judged(fold_.size(), rows_.classes);
      if (kind == ForestKind::kRandom) {
        auto fitted = fit_forest(data, all, forest, workers_);
        if (!fitted) return false;
        judged = std::move(fitted->out_of_bag->probabilities);
        committee.forests.push_back({std::move(fitted->forest), 0});
      } else {
        for (std::size_t f = 0; f < folds_; ++f) {
          const auto fitted = fit_forest(
              data, rows_where([&](int g) { return std::cmp_not_equal(g, f); }), forest, workers_);
          if (!fitted) return false;
          const auto out = rows_where([&](int g) { return std::cmp_equal(g, f); });
          const ForestOpinions said = fitted->forest.predict(
              rows_.cells, out, [](auto, auto) { return true; }, &workers_);
          for (std::size_t i = 0; i < out.size(); ++i)
            std::ranges::copy(said.probabilities.row(i),
                              judged.row(static_cast<std::size_t>(out[i])).begin());
        }
        auto fitted = fit_forest(data, all, forest, workers_);
        if (!fitted) return false;
        committee.forests.push_back({std::move(fitted->forest), 0});
      }
      forest_said_.push_back(std::move(judged));
    }
    return true;
  }

  // What a candidate, a kind of network at a moment or a forest, says of each row.
  Matrix said(std::size_t candidate) const {
    const std::size_t moments = options_.moments.size();
    const std::size_t networks = options_.networks.size() * moments;
    if (candidate >= networks) return forest_said_[candidate - networks];
    const std::size_t expert = candidate / moments;
    Matrix all(fold_.size(), rows_.classes);
    std::vector<std::size_t> next(folds_);
    for (std::size_t i = 0; i < fold_.size(); ++i) {
      const auto fold = static_cast<std::size_t>(fold_[i]);
      const Matrix& own = trained_[expert * folds_ + fold].probabilities[candidate % moments];
      std::ranges::copy(own.row(next[fold]++), all.row(i).begin());
    }
    return all;
  }

  void fuse(Committee& committee) {
    const std::size_t moments = options_.moments.size();
    const std::size_t networks = options_.networks.size() * moments;
    std::vector<Candidate> candidates(networks + forest_said_.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Matrix all = said(c);
      candidates[c].expert = c < networks ? c / moments : options_.networks.size() + c - networks;
      for (std::size_t i = 0; i < fold_.size(); ++i)
        candidates[c].label_probability.push_back(
            all(i, static_cast<std::size_t>(rows_.labels[i])));
    }
    const Votes votes = greedy_votes(candidates, {}, options_.further_votes);
    const int sum = std::accumulate(votes.counts.begin(), votes.counts.end(), 0);
    DoubleMatrix mean(fold_.size(), rows_.classes);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (votes.counts[c] == 0) continue;
      const Matrix all = said(c);
      const double share = static_cast<double>(votes.counts[c]) / sum;
      for (std::size_t at = 0; at < mean.values().size(); ++at)
        mean.values()[at] += share * static_cast<double>(all.values()[at]);
      if (c >= networks) {
        committee.forests[c - networks].votes = votes.counts[c];
        continue;
      }
      for (std::size_t f = 0; f < folds_; ++f)
        committee.members.push_back(
            {c / moments, std::move(trained_[c / moments * folds_ + f].weights[c % moments]),
             votes.counts[c]});
    }
    std::erase_if(committee.forests, [](const CommitteeForest& one) { return one.votes == 0; });
    std::vector<double> known;
    for (std::size_t i = 0; i < fold_.size(); ++i)
      known.push_back(committee.novelty->known(rows_.inputs.row(i)));
    committee.calibration = fit_calibration({mean, rows_.labels, known});
    for (std::size_t i = 0; i < mean.rows(); ++i)
      sharpen(mean.row(i), committee.calibration.temperature);
    committee.out_of_fold = {std::move(mean), fold_};
  }

  const CommitteeRows& rows_;
  const CommitteeOptions& options_;
  ChosenMethod method_;
  Workers workers_;
  std::size_t folds_;
  std::vector<int> fold_;
  std::vector<Inputs> inputs_;          // of each kind of network
  std::vector<TrainedMember> trained_;  // by kind, then fold
  std::vector<Matrix> forest_said_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

std::vector<int> stratified_folds(std::span<const int> labels, std::size_t classes,
                                  std::size_t folds, std::uint64_t seed) {
  std::vector<std::vector<int>> members(classes);
  for (std::size_t i = 0; i < labels.size(); ++i)
    members[static_cast<std::size_t>(labels[i])].push_back(static_cast<int>(i));
  std::vector<int> fold(labels.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    Stream(seed, "folds", k).shuffle(members[k]);
    for (const int row : members[k])
      fold[static_cast<std::size_t>(row)] = static_cast<int>(next++ % folds);
  }
  return fold;
}

std::optional<Committee> fit_committee(const CommitteeRows& rows, const CommitteeOptions& options) {
  return Assembly(rows, options).run();
}

}  // namespace uaspl
