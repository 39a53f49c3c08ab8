// A small table and models of it that several tests use.
#pragma once

#include "tests/support.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/train/fit_model.hpp"

namespace uaspl::testing {

// A number and a colour; the number tells the class.
inline Dataset small_set(int rows = 40) {
  std::string text = "kind,size,colour\n";
  for (int i = 0; i < rows; ++i)
    text += (i % 2 ? "yes," : "no,") + std::to_string(i % 2 + 0.01 * i) +
            (i % 3 ? ",red\n" : ",blue\n");
  return parse_dataset(text, "small", published_loading());
}

inline Model small_model(const std::string& method = "uaspl", std::uint32_t seed = 2025) {
  const Dataset data = small_set();
  const auto chosen = choose_methods(std::vector<std::string>{method});
  const FitOptions options{
      .network = {"mlp", {6, 5}}, .training = {.passes = 20, .step = {}}, .seed = seed};
  const TrainingRows rows = rows_to_train_on(data, first_rows(data.rows()));
  return fit_model(data, rows, chosen[0], options).model;
}

// Two networks from different seeds, the second one wider.
inline Model two_member_model(const std::string& method = "uaspl") {
  Model model = small_model(method);
  const Dataset data = small_set();
  const FitOptions options{
      .network = {"mlp", {9}}, .training = {.passes = 20, .step = {}}, .seed = 7};
  const TrainingRows rows = rows_to_train_on(data, first_rows(data.rows()));
  const auto chosen = choose_methods(std::vector<std::string>{method});
  model.members.push_back(fit_model(data, rows, chosen[0], options).model.members.front());
  return model;
}

}  // namespace uaspl::testing
