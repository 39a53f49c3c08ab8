// A committee of networks and forests, see committee.hpp.
#include "uaspl/train/committee.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "uaspl/base/pick.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/train/committee_network.hpp"
#include "uaspl/train/fusion.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kFewRows = 600;
constexpr std::size_t kManyRowsToJudge = 20000;
constexpr std::size_t kManyRowsOfAForest = 50000;
constexpr std::size_t kMostEncoded = 40'000'000;  // values of an encoding beside the first one

std::size_t folds_for(std::span<const int> labels, std::size_t classes, std::size_t wanted) {
  std::vector<std::size_t> members(classes);
  for (const int label : labels) ++members[static_cast<std::size_t>(label)];
  std::erase(members, std::size_t{0});
  const std::size_t usual = labels.size() <= kFewRows           ? 8
                            : labels.size() <= kManyRowsToJudge ? 5
                                                                : 3;
  return std::max<std::size_t>(2, std::min(wanted > 0 ? wanted : usual, std::ranges::min(members)));
}

// All rows, or so many of them, drawn by the seed; ascending.
std::vector<int> sample(std::size_t rows, std::size_t most, std::uint64_t seed) {
  std::vector<int> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), 0);
  if (rows <= most) return chosen;
  Stream(seed, "sample of rows").shuffle(chosen);
  chosen.resize(most);
  std::ranges::sort(chosen);
  return chosen;
}

class Assembly {
 public:
  Assembly(const CommitteeRows& rows, const CommitteeOptions& options)
      : rows_(rows),
        options_(options),
        method_(choose_methods(std::vector<std::string>{options.method}).front()),
        workers_(options.threads),
        folds_(folds_for(rows.labels, rows.classes, options.folds)),
        fold_(stratified_folds(rows.labels, rows.classes, folds_, options.seed)),
        judged_(sample(rows.labels.size(), kManyRowsToJudge, options.seed)),
        sampled_(judged_.size(), rows.width) {
    std::vector<double> room;
    for (std::size_t i = 0; i < judged_.size(); ++i)
      std::ranges::copy(rows.inputs(static_cast<std::size_t>(judged_[i]), room),
                        sampled_.row(i).begin());
  }

  std::optional<Committee> run() {
    encode();
    if (!grow_forests() || !train_networks()) return std::nullopt;
    committee_.folds = folds_;
    committee_.novelty = fit_novelty(sampled_, rows_.level, rows_.categories, options_.seed);
    fuse();
    return std::move(committee_);
  }

 private:
  bool stopped() const { return options_.stop && options_.stop(); }

  void advance(double work) {
    const std::lock_guard lock(mutex_);
    done_ += work;
    if (options_.progress) options_.progress(done_ / (networks() + kForestWork));
  }
  static constexpr double kForestWork = 1.0;  // of all forests, in networks
  double networks() const { return static_cast<double>(experts_.size() * folds_); }

  // Encodings that would take too much memory are left out, but for the first one.
  void encode() {
    for (const NetworkExpert& expert : options_.networks) {
      RichScaling scaling = fit_rich_scaling(sampled_, rows_.level, expert.encoding);
      const std::size_t values = scaling.width() * rows_.labels.size();
      if (scaling.width() == 0 || (!experts_.empty() && values > kMostEncoded)) continue;
      Matrix encoded(rows_.labels.size(), scaling.width());
      std::vector<double> room;
      for (std::size_t i = 0; i < encoded.rows(); ++i)
        scaling.apply(rows_.inputs(i, room), encoded.row(i));
      inputs_.emplace_back(std::move(encoded));
      experts_.push_back(expert);
      committee_.scalings.push_back(std::move(scaling));
    }
  }

