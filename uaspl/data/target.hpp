// Defines what is to be predicted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace uaspl {

// More are no classes: it is the wrong column, or a file made to take all memory.
inline constexpr std::size_t kMostClasses = 10000;

// In bytes. Every prediction repeats a name: a longer one is a text, not a class.
inline constexpr std::size_t kLongestClass = 1000;

struct Target {
  std::string name;                  // of the column, or `class` for images
  std::vector<std::string> classes;  // label k is classes[k]
};

// Returns the place of a class. The error for an unknown name begins with `what` is asked for and
// lists the known ones.
std::size_t class_place(const Target& target, std::string_view name, std::string_view what);

}  // namespace uaspl
