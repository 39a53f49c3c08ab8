// Greedy votes, see fusion.hpp.
#include "uaspl/train/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace uaspl {
namespace {

constexpr double kFloor = 1e-4;

class Count {
 public:
  Count(std::span<const Candidate> candidates, std::span<const float> weights)
      : candidates_(candidates),
        weights_(weights),
        sums_(candidates.empty() ? 0 : candidates.front().label_probability.size()) {}

  // The loss that the mean has with one more vote for this candidate.
  double loss_with(std::size_t candidate) const {
    const auto& own = candidates_[candidate].label_probability;
    double loss = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const double weight = weights_.empty() ? 1.0 : static_cast<double>(weights_[i]);
      const double mean = (sums_[i] + static_cast<double>(own[i])) / (votes_ + 1.0);
      loss -= weight * std::log(std::max(mean, kFloor));
      total += weight;
    }
    return total > 0.0 ? loss / total : 0.0;
  }

  void add(std::size_t candidate) {
    const auto& own = candidates_[candidate].label_probability;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += static_cast<double>(own[i]);
    votes_ += 1.0;
  }

 private:
  std::span<const Candidate> candidates_;
  std::span<const float> weights_;
  std::vector<double> sums_;
  double votes_ = 0.0;
};

struct Best {
  std::size_t candidate = 0;
  double loss = std::numeric_limits<double>::infinity();
};

template <typename Allowed>
Best best_of(const Count& count, std::size_t candidates, const Allowed& allowed) {
  Best best;
  for (std::size_t c = 0; c < candidates; ++c) {
    if (!allowed(c)) continue;
    const double loss = count.loss_with(c);
    if (loss < best.loss) best = {c, loss};
  }
  return best;
}

}  // namespace

Votes greedy_votes(std::span<const Candidate> candidates, std::span<const float> weights,
                   int further) {
  Votes votes{std::vector<int>(candidates.size()), std::numeric_limits<double>::infinity()};
  if (candidates.empty()) return votes;
  std::size_t experts = 0;
  for (const Candidate& one : candidates) experts = std::max(experts, one.expert + 1);
  const Count none(candidates, weights);
  Count count(candidates, weights);
  std::vector<int> given(candidates.size());
  double loss = 0.0;
  for (std::size_t e = 0; e < experts; ++e) {
    const auto own = [&](std::size_t c) { return candidates[c].expert == e; };
    const Best best = best_of(none, candidates.size(), own);
    if (std::isinf(best.loss)) continue;  // no candidate of this expert
    loss = count.loss_with(best.candidate);
    count.add(best.candidate);
    ++given[best.candidate];
  }
  votes = {given, loss};
  for (int i = 0; i < further; ++i) {
    const Best best = best_of(count, candidates.size(), [](std::size_t) { return true; });
    count.add(best.candidate);
    ++given[best.candidate];
    if (best.loss < votes.loss) votes = {given, best.loss};
  }
  return votes;
}

}  // namespace uaspl
