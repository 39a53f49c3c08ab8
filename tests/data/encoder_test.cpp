// From the cells of a table to the inputs of a network: categories, dates, missing and unknown
// cells.
#include "uaspl/data/encoder.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support.hpp"
#include "uaspl/data/table/expansion.hpp"
#include "uaspl/data/table/load.hpp"

namespace uaspl {
namespace {

using Strings = std::vector<std::string>;
using Row = std::vector<double>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::string kText =
    "y,n,c,d\n"
    "u,1,red,2024-01-01\n"
    "v,,blue,2024-07-02\n"
    "u,3,,\n"
    "v,10,red,2024-01-03\n"
    "u,4,blue,2024-01-04\n";

TableEncoder encoder_of(const Dataset& data, const std::vector<int>& rows) {
  return std::get<TableEncoder>(fit_encoder(data, rows));
}

Row inputs(const Schema& schema, const Row& cells) {
  std::vector<double> room;
  const auto made = Expansion(schema).inputs(cells, room);
  return {made.begin(), made.end()};
}

TEST(Encoder, MissingCellsThatAreKeptAreSeen) {
  const Dataset data = parse_dataset(kText, "t");
  const Schema schema = encoder_of(data, {0, 1, 2, 3, 4}).schema;
  EXPECT_EQ(
      schema.input_names(),
      (Strings{"n", "n=(missing)", "c=blue", "c=red", "c=(missing)", "d", "d=(month, cosine)",
               "d=(month, sine)", "d=(weekday, cosine)", "d=(weekday, sine)", "d=(missing)"}));
  EXPECT_EQ(schema.width(), 11U);
  EXPECT_EQ(schema.features[0].median, 3.5);
  const Row none = inputs(schema, {kNan, kNan, kNan});
  EXPECT_EQ(none, (Row{3.5, 1, 0, 0, 1, schema.features[2].median, 0, 0, 0, 0, 1}));
  const Row some = inputs(schema, {2.0, 1.0, 19723.0});  // a Monday in January
  EXPECT_EQ(some, (Row{2, 0, 0, 1, 0, 19723, 1, 0, 1, 0, 0}));
  const Row later = inputs(schema, {2.0, 0.0, 19906.0});  // a Tuesday in July
  EXPECT_NEAR(later[6], -1.0, 1e-12);
  EXPECT_NEAR(later[8], std::cos(2.0 * std::numbers::pi / 7.0), 1e-12);
}

// Only the training rows decide; what they do not have is unknown later.
TEST(Encoder, WhatTheTrainingRowsLackIsUnknown) {
  const Dataset data = parse_dataset(kText, "t");
  const Schema schema = encoder_of(data, {0, 3, 4}).schema;
  EXPECT_EQ(schema.features[0].median, 4.0);
  EXPECT_FALSE(schema.features[0].indicator);
  EXPECT_EQ(inputs(schema, {kNan, kNan, 19723.0}), (Row{4, 0, 0, 19723, 1, 0, 1, 0}));
  const Expansion expansion(schema);
  EXPECT_EQ(expansion.unknown(Row{1, 0, 19723}), 0);
  EXPECT_EQ(expansion.unknown(Row{kNan, kNan, kNan}), 3);
  EXPECT_EQ(expansion.unknown(Row{1, kUnseenLevel, 19723}), 1);
  EXPECT_EQ(expansion.unknown(Row{1, 2, 19723}), 1);  // no such level
  EXPECT_EQ(inputs(schema, {1, kUnseenLevel, 19723}), inputs(schema, {1, 1e300, 19723}));
  const Schema all = encoder_of(data, {0, 1, 2, 3, 4}).schema;
  EXPECT_EQ(Expansion(all).unknown(Row{kNan, kNan, kNan}), 0);
  EXPECT_EQ(Expansion(all).unknown(Row{kNan, kUnseenLevel, kNan}), 1);
}

TEST(Encoder, MissingCellsThatAreTheMeanAreZeroAfterScaling) {
  const Dataset data = parse_dataset(kText, "t", {.missing = Missing::kMean});
  const TableEncoder encoder = encoder_of(data, {0, 1, 2, 3, 4});
  EXPECT_EQ(encoder.width(), 8U);
  const DoubleMatrix cells(1, 3, {kNan, kNan, kNan});
  const Matrix made = encode_cells(encoder, cells);
  for (const float x : made.values()) EXPECT_EQ(x, 0.0F);
}

// Tables of numbers and categories are known by the same hash as ever: that of the indicators.
TEST(Encoder, TheContentIsThatOfTheIndicators) {
  Dataset numbers;
  numbers.table().features = DoubleMatrix(3, 3, {1.5, 0, 1, 2, 1, 0, 3, 0, 1});  // size, blue, red
  for (const char* name : {"a", "b", "c"}) numbers.table().schema.features.push_back({name});
  numbers.labels = {0, 1, 0};
  numbers.target.classes = {"no", "yes"};
  const Dataset data =
      parse_dataset("y,size,colour\nno,1.5,red\nyes,2,blue\nno,3,red\n", "t", published_loading());
  EXPECT_EQ(content_sha256(data), content_sha256(numbers));
  // Rows with missing cells are trained on in another way where these are kept.
  const std::string gaps = "y,a\n0,1\n1,?\n0,3\n";
  EXPECT_NE(content_sha256(parse_dataset(gaps, "t")),
            content_sha256(parse_dataset(gaps, "t", {.missing = Missing::kMean})));
}

}  // namespace
}  // namespace uaspl
