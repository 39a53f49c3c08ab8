// Numbers that a network, which computes in float, cannot take: every way in names the cell.
#include <limits>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/encoder.hpp"
#include "uaspl/data/table/csv.hpp"
#include "uaspl/data/table/memory.hpp"
#include "uaspl/data/table/row_encoder.hpp"

namespace uaspl {
namespace {

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of_table(const std::string& text) {
  return error_of([&] { parse_dataset(text, "x.csv"); });
}

TEST(Range, WhatFitsAFloatIsLearned) {
  EXPECT_EQ(error_of_table("y,a\n0,3.4028234e38\n1,-3.4028234e38\n0,1e-400\n"), "no error");
}

TEST(Range, WhatDoesNotIsAnErrorWithLineAndColumn) {
  EXPECT_EQ(error_of_table("y,a\n0,1\n1,1e300\n"),
            "x.csv:3: column 2 ('a'): '1e300' is too large, expected at most 3.4e38");
  EXPECT_EQ(error_of_table("y,a\n0,-3.5e38\n1,1\n"),
            "x.csv:2: column 2 ('a'): '-3.5e38' is too large, expected at most 3.4e38");
  EXPECT_EQ(error_of_table("y,a,b\n0,-3.5e38,u\n1,1,v\n"),
            "x.csv:2: column 2 ('a'): '-3.5e38' is too large, expected at most 3.4e38");
  EXPECT_EQ(
      error_of([&] { parse_dataset("y,a\n0,1e300\n1,text\n", "x.csv", {.categorical = {"a"}}); }),
      "no error");
}

TEST(Range, RowsOfAFileByTheSchemaAndTheScalingOfAModel) {
  const Schema schema{.features = {{"c", ColumnKind::kCategory, {"u", "v"}}, {"a"}}};
  const Scaler scaler{{0.0, 0.0, 3e38}, {1.0, 1.0, 1e-3}};
  const auto encode = [&](const std::string& cell, const Scaler* by) {
    return error_of([&] {
      const std::string text = "a,c\n3e38,u\n" + cell + ",v\n";
      Input input(text, "new.csv");
      CsvReader reader(input, {});
      RecordEncoder encoder(schema, nullptr, reader, {.scaler = by});
      std::vector<double> row(schema.features.size());
      while (reader.next()) encoder.encode(reader, row, nullptr);
      if (by) encode_cells({schema, *by}, DoubleMatrix(1, row.size(), row));
    });
  };
  EXPECT_EQ(encode("1e39", nullptr),
            "new.csv:3: column 1 ('a'): '1e39' is too large, expected at most 3.4e38");
  EXPECT_EQ(encode("-3.4e38", nullptr), "no error");
  EXPECT_EQ(encode("3.0000001e38", &scaler), "no error");
  EXPECT_EQ(encode("-3.4e38", &scaler),
            "new.csv:3: column 1 ('a'): '-3.4e38' is too far from the values that the model was "
            "trained with");
}

TEST(Range, RowsInMemory) {
  const Schema schema{.features = {{"a"}}};
  const NamedRowEncoder encoder(schema);
  const auto encode = [&](const Value& value) {
    return error_of([&] { static_cast<void>(encoder.encode({{"a", value}})); });
  };
  EXPECT_EQ(encode(1e38), "no error");
  EXPECT_EQ(encode(1e39), "row: column 'a': '1e+39' is too large, expected at most 3.4e38");
  EXPECT_EQ(encode("-1e300"), "row: column 'a': '-1e300' is too large, expected at most 3.4e38");
  EXPECT_EQ(encode("1e999"), "row: column 'a': '1e999' is not a finite number");
}

TEST(Range, MatricesInMemory) {
  DoubleMatrix features(2, 2);
  features(1, 0) = -1e39;
  EXPECT_EQ(error_of([&] {
              make_table(features, {0, 1}, {"a", "b"});
            }),
            "memory: row 2: column 'a': '-1e+39' is too large, expected at most 3.4e38");
  features(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] {
              make_table(features, {0, 1});
            }),
            "memory: row 2: column 'c1': 'inf' is not a finite number");
}

// No row becomes infinite on its way into a network, wherever it comes from.
TEST(Range, ScalingIsTheLastToSayIt) {
  DoubleMatrix features(2, 2);
  features(1, 1) = 1e10;
  const Scaler scaler{{0.0, 0.0}, {1.0, 1e-30}};
  EXPECT_EQ(error_of([&] { standardise(features, scaler); }),
            "row 2: input 2: '10000000000' is too far from the values that the model was trained "
            "with");
}

// Columns of large numbers have a finite mean and deviation.
TEST(Range, LargeNumbersAreScaled) {
  DoubleMatrix features(2, 1);
  features(0, 0) = 3.4e38;
  features(1, 0) = -3.4e38;
  const Scaler scaler = fit_scaler(features, testing::first_rows(2));
  EXPECT_EQ(standardise(features, scaler)(0, 0), 1.0F);
  EXPECT_EQ(standardise(features, scaler)(1, 0), -1.0F);
}

}  // namespace
}  // namespace uaspl
