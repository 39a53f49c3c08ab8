// Names that were probably meant.
#include "uaspl/base/suggestion.hpp"

#include <vector>

#include "tests/support.hpp"

namespace uaspl {
namespace {

TEST(Suggestion, IsTheNameThatDiffersLeast) {
  const std::vector<std::string> names = {"Class", "age", "income", "town", "incomes"};
  EXPECT_EQ(suggestion("class", names), " (did you mean \'Class\'?)");
  EXPECT_EQ(suggestion("incom", names), " (did you mean \'income\'?)");
  EXPECT_EQ(suggestion("icnome", names), " (did you mean \'income\'?)");
  EXPECT_EQ(suggestion("inc", names), " (did you mean \'income\'?)");
  EXPECT_EQ(suggestion("agge", names), " (did you mean \'age\'?)");
  EXPECT_EQ(suggestion("weight", names), "");
  EXPECT_EQ(suggestion("usapl", std::vector<std::string>{"spl", "uaspl"}),
            " (did you mean \'uaspl\'?)");
  EXPECT_EQ(suggestion("a", std::vector<std::string>{"b", "ab"}), "");
  EXPECT_EQ(suggestion("A", std::vector<std::string>{"b", "a"}), " (did you mean \'a\'?)");
  EXPECT_EQ(suggestion("", names), "");
  EXPECT_EQ(suggestion(std::string(1000000, 'x'), names), "");
}

TEST(Suggestion, TheNearestOneIsFound) {
  const std::vector<std::string> known{"datasets", "methods", "set", "seeds", "spl", "uaspl"};
  EXPECT_EQ(nearest_name("method", known), "methods");
  EXPECT_EQ(nearest_name("mehtods", known), "methods");  // two letters swapped
  EXPECT_EQ(nearest_name("dataset", known), "datasets");
  EXPECT_EQ(nearest_name("seed", known), "seeds");
  EXPECT_EQ(nearest_name("sppl", known), "spl");
  EXPECT_EQ(nearest_name("uasp", known), "uaspl");
  for (const char* far : {"", "x", "speed", "frobnicate", "sledgehammer"})
    EXPECT_EQ(nearest_name(far, known), "") << far;
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), known), "");
  EXPECT_EQ(nearest_name("set", {}), "");
}

}  // namespace
}  // namespace uaspl
