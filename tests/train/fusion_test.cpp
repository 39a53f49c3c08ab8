// Votes for candidates by the log-loss of their mean.
#include "uaspl/train/fusion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace uaspl {
namespace {

TEST(Fusion, EveryExpertsBestCandidateHasAVoteAndTheMeanCounts) {
  const std::vector<Candidate> candidates = {
      {{0.9F, 0.1F}, 0}, {{0.6F, 0.6F}, 0}, {{0.1F, 0.9F}, 1}};
  const Votes votes = greedy_votes(candidates, {}, 0);
  EXPECT_EQ(votes.counts, (std::vector<int>{0, 1, 1}));
  EXPECT_NEAR(votes.loss, -(std::log(0.35) + std::log(0.75)) / 2.0, 1e-6);
}

TEST(Fusion, FurtherVotesGoWhereTheyHelpAndTheBestPrefixIsKept) {
  const std::vector<Candidate> candidates = {{{0.9F, 0.2F}, 0}, {{0.2F, 0.9F}, 1}};
  const Votes votes = greedy_votes(candidates, {}, 20);
  EXPECT_EQ(votes.counts[0], votes.counts[1]);
  EXPECT_NEAR(votes.loss, -std::log(0.55), 1e-6);
  const std::vector<Candidate> unequal = {{{0.99F, 0.99F}, 0}, {{0.01F, 0.01F}, 1}};
  const Votes many = greedy_votes(unequal, {}, 20);
  EXPECT_EQ(many.counts, (std::vector<int>{21, 1}));
}

TEST(Fusion, WeightsDecide) {
  const std::vector<Candidate> candidates = {{{0.9F, 0.1F}, 0}, {{0.1F, 0.9F}, 0}};
  EXPECT_EQ(greedy_votes(candidates, std::vector<float>{5.0F, 1.0F}, 0).counts,
            (std::vector<int>{1, 0}));
  EXPECT_EQ(greedy_votes(candidates, std::vector<float>{1.0F, 5.0F}, 0).counts,
            (std::vector<int>{0, 1}));
}

TEST(Fusion, ZeroProbabilitiesHaveAFiniteLoss) {
  const std::vector<Candidate> candidates = {{{0.0F}, 0}};
  EXPECT_NEAR(greedy_votes(candidates).loss, -std::log(1e-4), 1e-12);
}

}  // namespace
}  // namespace uaspl
