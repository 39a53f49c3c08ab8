// Models of tables as they are: their files, unknown cells, and what hostile files claim of
// columns.
#include <fmt/format.h>

#include <cmath>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"

namespace uaspl {
namespace {

// Numbers with decimal commas and gaps, a category with rare levels and gaps, a date, an id.
Dataset messy_set(int rows = 60) {
  std::string text = "id;size;colour;day;kind\n";
  for (int i = 0; i < rows; ++i)
    text += fmt::format("{};{};{};{}.{}.2024;{}\n", 1000 + i,
                        i % 7 == 3 ? std::string() : fmt::format("{},{}", i % 2, 10 + i),
                        i % 9 == 4    ? "?"
                        : i % 25 == 0 ? "teal" + std::to_string(i)
                        : i % 3       ? "red"
                                      : "blue",
                        1 + i % 28, 1 + i % 12, i % 2 ? "yes" : "no");
  return parse_dataset(text, "messy", {.target = "kind"});
}

Model messy_model(const std::string& method = "uaspl") {
  const Dataset data = messy_set();
  const auto chosen = choose_methods(std::vector<std::string>{method});
  const FitOptions options{.network = {"mlp", {6}}, .training = {.passes = 20, .step = {}}};
  const TrainingRows rows = rows_to_train_on(data, testing::first_rows(data.rows()));
  return fit_model(data, rows, chosen[0], options).model;
}

// The file of the model after a change of its description.
std::string altered(const Model& model, const std::string& from, const std::string& to) {
  std::string bytes = write_model(model);
  const std::string quoted = [&] {
    std::string text;
    for (const char c : from) text += c == '"' ? std::string("\\\"") : std::string(1, c);
    return text;
  }();
  std::string replacement;
  for (const char c : to) replacement += c == '"' ? std::string("\\\"") : std::string(1, c);
  const std::size_t at = bytes.find(quoted);
  EXPECT_NE(at, std::string::npos) << from;
  if (at == std::string::npos) return bytes;
  bytes.replace(at, quoted.size(), replacement);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  length += replacement.size() - quoted.size();
  std::memcpy(bytes.data(), &length, 8);
  return bytes;
}

std::string error_of(const std::string& bytes) {
  try {
    read_model(bytes, "m");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Columns, AModelOfAMessyTableIsTheSameAfterSavingAndLoading) {
  const Model model = messy_model();
  EXPECT_EQ(model.table().schema.features.size(), 3U);
  EXPECT_EQ(model.table().schema.left_out, (std::vector<LeftOut>{{"id", LeftOut::Why::kId}}));
  const std::string bytes = write_model(model);
  EXPECT_NE(bytes.find(R"(\"format\":5)"), std::string::npos);
  const Model loaded = read_model(bytes, "m");
  EXPECT_EQ(write_model(loaded), bytes);
  EXPECT_EQ(loaded.table().schema.left_out, model.table().schema.left_out);
  const Dataset data = messy_set();
  const Predictions a = Predictor(model).predict(data.table().features);
  const Predictions b = Predictor(loaded).predict(data.table().features);
  EXPECT_TRUE(std::ranges::equal(a.probabilities.values(), b.probabilities.values()));
  EXPECT_EQ(a.unknown, std::vector<int>(data.rows(), 0));
}

// Old programs go on to read models that need nothing new.
TEST(Columns, TheLowestFormatIsWritten) {
  EXPECT_NE(write_model(testing::small_model()).find(R"(\"format\":1)"), std::string::npos);
}

TEST(Columns, UnknownCellsAreCountedAndTakeEvidenceAway) {
  for (const std::string method : {"uaspl", "spl"}) {
    const Predictor predictor(messy_model(method));
    const NamedRow row{{"size", 1.2}, {"colour", "red"}, {"day", "3.4.2024"}};
    const auto changed = [&](const std::string& name, const Value& value) {
      NamedRow other = row;
      other.insert_or_assign(name, value);
      return predictor.predict_row(other);
    };
    const Prediction known = predictor.predict_row(row);
    EXPECT_EQ(known.unknown, 0);
    EXPECT_EQ(changed("colour", "green").unknown, 1);
    EXPECT_EQ(changed("colour", "").unknown, 0);  // there were such cells
    EXPECT_EQ(changed("size", "wide").unknown, 0);
    EXPECT_EQ(changed("size", std::nan("")).unknown, 0);
    EXPECT_EQ(changed("day", "").unknown, 1);  // there were none
    EXPECT_EQ(changed("day", "some day").unknown, 1);
    EXPECT_EQ(changed("size", "1,2").probabilities, known.probabilities);  // as the column is read
    EXPECT_EQ(changed("colour", "teal25").probabilities, changed("colour", "teal50").probabilities);
    if (!known.vacuity) continue;
    for (const char* colour : {"red", "blue", "teal25", ""})
      EXPECT_GT(*changed("colour", "green").vacuity, *changed("colour", colour).vacuity) << colour;
  }
}

// The factor scales what is said, and never which class is likeliest.
TEST(Columns, AFactorOfTheEvidenceKeepsTheLikeliestClass) {
  const Matrix logits(3, 3, {5, 1, -1, 0.5F, 0.25F, 2, -3, -2, -1});
  const Readout readout{.evidence = Evidence::kSoftplus};
  const Predictions plain = read_out(logits, readout);
  const std::vector<double> factors{1.0, 0.1, 0.001};
  const Predictions scaled = read_out(logits, readout, factors);
  EXPECT_EQ(scaled.labels, plain.labels);
  EXPECT_EQ(scaled.vacuity[0], plain.vacuity[0]);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_GT(scaled.vacuity[i], plain.vacuity[i]);
    const auto row = scaled.probabilities.row(i);
    EXPECT_EQ(std::ranges::max_element(row) - row.begin(), plain.labels[i]);
    EXPECT_NEAR(scaled.evidence(i, 0), plain.evidence(i, 0) * factors[i], 1e-6);
  }
}

TEST(Columns, HostileDescriptionsAreErrors) {
  const Model model = messy_model();
  const auto error = [&](const std::string& from, const std::string& to) {
    const std::string message = error_of(altered(model, from, to));
    const std::string expected = "m: not a valid model file: ";
    EXPECT_TRUE(message.starts_with(expected)) << message;
    return message.substr(std::min(message.size(), expected.size()));
  };
  EXPECT_EQ(error(R"("kind":"date")", R"("kind":"hour")"), "an unknown kind of column");
  EXPECT_EQ(error(R"("order":"d.m.y")", R"("order":"m.d.y")"), "an unknown order of dates");
  EXPECT_EQ(error(R"("weekday")", R"("century")"), "an unknown part of a date");
  EXPECT_EQ(error(R"("decimal":",")", R"("decimal":",,")"), "an unknown decimal sign");
  EXPECT_EQ(error(R"("missing":"keep")", R"("missing":"lose")"),
            "an unknown treatment of missing values");
  EXPECT_EQ(error(R"("why":"id")", R"("why":"no")"), "an unknown reason to leave a column out");
  EXPECT_EQ(error(R"("rare":["teal0")", R"("rare":["red")"),
            "in column 'colour', the category 'red' comes twice");
  EXPECT_EQ(error(R"("levels":[])", R"("levels":["u","v"])"),
            "tensor scaler.mean has another type or shape");
  EXPECT_EQ(error(R"("kind":"date","levels":[])", R"("kind":"date","levels":["u"])"),
            "column 'day' has categories, but is none");
  EXPECT_EQ(error(R"("indicator":true)", R"("indicator":1)"),
            "'indicator' is 1, expected true or false");
  EXPECT_EQ(error(R"("median":)", R"("median":1e39,"a":)"),
            "column 'size' has a median that no float can hold");
}

}  // namespace
}  // namespace uaspl
