// What suits which method on which known image set, where nothing else is asked for.
#pragma once

#include <string_view>

#include "uaspl/data/dataset.hpp"
#include "uaspl/method/registry.hpp"

namespace uaspl {

// The method with the options that the paper's image study gives it on a known set of images; those
// that the user has set stay. As it is for other sets.
ChosenMethod suited_to_images(const ChosenMethod& method, std::string_view set);

// The same for any data set; nothing is known to suit tables.
ChosenMethod suited_to(const ChosenMethod& method, const Dataset& data);

}  // namespace uaspl
