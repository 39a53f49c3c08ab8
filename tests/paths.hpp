// Where the tests find their files. Only the source of these functions knows the places, so that
// the others compile to the same wherever the project lies.
#pragma once

#include <filesystem>

namespace uaspl::testing {

std::filesystem::path reference_folder();      // tests/reference
std::filesystem::path shipped_data_folder();   // data
std::filesystem::path built_modules_folder();  // where the build puts the modules

}  // namespace uaspl::testing
