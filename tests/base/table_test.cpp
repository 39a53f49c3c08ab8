// Names that are nearly right are recognised, and others are not guessed at.
#include "uaspl/base/table.hpp"

#include <gtest/gtest.h>

namespace uaspl {
namespace {

const std::vector<std::string> kKnown{"datasets", "methods", "set", "seeds", "spl", "uaspl"};

TEST(Names, TheNearestOneIsFound) {
  EXPECT_EQ(nearest_name("method", kKnown), "methods");
  EXPECT_EQ(nearest_name("mehtods", kKnown), "methods");  // two letters swapped
  EXPECT_EQ(nearest_name("dataset", kKnown), "datasets");
  EXPECT_EQ(nearest_name("seed", kKnown), "seeds");
  EXPECT_EQ(nearest_name("sppl", kKnown), "spl");
  EXPECT_EQ(nearest_name("uasp", kKnown), "uaspl");
  for (const char* far : {"", "x", "speed", "frobnicate", "sledgehammer"})
    EXPECT_EQ(nearest_name(far, kKnown), "") << far;
  EXPECT_EQ(nearest_name(std::string(1000000, 'a'), kKnown), "");
  EXPECT_EQ(nearest_name("set", {}), "");
}

TEST(Names, AnUnknownOneIsNamedWithTheCandidates) {
  EXPECT_EQ(unknown_name("entry", "method", kKnown),
            "unknown entry 'method' (did you mean 'methods'?); known: datasets, methods, set, "
            "seeds, spl, uaspl");
  EXPECT_EQ(unknown_name("entry", "frobnicate", std::vector<std::string>{"a", "b"}),
            "unknown entry 'frobnicate'; known: a, b");
}

}  // namespace
}  // namespace uaspl
