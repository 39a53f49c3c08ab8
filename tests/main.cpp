// Runs the tests, with the vector code of the instruction set in UASPL_TEST_TARGET if that is set.
#include <gtest/gtest.h>

#include "uaspl/base/vector_targets.hpp"

#include <hwy/targets.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kSkipped = 77;

// False where the processor, or this build, does not have the target.
bool choose_target(const std::string& name) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (name != hwy::TargetName(target)) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::setenv("UASPL_MODULES", UASPL_BUILT_MODULES, 0);
  const char* target = std::getenv("UASPL_TEST_TARGET");
  if (target && !choose_target(target)) {
    std::printf("%s: not on this processor\n", target);
    return kSkipped;
  }
  return RUN_ALL_TESTS();
}
