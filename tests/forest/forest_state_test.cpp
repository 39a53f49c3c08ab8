// Tests of forests as tensors: the same forest comes back, and no tensors make an impossible one.
#include "tests/forest/forests.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl::testing {
namespace {

Forest some_forest() {
  return fit_all(mixed_table(150, 3), {.kind = ForestKind::kRandom, .trees = 7}).forest;
}

TEST(ForestState, TheSameForestComesBack) {
  Forest forest = some_forest();
  forest.set_evidence_scale(1.7);
  const Forest again = Forest::load(forest.save());
  EXPECT_TRUE(same(forest.save(), again.save()));
  EXPECT_EQ(forest.evidence_scale(), again.evidence_scale());
  DoubleMatrix rows = mixed_table(400, 3, 2).table;
  for (std::size_t i = 0; i < 40; ++i) rows(10 * i, i % 3) = i % 2 == 0 ? kMissing : -7.0;
  const ForestOpinions one = forest.predict(rows);
  const ForestOpinions other = again.predict(rows);
  EXPECT_TRUE(std::ranges::equal(one.probabilities.values(), other.probabilities.values()));
  EXPECT_EQ(one.amounts, other.amounts);
}

TEST(ForestState, LongEdgesComeBackExactly) {
  MixedTable made{DoubleMatrix(40, 1), {{0}}, {}, 2};
  for (std::size_t i = 0; i < 40; ++i) {
    made.table(i, 0) = 1.7e12 + static_cast<double>(i);
    made.labels.push_back(i < 20 ? 0 : 1);
  }
  const Forest forest = fit_all(made, {.trees = 5}).forest;
  const Forest again = Forest::load(forest.save());
  EXPECT_EQ(forest.columns()[0].edges, again.columns()[0].edges);
  EXPECT_GT(accuracy(again.predict(made.table), made.labels), 0.9);
}

TEST(ForestState, ATensorTooFewOrTooManyIsRefused) {
  const State good = some_forest().save();
  for (const auto& [name, tensor] : good) {
    State changed = good;
    changed.erase(name);
    EXPECT_THROW(Forest::load(changed), Error) << name;
    changed[name + "2"] = tensor;
    EXPECT_THROW(Forest::load(changed), Error) << name;
  }
  State more = good;
  more["other"] = {{0}, {}};
  EXPECT_THROW(Forest::load(more), Error);
  EXPECT_THROW(Forest::load({}), Error);
}

TEST(ForestState, OtherShapesAreRefused) {
  const State good = some_forest().save();
  for (const auto& [name, tensor] : good) {
    for (const std::vector<std::size_t>& shape :
         {std::vector<std::size_t>{}, {tensor.values.size(), 1, 1}, {tensor.shape[0] + 1}}) {
      State changed = good;
      changed[name].shape = shape;
      EXPECT_THROW(Forest::load(changed), Error) << name;
    }
    if (name == "columns") continue;  // one that no node asks for may be there
    State longer = good;              // by one row more
    const std::size_t width = tensor.shape.size() == 2 ? tensor.shape[1] : 1;
    longer[name].values.resize(tensor.values.size() + width, 0.0F);
    ++longer[name].shape[0];
    EXPECT_THROW(Forest::load(longer), Error) << name;
  }
}

// Every number of every tensor in turn becomes one that it must not be.
TEST(ForestState, ImpossibleNumbersAreRefused) {
  const State good = some_forest().save();
  for (const auto& [name, tensor] : good)
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
      for (const float bad : {-1.0F, 1e30F, INFINITY, static_cast<float>(kMissing)}) {
        if (name == "edges" && (bad == -1.0F || bad == 1e30F)) continue;  // may be an edge
        State changed = good;
        changed[name].values[i] = bad;
        if (name == "class_weights" && i % 2 == 1 && bad == 1e30F) continue;  // a large weight
        EXPECT_THROW(Forest::load(changed), Error) << name << ' ' << i << ' ' << bad;
      }
}

// Numbers that are near to what they must be: an error or a forest that can be asked.
TEST(ForestState, ChangedNumbersNeverHurt) {
  const State good = some_forest().save();
  const DoubleMatrix rows = mixed_table(20, 3).table;
  std::size_t loaded = 0;
  for (const auto& [name, tensor] : good)
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
      for (const float step : {-1.0F, 1.0F, 2.0F}) {
        State changed = good;
        changed[name].values[i] += step;
        try {
          const Forest forest = Forest::load(changed);
          ++loaded;
          const ForestOpinions opinions = forest.predict(rows);
          for (const float p : opinions.probabilities.values())
            EXPECT_TRUE(p >= 0.0F && p <= 1.001F);
        } catch (const Error&) {
        }
      }
  EXPECT_GT(loaded, 100U);
}

TEST(ForestState, TreesOfManyShapesAreChecked) {
  const auto load = [](std::vector<float> nodes, std::vector<float> leaves) {
    State state;
    state["forest"] = {{2}, {2.0F, 1.0F}};
    state["columns"] = {{1, 2}, {0.0F, 1.0F}};
    state["edges"] = {{1, 2}, {0.5F, 0.0F}};
    state["levels"] = {{0}, {}};
    state["trees"] = {{1, 2}, {static_cast<float>(nodes.size() / 4), 0.0F}};
    state["nodes"] = {{nodes.size() / 4, 4}, nodes};
    state["sets"] = {{0, 16}, {}};
    state["leaves"] = {{leaves.size()}, leaves};
    state["class_weights"] = {{0, 2}, {}};
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      state["class_weights"].values.insert(state["class_weights"].values.end(), {0.0F, 3.0F});
      ++state["class_weights"].shape[0];
    }
    return Forest::load(state);
  };
  EXPECT_EQ(load({0, 0, 0, 0}, {1}).trees().size(), 1U);  // a leaf
  EXPECT_EQ(load({0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1}).trees()[0].leaves.size(), 2U);
  EXPECT_THROW(load({}, {}), Error);                         // nothing
  EXPECT_THROW(load({0, 0, 1, 0, 0, 0, 0, 0}, {1}), Error);  // one child only
  EXPECT_THROW(load({0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1, 1}), Error);  // a gap
  EXPECT_THROW(load({0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1}), Error);  // no such threshold
  // Two parents share children.
  EXPECT_THROW(load({0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 1}), Error);
  // A leaf and a node on every level.
  std::vector<float> deep = {0, 0, 1, 0};
  for (std::size_t depth = 1; depth <= kMostTreeDepth; ++depth)
    deep.insert(deep.end(), {0, 0, 0, 0, 0, 0, 1, 0});
  deep.insert(deep.end(), {0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THROW(load(deep, std::vector<float>(kMostTreeDepth + 2, 1.0F)), Error);
  deep.resize(deep.size() - 8);
  deep[deep.size() - 2] = 0.0F;  // one level less
  EXPECT_EQ(load(deep, std::vector<float>(kMostTreeDepth + 1, 1.0F)).trees().size(), 1U);
}

}  // namespace
}  // namespace uaspl::testing
