// Collects the classes of a table while it is read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/data/table/record_reader.hpp"

namespace uaspl {

class ClassNames {
 public:
  ClassNames(const RecordReader& reader, std::size_t column) : reader_(reader), column_(column) {}

  // Returns the number of the record's class, in order of appearance, -1 if it is missing. Throws
  // an Error if it cannot be a class, or if there are too many.
  int take();

  std::vector<std::string> sorted() const;

  // Turns such numbers into places among the sorted names.
  void renumber(std::vector<int>& labels) const;

 private:
  const RecordReader& reader_;
  std::size_t column_;
  std::map<std::string, int, std::less<>> numbers_;
};

// Puts names into numerical order if all are numbers, otherwise into alphabetical order.
void sort_names(std::vector<std::string>& names);

// Returns a cell of the reader's record that becomes a name in the model. Throws an Error if it is
// no valid UTF-8.
std::string_view checked_name(const RecordReader& reader, std::size_t column,
                              std::string_view cell);

// Returns the name of a column, checked in the same way.
const std::string& checked_column(const RecordReader& reader, std::size_t column);

// Finds a column by its name; `option` is what asks for it, for the message if there is none.
std::size_t find_column(const RecordReader& reader, std::string_view name, std::string_view option);

}  // namespace uaspl
