// The studies that are part of the program name what there is.
#include "uaspl/study/study.hpp"

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
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

TEST(Studies, WithFirstWeightsPretrainOnlyIfTheySaySo) {
  const std::string rest = R"("datasets": "iris", "methods": "spl")";
  const auto pretrainings = [&](const std::string& entries) {
    const Study study = parse_study("{" + entries + rest + "}", "x");
    std::vector<int> all;
    for (const ExperimentOptions& one : study.variants) all.push_back(one.fit.pretraining);
    return std::pair(study.start, all);
  };
  using Found = std::pair<std::string, std::vector<int>>;
  EXPECT_EQ(pretrainings(""), (Found{"", {20}}));
  EXPECT_EQ(pretrainings(R"("start": "w.safetensors",)"), (Found{"w.safetensors", {0}}));
  EXPECT_EQ(pretrainings(R"("start": "w", "pretraining": [0, 20],)"), (Found{"w", {0, 20}}));
  EXPECT_THROW(pretrainings(R"("start": 5,)"), Error);
}

}  // namespace
}  // namespace uaspl
