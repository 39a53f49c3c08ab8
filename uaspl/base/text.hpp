// Small helpers for text: validity, and lists in messages.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace uaspl {

bool is_utf8(std::string_view text);

// Joins the first few names by commas, and adds `...` if there are more.
std::string list_some(std::span<const std::string> names);

}  // namespace uaspl
