// Names that are nearly right are recognised, and others are not guessed at.
#include "uaspl/base/table.hpp"

#include <gtest/gtest.h>

namespace uaspl {
namespace {

const std::vector<std::string> kKnown{"datasets", "methods", "set", "seeds", "spl", "uaspl"};

TEST(Names, AnUnknownOneIsNamedWithTheCandidates) {
  EXPECT_EQ(unknown_name("entry", "method", kKnown),
            "unknown entry 'method' (did you mean 'methods'?); known: datasets, methods, set, "
            "seeds, spl, uaspl");
  EXPECT_EQ(unknown_name("entry", "frobnicate", std::vector<std::string>{"a", "b"}),
            "unknown entry 'frobnicate'; known: a, b");
}

}  // namespace
}  // namespace uaspl
