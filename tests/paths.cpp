// Where the tests find their files, see paths.hpp.
#include "tests/paths.hpp"

namespace uaspl::testing {

std::filesystem::path reference_folder() { return UASPL_TEST_REFERENCE; }
std::filesystem::path shipped_data_folder() { return UASPL_SHIPPED_DATA; }
std::filesystem::path built_modules_folder() { return UASPL_BUILT_MODULES; }

}  // namespace uaspl::testing
