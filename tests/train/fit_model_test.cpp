// From a data set to a model: what cannot be learned, and results that threads do not change.
#include "uaspl/train/fit_model.hpp"

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/model/model_file.hpp"

namespace uaspl {
namespace {

TEST(FitModel, RefusesWhatCannotBeLearned) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      check_learnable(parse_dataset(text, "x"));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("y,a\n1,2\n1,3\n"),
            "x: column 'y' has only one class ('1'), expected at least two");
  EXPECT_EQ(
      error("y,a\n1,2\n2,3\n3,4\n"),
      "x: column 'y' has 3 classes in 3 rows, expected two rows a class or more; is it the class?");
}

// The stages are the same whether the weights were pre-trained just before or come from a file.
TEST(FitModel, BeginsWithGivenWeights) {
  const Dataset data = testing::small_set(200);
  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  FitOptions options{.network = {"mlp", {16}}, .training = {.passes = 10, .step = {}}};
  const TrainingRows rows = rows_to_train_on(data, testing::first_rows(data.rows()));
  PreparedFit before(data, rows, options);
  before.pretrain();
  const State expected = before.fit(chosen[0]).network->save();
  options.start = std::make_shared<const StartWeights>(
      StartWeights{"w", "the sum", before.pretrained().save()});
  options.pretraining = 0;
  const FittedModel fitted = fit_model(data, rows, chosen[0], options);
  EXPECT_EQ(fitted.model.configuration.at("start"), "the sum");
  EXPECT_EQ(fitted.model.configuration.at("pretraining"), "0");
  for (const auto& [name, tensor] : fitted.model.members[0].weights)
    EXPECT_EQ(tensor.values, expected.at(name).values) << name;
  // A pre-training goes on from them.
  options.pretraining = 3;
  const Model more = fit_model(data, rows, chosen[0], options).model;
  EXPECT_NE(more.members[0].weights.at("fc1.weight").values, expected.at("fc1.weight").values);
  options.network.hidden = {8};
  EXPECT_THROW(fit_model(data, rows, chosen[0], options), Error);
}

TEST(FitModel, DoesNotDependOnTheThreads) {
  const Dataset data = testing::small_set(600);
  const auto chosen = choose_methods(std::vector<std::string>{"uaspl"});
  FitOptions options{.network = {"mlp", {16}}, .training = {.passes = 10, .step = {}}};
  const TrainingRows rows = rows_to_train_on(data, testing::first_rows(data.rows()));
  const std::string one = write_model(fit_model(data, rows, chosen[0], options).model);
  options.resources.threads = 3;
  EXPECT_EQ(write_model(fit_model(data, rows, chosen[0], options).model), one);
}

}  // namespace
}  // namespace uaspl
