// Chooses the options that suit a method on a known image set, unless the user sets others.
#pragma once

#include <string_view>

#include "uaspl/data/dataset.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl {

// Returns the method with the options that the paper's image study gives it on a known set of
// images; options that the user has set stay. For other sets, returns the method as it is.
ChosenMethod suited_to_images(const ChosenMethod& method, std::string_view set);

// Does the same for any data set; tables have no such options.
ChosenMethod suited_to(const ChosenMethod& method, const Dataset& data);

}  // namespace uaspl
