// Finds the name that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace uaspl {

// Returns the name that differs least from this one: in case alone, by a letter or two, or as the
// longer form of it. Empty if there is none.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// Returns ` (did you mean 'NAME'?)` for that name, or nothing.
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

}  // namespace uaspl
