// The studies that are part of the program name what there is.
#include "uaspl/study/study.hpp"

#include "tests/support.hpp"
#include "uaspl/data/table/known_tables.hpp"
#include "uaspl/report/markdown.hpp"

namespace uaspl {
namespace {

TEST(Studies, NameMethodsThatThereAre) {
  for (const Study& study : studies()) {
    EXPECT_EQ(choose_methods(study.methods).size(), study.methods.size()) << study.name;
    EXPECT_FALSE(study.variants.empty());
  }
  EXPECT_EQ(find_study("table-main").methods.size(), 16U);
  EXPECT_EQ(find_study("table-linear").methods.size(), 15U);
  EXPECT_EQ(find_study("table-linear").methods.back(), "uaspl_linear");
  EXPECT_EQ(find_study("table-mixture").methods.size(), 15U);
  EXPECT_EQ(find_study("noise").variants.size(), 11U);  // no noise; five kinds, two pre-trainings
  EXPECT_EQ(find_study("pretraining").variants.size(), 7U);
  EXPECT_THROW(find_study("table-mane"), UnknownName);
  for (const Study& study : studies()) EXPECT_NO_THROW(check_sections(study.show)) << study.name;
  EXPECT_EQ(parse_study(plan_text("noise"), "x").methods, find_study("noise").methods);
}

TEST(Studies, ClassWeightsAreConditions) {
  const std::string start =
      R"({"datasets": "iris", "methods": "spl", "noise": ["none", "uniform:0.2"])";
  const Study study =
      parse_study(start + R"(, "class_weight": ["none", "balanced", "b=2,a=3"]})", "plan");
  ASSERT_EQ(study.variants.size(), 6U);
  EXPECT_EQ(study.variants[0].fit.class_weights.text(), "");
  EXPECT_EQ(study.variants[1].fit.class_weights.text(), "balanced");
  EXPECT_EQ(study.variants[5].fit.class_weights.text(), "a=3,b=2");
  EXPECT_EQ(parse_study(start + "}", "plan").variants.size(), 2U);
  try {
    parse_study(start + R"(, "class_weight": "heavy"})", "plan");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("plan: class_weight: expected `none`, `balanced` or "));
  }
}

}  // namespace
}  // namespace uaspl