  // The rows of a fold, or all others.
  std::vector<int> rows_in(std::size_t fold, bool inside) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < fold_.size(); ++i)
      if (std::cmp_equal(fold_[i], fold) == inside) result.push_back(static_cast<int>(i));
    return result;
  }

  std::vector<int> judged_in(std::size_t fold) const {
    std::vector<int> result;
    for (const int row : judged_)
      if (std::cmp_equal(fold_[static_cast<std::size_t>(row)], fold)) result.push_back(row);
    return result;
  }

  bool train_networks() {
    trained_.resize(experts_.size() * folds_);
    workers_.run(trained_.size(), [&](std::size_t task, std::size_t) {
      if (stopped()) return;
      const std::size_t expert = task / folds_;
      const std::size_t fold = task % folds_;
      const std::vector<int> train = rows_in(fold, false);
      const std::vector<int> labels = pick(rows_.labels, train);
      const std::vector<int> judged = judged_in(fold);
      const std::vector<float> weights =
          rows_.weights.empty() ? std::vector<float>() : pick(rows_.weights, train);
      trained_[task] = train_member(
          {inputs_[expert], train, labels, rows_.classes, judged, weights}, experts_[expert],
          options_, method_, Stream(options_.seed, "committee", expert, fold).word());
      advance(1.0);
    });
    return !stopped();
  }

  // Each forest is grown once on all rows, and judged by its trees that did not draw a row, or by
  // forests grown on the other folds.
  bool grow_forests() {
    const std::vector<int> all = sample(fold_.size(), kManyRowsOfAForest, options_.seed + 1);
    for (const ForestKind kind : options_.forests) {
      const ForestData data{rows_.cells, rows_.columns, rows_.labels, rows_.classes, rows_.weights};
      const ForestOptions forest{.kind = kind,
                                 .trees = options_.trees,
                                 .seed = Stream(options_.seed, "forest").word(),
                                 .stop = options_.stop};
      auto fitted = fit_forest(data, all, forest, workers_);
      if (!fitted) return false;
      if (fitted->out_of_bag && all.size() == judged_.size())
        forest_said_.push_back(std::move(fitted->out_of_bag->probabilities));
      else if (auto said = judge_by_folds(data, all, forest))
        forest_said_.push_back(std::move(*said));
      else
        return false;
      committee_.forests.push_back({std::move(fitted->forest), 0});
      advance(kForestWork / static_cast<double>(options_.forests.size()));
    }
    return true;
  }

  std::optional<Matrix> judge_by_folds(const ForestData& data, std::span<const int> rows,
                                       const ForestOptions& options) {
    Matrix said(judged_.size(), rows_.classes);
    for (std::size_t fold = 0; fold < folds_; ++fold) {
      std::vector<int> others;
      for (const int row : rows)
        if (std::cmp_not_equal(fold_[static_cast<std::size_t>(row)], fold)) others.push_back(row);
      const auto fitted = fit_forest(data, others, options, workers_);
      if (!fitted) return std::nullopt;
      const auto asked = [](std::size_t, std::size_t) { return true; };
      const ForestOpinions own =
          fitted->forest.predict(rows_.cells, judged_in(fold), asked, &workers_);
      std::size_t next = 0;
      for (std::size_t i = 0; i < judged_.size(); ++i)
        if (std::cmp_equal(fold_[static_cast<std::size_t>(judged_[i])], fold))
          std::ranges::copy(own.probabilities.row(next++), said.row(i).begin());
    }
    return said;
  }

  // Candidates are the kinds of networks at their moments, then the forests.
  std::size_t network_candidates() const { return experts_.size() * options_.moments.size(); }

  // What a candidate says of the judged rows.
  Matrix said(std::size_t candidate) const {
    if (candidate >= network_candidates()) return forest_said_[candidate - network_candidates()];
    const std::size_t moments = options_.moments.size();
    Matrix all(judged_.size(), rows_.classes);
    std::vector<std::size_t> next(folds_);
    for (std::size_t i = 0; i < judged_.size(); ++i) {
      const auto fold = static_cast<std::size_t>(fold_[static_cast<std::size_t>(judged_[i])]);
      const MomentsOfMember& member = trained_[candidate / moments * folds_ + fold];
      std::ranges::copy(member.probabilities[candidate % moments].row(next[fold]++),
                        all.row(i).begin());
    }
    return all;
  }

  Votes vote(std::span<const int> labels, std::span<const float> weights) const {
    std::vector<Candidate> candidates(network_candidates() + forest_said_.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Matrix all = said(c);
      const bool network = c < network_candidates();
      candidates[c].expert =
          network ? c / options_.moments.size() : experts_.size() + c - network_candidates();
      for (std::size_t i = 0; i < labels.size(); ++i)
        candidates[c].label_probability.push_back(all(i, static_cast<std::size_t>(labels[i])));
    }
    return greedy_votes(candidates, weights, options_.further_votes);
  }

  void seat(std::size_t candidate, int votes) {
    if (candidate >= network_candidates()) {
      committee_.forests[candidate - network_candidates()].votes = votes;
      return;
    }
    const std::size_t moments = options_.moments.size();
    const std::size_t expert = candidate / moments;
    for (std::size_t fold = 0; fold < folds_; ++fold)
      committee_.members.push_back(
          {expert, std::move(trained_[expert * folds_ + fold].weights[candidate % moments]),
           votes});
  }

  void fuse() {
    const std::vector<int> labels = pick(rows_.labels, judged_);
    const std::vector<float> weights =
        rows_.weights.empty() ? std::vector<float>() : pick(rows_.weights, judged_);
    const Votes votes = vote(labels, weights);
    const double sum = std::accumulate(votes.counts.begin(), votes.counts.end(), 0.0);
    DoubleMatrix mean(judged_.size(), rows_.classes);
    for (std::size_t c = 0; c < votes.counts.size(); ++c) {
      if (votes.counts[c] == 0) continue;
      const Matrix all = said(c);
      const double share = votes.counts[c] / sum;
      for (std::size_t at = 0; at < mean.values().size(); ++at)
        mean.values()[at] += share * static_cast<double>(all.values()[at]);
      seat(c, votes.counts[c]);
    }
    std::erase_if(committee_.forests, [](const CommitteeForest& one) { return one.votes == 0; });
    OutOfFold& out = committee_.out_of_fold;
    out.rows = judged_;
    out.fold = pick(fold_, judged_);
    for (std::size_t i = 0; i < judged_.size(); ++i)
      out.known.push_back(committee_.novelty->known(sampled_.row(i)));
    committee_.tempering = fit_tempering({mean, labels, out.known, weights});
    for (std::size_t i = 0; i < mean.rows(); ++i)
      sharpen(mean.row(i), committee_.tempering.temperature);
    out.probabilities = std::move(mean);
  }

  const CommitteeRows& rows_;
  const CommitteeOptions& options_;
  ChosenMethod method_;
  Workers workers_;
  std::size_t folds_;
  std::vector<int> fold_;    // of each row
  std::vector<int> judged_;  // rows that decide on votes and calibration
  DoubleMatrix sampled_;     // their inputs
  Committee committee_;
  std::vector<NetworkExpert> experts_;    // those that are used
  std::vector<Inputs> inputs_;            // of each of them
  std::vector<MomentsOfMember> trained_;  // by expert, then fold
  std::vector<Matrix> forest_said_;
  std::mutex mutex_;
  double done_ = 0.0;
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
