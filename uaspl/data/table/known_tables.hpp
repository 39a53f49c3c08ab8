// The paper's 25 tabular data sets: sizes, source, licence, checksum and known defects.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uaspl {

struct KnownSet {
  std::string_view name;
  std::string_view original_file;  // in the authors' repository
  std::size_t rows;
  std::size_t features;
  std::size_t classes;
  std::size_t rows_with_missing;
  std::string_view title;  // at the UCI Machine Learning Repository
  int uci_id;
  std::string_view doi;      // "" where not confirmed
  std::string_view licence;  // "" where not confirmed
  std::string_view sha256;
  std::size_t bytes;       // of the file
  std::string_view notes;  // labels, known defects
  std::string_view leak;   // the column that tells the class; "" if there is none
  bool leaks_label() const { return !leak.empty(); }
};

std::span<const KnownSet> known_sets();
// NAME_no_leak stands for the file of NAME without the column that tells the class. The function
// finds the set of such a name, and returns null for other names.
inline constexpr std::string_view kNoLeak = "_no_leak";
const KnownSet* find_without_leak(std::string_view name);
// Expands a name: `paper` stands for all sets, `honest` for all without the columns that tell the
// class, and any other name for itself.
std::vector<std::string> named_sets(std::string_view name);
const KnownSet& find_known_set(std::string_view name);

}  // namespace uaspl
