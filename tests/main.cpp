// Runs the tests, with the vector code of the instruction set in UASPL_TARGET if that is set.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/paths.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/instruction_set.hpp"

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  ::testing::InitGoogleTest(&argc, argv);
  ::setenv("UASPL_MODULES", uaspl::testing::built_modules_folder().c_str(), 0);
  try {
    uaspl::use_instruction_set_of_environment();
  } catch (const uaspl::UsageError& error) {
    std::printf("%s\n", error.what());
    return kSkipped;
  }
  return RUN_ALL_TESTS();
}
