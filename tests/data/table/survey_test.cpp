// What columns are taken for: numbers however they are written, dates, categories, or nothing to
// learn from; and which one is the class.
#include "uaspl/data/table/survey.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/table/describe.hpp"

namespace uaspl {
namespace {

using Strings = std::vector<std::string>;

std::string error_of(const std::function<void()>& task) {
  try {
    task();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A table of a class and one column, separated by `;`.
Dataset one_column(const Strings& cells, LoadOptions options = {}) {
  std::string text = "y;a;b\n";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += fmt::format("{};{};{}\n", i % 2 ? "no" : "yes", cells[i], static_cast<double>(i) + 0.5);
  return parse_dataset(text, "t", options);
}

Strings repeated(const Strings& cells, std::size_t times) {
  Strings all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), cells.begin(), cells.end());
  return all;
}

const FeatureColumn& column_a(const Dataset& data) { return data.table().schema.features.front(); }

std::vector<double> cells_of_a(const Dataset& data) {
  std::vector<double> cells;
  for (std::size_t i = 0; i < data.rows(); ++i) cells.push_back(data.table().features(i, 0));
  return cells;
}

// The reason that the column is left out for, or nothing.
std::string why(const Dataset& data) {
  for (const LeftOut& one : data.table().schema.left_out)
    if (one.name == "a") return std::string(name_of(one.why));
  return "";
}

TEST(Survey, NumbersAsPeopleWriteThem) {
  const Dataset german = one_column({"1.000,34", "3,5", "12", "1.234", "0,5", "3,5"});
  EXPECT_EQ(column_a(german).kind, ColumnKind::kNumber);
  EXPECT_EQ(column_a(german).decimal, ',');
  EXPECT_EQ(cells_of_a(german), (std::vector<double>{1000.34, 3.5, 12, 1234, 0.5, 3.5}));
  const Dataset english = one_column({"1,000.34", "3.5", "12", "$7", "5 %", "1,234"});
  EXPECT_EQ(column_a(english).decimal, '.');
  EXPECT_EQ(cells_of_a(english), (std::vector<double>{1000.34, 3.5, 12, 7, 5, 1234}));
  EXPECT_EQ(cells_of_a(one_column({"1,234", "5,678"})), (std::vector<double>{1234, 5678}));
  EXPECT_EQ(cells_of_a(one_column({"1,234", "5,678"}, {.decimal = ','})),
            (std::vector<double>{1.234, 5.678}));
}

// What is not clear in one column is told by the others.
TEST(Survey, TheDecimalSignIsThatOfTheFile) {
  const Dataset data = parse_dataset("y;a;b\nu;1.234;0,5\nv;5.678;1,75\nu;12;2\n", "t");
  EXPECT_EQ(data.table().features(0, 0), 1234.0);
  EXPECT_EQ(data.table().features(1, 1), 1.75);
  const Dataset other = parse_dataset("y;a;b\nu;1.234;x\nv;5.678;y\nu;12;x\n", "t");
  EXPECT_EQ(other.table().features(0, 0), 1.234);
}

TEST(Survey, AFewTextsAmongNumbersAreMissing) {
  Strings cells = repeated({"1", "2", "3", "4", "5"}, 6);
  cells[3] = "about 5";
  cells[11] = "-";
  const Dataset data = one_column(cells);
  EXPECT_EQ(column_a(data).kind, ColumnKind::kNumber);
  EXPECT_TRUE(std::isnan(data.table().features(3, 0)));
  EXPECT_EQ(data.table().odd.front().count, 2U);
  EXPECT_EQ(data.table().odd.front().examples, (Strings{"about 5", "-"}));
  EXPECT_EQ(data.table().odd.front().line, 5U);
  const auto columns = describe_columns(data);
  EXPECT_EQ(columns[1].kind, "number");
  EXPECT_EQ(columns[1].missing, 2U);
  // One text that comes again and again stands for a missing value, too.
  EXPECT_EQ(column_a(one_column(repeated({"1", "2", "never"}, 10))).kind, ColumnKind::kNumber);
  EXPECT_EQ(column_a(one_column(repeated({"1", "2", "low", "high"}, 10))).kind,
            ColumnKind::kCategory);
}

TEST(Survey, Dates) {
  const Dataset iso = one_column({"2024-03-05", "2024-03-06", "2024-04-01"});
  EXPECT_EQ(column_a(iso).kind, ColumnKind::kDate);
  EXPECT_EQ(cells_of_a(iso), (std::vector<double>{19787, 19788, 19814}));
  EXPECT_TRUE(column_a(iso).parts.months);
  EXPECT_TRUE(column_a(iso).parts.weekdays);
  EXPECT_FALSE(column_a(iso).parts.times);
  EXPECT_EQ(column_a(one_column({"5.3.2024", "6.3.2024"})).order, DateOrder::kDayMonthYear);
  EXPECT_EQ(column_a(one_column({"5/3/2024", "6/3/2024"})).order, DateOrder::kMonthDayYear);
  EXPECT_EQ(column_a(one_column({"5/3/2024", "16/3/2024"})).order, DateOrder::kDayMonthYear);
  EXPECT_EQ(column_a(one_column({"5-3-2024", "3-16-2024"})).order, DateOrder::kMonthDayYear);
  EXPECT_EQ(column_a(one_column({"10:30", "22:15"})).order, DateOrder::kTime);
  EXPECT_EQ(column_a(one_column({"20240305", "20240306"})).kind, ColumnKind::kNumber);
  const Dataset asked = one_column({"20240305", "20240306"}, {.date = {"a"}});
  EXPECT_EQ(cells_of_a(asked), (std::vector<double>{19787, 19788}));
}

TEST(Survey, RareLevelsShareOne) {
  Strings cells = repeated({"red", "blue"}, 20);
  cells.insert(cells.end(), {"green", "green", "pink"});
  const Dataset data = one_column(cells);
  EXPECT_EQ(column_a(data).levels, (Strings{"blue", "red"}));
  EXPECT_EQ(column_a(data).rare, (Strings{"green", "pink"}));
  EXPECT_EQ(data.table().features(40, 0), 2.0);
  EXPECT_EQ(data.table().features(42, 0), 2.0);
  EXPECT_EQ(data.table().schema.input_names(), (Strings{"a=blue", "a=red", "a=(rare)", "b"}));
  cells.resize(42);  // green alone shares with nobody
  EXPECT_EQ(column_a(one_column(cells)).levels, (Strings{"blue", "green", "red"}));
  Strings many;
  for (int i = 0; i < 120; ++i)
    for (int k = 0; k < (i < 60 ? 4 : 3); ++k) many.push_back("n" + std::to_string(i));
  EXPECT_EQ(column_a(one_column(many)).levels.size(), 100U);
  EXPECT_EQ(column_a(one_column(many)).rare.size(), 20U);
}

TEST(Survey, IdsConstantsAndFreeTextAreLeftOut) {
  Strings ids, numbers, odd, texts;
  for (int i = 0; i < 60; ++i) {
    ids.push_back("customer " + std::to_string(i));
    numbers.push_back(std::to_string(1 + (i * 7) % 60));
    odd.push_back(std::to_string(i * i));
    texts.push_back("a text about " + std::to_string(i / 2));
  }
  EXPECT_EQ(why(one_column(ids)), "id");
  EXPECT_EQ(why(one_column(numbers)), "id");
  EXPECT_EQ(why(one_column(odd)), "");  // different numbers that may tell something
  EXPECT_EQ(why(one_column(texts)), "text");
  Strings towns;  // many, but they come again
  for (int i = 0; i < 1200; ++i) towns.push_back("town " + std::to_string(i % 400));
  EXPECT_EQ(why(one_column(towns)), "");
  EXPECT_EQ(why(one_column(Strings(60, "5"))), "constant");
  EXPECT_EQ(why(one_column(Strings(60, "five"))), "constant");
  EXPECT_EQ(why(one_column(Strings(60, "?"))), "empty");
  EXPECT_EQ(why(one_column(repeated({"5", "?"}, 30))), "");  // to be missing tells something
  EXPECT_EQ(why(one_column(Strings(9, "5"))), "");           // too few to say
  EXPECT_EQ(why(one_column(ids, {.categorical = {"a"}})), "");
  EXPECT_EQ(why(one_column(numbers, {.numeric = {"a"}})), "");
  EXPECT_EQ(why(one_column(numbers, {.drop = {"a"}})), "dropped");
  std::string text = "y,customer_id,b\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{},{}.5\n", i % 2, i * i, i);
  EXPECT_EQ(parse_dataset(text, "t").table().schema.left_out,
            (std::vector<LeftOut>{{"customer_id", LeftOut::Why::kId}}));
  EXPECT_EQ(error_of([] { parse_dataset("y,a\n1,\n2,\n", "t"); }),
            "t: no column to learn from; left out: 'a' (all cells are missing)");
}

TEST(Survey, IntegersStayNumbersUnlessAskedOtherwise) {
  EXPECT_EQ(column_a(one_column(repeated({"1", "2", "3"}, 10))).kind, ColumnKind::kNumber);
  const Dataset data = one_column(repeated({"10", "9", "3"}, 10), {.categorical = {"a"}});
  EXPECT_EQ(column_a(data).levels, (Strings{"3", "9", "10"}));
  EXPECT_EQ(column_a(one_column({"1", "x", "y"}, {.numeric = {"a"}})).kind, ColumnKind::kNumber);
}

TEST(Target, IsWhatLooksLikeIt) {
  const auto target = [](const std::string& header, const std::string& rows) {
    try {
      return parse_dataset(header + "\n" + rows, "t").target.name;
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string last = "1.5,2.5,yes\n2.5,2.5,no\n3.5,1.5,no\n4.5,0.5,yes\n";
  const std::string first = "1,2.5,1.5\n0,2.5,2.5\n1,1.5,3.5\n0,0.5,4.5\n";
  const std::string both = "1,2.5,yes\n0,2.5,no\n1,1.5,no\n0,0.5,yes\n";
  EXPECT_EQ(target("a,b,c", last), "c");
  EXPECT_EQ(target("a,b,c", first), "a");
  EXPECT_EQ(target("a,b,Label", both), "Label");
  EXPECT_EQ(target("target,b,c", both), "target");
  EXPECT_EQ(target("a,b,c", both),
            "t: it is not clear which column holds the classes, name the target; candidates: 'c' "
            "(2 values), 'a' (2 values)");
  EXPECT_EQ(target("f1,f2,a", "1.5,2.5,0.5\n2.5,1.5,1.5\n"),
            "t: it is not clear which column holds the classes, name the target; no column looks "
            "like it; there are: f1, f2, a");
  // A numbered column among others is a feature.
  EXPECT_EQ(target("kind,p1,p2,p3", "a,1.5,1.5,0\nb,2.5,2.5,1\na,2.5,2.5,1\nb,1.5,1.5,0\n"),
            "kind");
  EXPECT_EQ(error_of([] { parse_dataset("a,Class\n1,2\n", "t", {.target = "class"}); }),
            "t: target: no column 'class' (did you mean 'Class'?); there are: a, Class");
}

TEST(Missing, WhereEachRowLacksAValueThereIsNothingToDropTo) {
  EXPECT_EQ(
      error_of([] { parse_dataset("y,a,b\n0,1,?\n1,?,2\n", "t", {.missing = Missing::kDrop}); }),
      "t: a value is missing in each of the 2 rows, so that none is left; keep such rows, or "
      "leave out the columns that lack values");
}

TEST(Doubts, AreSaid) {
  std::string text = "y,a,b\n";
  for (int i = 0; i < 30; ++i) text += fmt::format("{},{}.5,{}\n", i < 28 ? "u" : "v", i, i % 7);
  EXPECT_EQ(doubts(parse_dataset(text, "t")),
            (Strings{"1 class(es) have fewer than 5 rows and can hardly be learned: v (2)"}));
  EXPECT_EQ(doubts(parse_dataset("y,a,b\n0,1,2.5\n", "t")).size(), 2U);
}

}  // namespace
}  // namespace uaspl
