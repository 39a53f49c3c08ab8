// Weights of rows and classes: what they change in training, for every method, and what they must
// not.
#include <fmt/format.h>

#include <cmath>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/table/memory.hpp"
#include "uaspl/model/predictor.hpp"
#include "uaspl/net/mlp/mlp.hpp"
#include "uaspl/train/train_model.hpp"

namespace uaspl {
namespace {

std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Two clouds of points, the second one with a row in six; `weight` gives the weight of each row.
std::string clouds_text(int rows, const std::function<std::string(int)>& weight) {
  const auto clouds = testing::make_clouds(static_cast<std::size_t>(rows), 2, 2, 31);
  std::string text = "kind,x,y,w\n";
  for (int i = 0; i < rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    text += fmt::format("{},{},{},{}\n", clouds.labels[row] == 1 && i % 3 == 0 ? "rare" : "often",
                        clouds.points()(row, 0), clouds.points()(row, 1), weight(i));
  }
  return text;
}

Dataset load(const std::string& text, bool with_weights = true) {
  LoadOptions options = published_loading();
  (with_weights ? options.weight : options.drop.emplace_back()) = "w";
  return parse_dataset(text, "clouds", options);
}

TrainOptions small_options() {
  TrainOptions options;
  options.fit.network.hidden = {8};
  options.fit.pretraining = 4;
  options.fit.training.passes = 6;
  options.fit.training.batch = 32;
  options.fit.training.stop_below = 0.0;
  return options;
}

class WeightContract : public ::testing::TestWithParam<const MethodInfo*> {
 protected:
  TrainedModel train(const Dataset& data, const TrainOptions& options = small_options()) const {
    const auto method = choose_methods(std::vector{std::string(GetParam()->name)});
    return train_model(data, method.front(), options);
  }
  static void expect_same(const TrainedModel& one, const TrainedModel& other) {
    for (const auto& [name, tensor] : one.model.members.front().weights)
      EXPECT_EQ(tensor.values, other.model.members.front().weights.at(name).values) << name;
    EXPECT_EQ(one.model.table().scaler.mean, other.model.table().scaler.mean);
    EXPECT_EQ(one.held_out->rows, other.held_out->rows);
    EXPECT_EQ(one.held_out->log_loss, other.held_out->log_loss);
    EXPECT_EQ(one.held_out->metrics.f1, other.held_out->metrics.f1);
  }
};

TEST_P(WeightContract, EqualWeightsGiveTheBitsOfNone) {
  const Dataset none = load(clouds_text(90, [](int) { return "1"; }), false);
  const TrainedModel usual = train(none);
  for (const std::string all : {"1", "0.1", "1e300"})
    expect_same(usual, train(load(clouds_text(90, [&](int) { return all; }))));
  TrainOptions options = small_options();
  options.fit.class_weights = parse_class_weights("often=1,rare=1");
  expect_same(usual, train(none, options));
}

// The multiplication itself, which equal weights do not reach.
TEST_P(WeightContract, FactorsOfOneGiveTheBitsOfNone) {
  if (!GetParam()->has_stages()) GTEST_SKIP() << "has no steps";
  const auto clouds = testing::make_clouds(90, 4, 3, 17);
  const std::vector<float> ones(90, 1.0F);
  const Training training{.passes = 6, .batch = 32, .step = {}, .seed = 11};
  std::vector<State> states;
  for (const bool with : {false, true}) {
    TrainingSet set{&clouds.inputs, clouds.rows, clouds.labels, 3};
    if (with) set.weights = ones;
    Mlp network({.inputs = 4, .hidden = {8}, .classes = 3}, 5);
    const Pretraining before = pretrain(network, set, 3, training);
    set.pretraining = &before.history;
    fit(network, *GetParam()->make(Settings(GetParam()->options)), set, training);
    states.push_back(network.save());
  }
  for (const auto& [name, tensor] : states[0])
    EXPECT_EQ(tensor.values, states[1].at(name).values) << name;
}

TEST_P(WeightContract, WeightZeroEqualsLeavingTheRowOut) {
  const auto weight = [](int i) { return i % 4 == 1 ? "0" : i % 4 == 2 ? "2.5" : "0.5"; };
  const std::string text = clouds_text(120, weight);
  std::string without;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (!line.ends_with(",0\n")) without += line;
    at = end;
  }
  ASSERT_LT(without.size(), text.size() - 300);
  // Whatever stands in such a row: another class, text instead of numbers, no number at all.
  const std::string more = text + "third,1,2,0\noften,far,near,0\nrare,,,0\n";
  const Dataset data = load(more);
  EXPECT_EQ(data.table().weightless, 33U);
  EXPECT_EQ(content_sha256(data), content_sha256(load(without)));
  expect_same(train(load(without)), train(data));
}

TEST_P(WeightContract, WeightsChangeTheResultWhateverTheirUnit) {
  const auto model_by = [&](double unit) {
    return train(
        load(clouds_text(90, [unit](int i) { return fmt::format("{}", (1 + i % 3) * unit); })));
  };
  const TrainedModel usual = train(load(clouds_text(90, [](int) { return "1"; }), false));
  const TrainedModel one = model_by(1.0);
  EXPECT_NE(one.model.members.front().weights.begin()->second.values,
            std::vector<float>());  // there are weights to compare
  bool differs = false;
  for (const auto& [name, tensor] : usual.model.members.front().weights)
    differs = differs || tensor.values != one.model.members.front().weights.at(name).values;
  EXPECT_TRUE(differs);
  expect_same(one, model_by(4.0));  // a power of two leaves all bits
}

std::vector<const MethodInfo*> all_methods() {
  std::vector<const MethodInfo*> all;
  for (const MethodInfo& info : methods()) all.push_back(&info);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Table, WeightContract, ::testing::ValuesIn(all_methods()),
                         [](const auto& one) { return std::string(one.param->name); });

TEST(ClassWeights, AreReadAndWritten) {
  EXPECT_TRUE(parse_class_weights("balanced").balanced);
  EXPECT_EQ(parse_class_weights("balanced").text(), "balanced");
  EXPECT_EQ(parse_class_weights("yes=5,no=0.5").text(), "no=0.5,yes=5");
  EXPECT_EQ(parse_class_weights("a=b=2").of.at("a=b"), 2.0);
  EXPECT_FALSE(parse_class_weights("yes=1").any());
  for (const std::string wrong : {"", "yes", "yes=", "=1", "yes=0", "yes=-1", "yes=nan", "yes=inf",
                                  "yes=2,", "balanced,yes=2"})
    EXPECT_EQ(error_of([&] { parse_class_weights(wrong); }).find("class weights: '"), 0U) << wrong;
  EXPECT_EQ(error_of([] { parse_class_weights("yes=2,yes=3"); }),
            "class weights: 'yes' comes twice");
  const Target target{"churned", {"no", "yes"}};
  EXPECT_EQ(error_of([&] { check_class_weights(parse_class_weights("maybe=2"), target); }),
            "class weights: no class 'maybe'; there are: no, yes");
}

TEST(ClassWeights, BalancedOnesEqualScikitLearn) {
  const Target target{"class", {"a", "b", "c"}};
  const auto balanced = parse_class_weights("balanced");
  const nlohmann::json cases = testing::reference("rankings.json")["balanced"];
  ASSERT_EQ(cases.size(), 2U);
  for (const auto& one : cases) {
    const auto labels = one["labels"].get<std::vector<int>>();
    const std::vector<double> weights = weights_of_classes(balanced, target, labels, {});
    for (std::size_t i = 0; i < one["present"].size(); ++i)
      EXPECT_DOUBLE_EQ(weights[one["present"][i].get<std::size_t>()], double(one["weights"][i]));
  }
  // Rows with weights of their own: each class has the same sum.
  const std::vector<int> labels{0, 0, 1, 2};
  const std::vector<double> own{1.0, 3.0, 2.0, 0.5};
  const std::vector<double> of_class = weights_of_classes(balanced, target, labels, own);
  EXPECT_DOUBLE_EQ(4.0 * of_class[0], 2.0 * of_class[1]);
  EXPECT_DOUBLE_EQ(4.0 * of_class[0], 0.5 * of_class[2]);
}

TEST(LossWeights, AreTheProductsScaledToMeanOne) {
  Dataset data = load("kind,x,w\noften,1,1\noften,2,2\nrare,3,3\nrare,4,4\noften,5,5\nrare,6,6\n");
  const std::vector<int> rows{1, 2, 5};  // weights 2, 3, 6
  const std::vector<int> labels{0, 1, 1};
  const auto weights = loss_weights(data, rows, labels, parse_class_weights("rare=2"));
  const std::vector<float> expected{2.0F / 20 * 3, 6.0F / 20 * 3, 12.0F / 20 * 3};
  ASSERT_EQ(weights.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-6);
  EXPECT_TRUE(loss_weights(data, std::vector<int>{3}, std::vector<int>{0}, {}).empty());
  data.weights[2] = 0.0;
  EXPECT_NE(error_of([&] { loss_weights(data, rows, labels, {}); }).find("takes rows of weight 0"),
            std::string::npos);
}

// Without weights, the rare class is seldom found.
TEST(ClassWeights, BalancedOnesFindMoreOfARareClass) {
  Dataset data = load(clouds_text(400, [](int) { return "1"; }), false);
  TrainOptions options = small_options();
  options.fit.training.passes = 40;
  for (const std::string name : {"direct", "spl", "uaspl", "mw_net"}) {
    const auto method = choose_methods(std::vector{name}).front();
    options.fit.class_weights = {};
    const TrainedModel usual = train_model(data, method, options);
    options.fit.class_weights = parse_class_weights("balanced");
    const TrainedModel balanced = train_model(data, method, options);
    EXPECT_GT(balanced.held_out->classes[1].recall, usual.held_out->classes[1].recall + 0.1)
        << name;
    EXPECT_EQ(balanced.model.configuration.at("class_weight"), "balanced");
    EXPECT_FALSE(usual.model.configuration.contains("class_weight"));
  }
}

TEST(WeightColumn, IsNoFeatureAndItsMistakesNameLineAndColumn) {
  const std::string head = "kind,x,w\nno,1,1\nyes,2,3\n";
  const Dataset data = load(head + "no,3,1\nyes,4,1\n");
  EXPECT_EQ(data.table().schema.features.size(), 1U);
  EXPECT_EQ(data.weights, (std::vector<double>{1.0, 3.0, 1.0, 1.0}));
  EXPECT_EQ(data.table().weight, "w");
  const auto with = [&](const std::string& line) {
    return error_of([&] { load(head + line + "\n"); });
  };
  for (const std::string bad : {"-1", "nan?", "inf", "much", "-inf", "1e999"})
    EXPECT_EQ(with("no,3," + bad), "clouds:4: column 3 ('w'): the weight '" + bad +
                                       "', expected a finite number from 0");
  for (const std::string none : {"", "?", "NA", "nan"})
    EXPECT_EQ(with("no,3," + none),
              "clouds:4: column 3 ('w'): no weight, expected a finite number from 0");
  EXPECT_EQ(error_of([] { parse_dataset("a,b\n1,2\n", "x", {.weight = "c"}); }),
            "x: weight: no column 'c'; there are: a, b");
  EXPECT_EQ(error_of([] { parse_dataset("a,b\n1,2\n2,3\n", "x", {.target = "b", .weight = "b"}); }),
            "x: column 'b' is the weight, and cannot be the class too");
  EXPECT_NE(error_of([] { load("kind,x,w\nno,1,0\nyes,2,0\n"); }), "no error");
}

TEST(WeightColumn, GoesWithTheRowsThatAreKept) {
  // The first row lacks a value, the categories need a second pass, the third has weight 0.
  const Dataset data =
      load("kind,x,c,w\nno,,red,5\nyes,2,red,3\nno,7,green,0\nno,3,blue,4\nyes,4,red,6\n");
  EXPECT_EQ(data.weights, (std::vector<double>{3.0, 4.0, 6.0}));
  EXPECT_EQ(data.dropped(), 1U);
  EXPECT_EQ(data.table().weightless, 1U);
  EXPECT_EQ(data.table().schema.features[1].levels, (std::vector<std::string>{"blue", "red"}));
}

TEST(Weighted, GivesATableInMemoryWeights) {
  const Dataset data = make_table(DoubleMatrix(3, 1, {1, 2, 3}), {0, 1, 1});
  const Dataset lighter = weighted(data, {2, 0, 1});
  EXPECT_EQ(lighter.rows(), 2U);
  EXPECT_EQ(lighter.table().features(1, 0), 3.0);
  EXPECT_EQ(lighter.weights, (std::vector<double>{2, 1}));
  EXPECT_TRUE(weighted(data, {7, 7, 7}).weights.empty());
  EXPECT_NE(content_sha256(lighter), content_sha256(weighted(data, {3, 0, 1})));
  EXPECT_EQ(content_sha256(data), content_sha256(weighted(data, {2, 2, 2})));
  EXPECT_EQ(error_of([&] { weighted(data, {1, 2}); }), "memory: 2 weights of 3 rows");
  EXPECT_EQ(error_of([&] {
              weighted(data, {1, -2, 1});
            }),
            "memory: row 2: weight -2, expected a finite number from 0");
  EXPECT_EQ(error_of([&] { weighted(data, {0, 0, 0}); }), "memory: all rows have weight 0");
}

// Costs choose a threshold on the rows held out, which is in the model and decides its labels.
TEST(TrainModel, CostsChooseAThreshold) {
  const Dataset data = load(clouds_text(400, [](int) { return "1"; }), false);
  const auto method = choose_methods(std::vector<std::string>{"uaspl"}).front();
  TrainOptions options = small_options();
  const TrainedModel usual = train_model(data, method, options);
  EXPECT_FALSE(usual.model.readout.decision);
  EXPECT_EQ(usual.held_out->thresholds->positive, 1U) << "the rarer class";
  options.costs = parse_costs("FN=8");
  const TrainedModel careful = train_model(data, method, options);
  ASSERT_TRUE(careful.model.readout.decision);
  const Decision decision = *careful.model.readout.decision;
  EXPECT_EQ(decision.positive, 1U);
  EXPECT_LT(decision.threshold, 0.5);
  EXPECT_EQ(decision.threshold, careful.held_out->thresholds->cheapest->threshold);
  EXPECT_GT(careful.held_out->classes[1].recall, usual.held_out->classes[1].recall);
  EXPECT_EQ(careful.held_out->log_loss, usual.held_out->log_loss) << "the same probabilities";
  EXPECT_EQ(careful.held_out->calibration.ece, usual.held_out->calibration.ece);
  const Predictor predictor(careful.model);
  const Predictions all = predictor.predict(data.table().features);
  for (std::size_t i = 0; i < all.rows(); ++i)
    EXPECT_EQ(all.labels[i] == 1, double{all.probabilities(i, 1)} >= decision.threshold);
  options.positive = "often";
  EXPECT_EQ(train_model(data, method, options).model.readout.decision->positive, 0U);
  options.positive = "seldom";
  EXPECT_EQ(error_of([&] { train_model(data, method, options); }),
            "positive: no class 'seldom'; there are: often, rare");
  options = small_options();
  options.costs = Costs{};
  options.test_fraction = 0.0;
  EXPECT_NE(error_of([&] { train_model(data, method, options); }).find("held out"),
            std::string::npos);
}

}  // namespace
}  // namespace uaspl
