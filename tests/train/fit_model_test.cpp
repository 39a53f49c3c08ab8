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
