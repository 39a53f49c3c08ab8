// Any bytes as a plan: a study, or an error.
#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/study/study.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const uaspl::Study study = uaspl::parse_study(uaspl::fuzz::text_of(bytes, size), "fuzz");
    if (study.variants.empty() || study.methods.empty()) std::abort();
  } catch (const uaspl::Error&) {
  }
  return 0;
}
