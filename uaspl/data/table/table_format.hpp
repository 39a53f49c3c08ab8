// Says how the bytes of a table are laid out, where they do not say it themselves.
#pragma once

#include <string>
#include <vector>

namespace uaspl {

struct TableFormat {
  // Of CSV. None: the most frequent of `,` `;` tab `|` in the first line. If it is given, the table
  // is CSV.
  char delimiter = '\0';
  bool header = true;  // of CSV; otherwise the columns are called c1, c2, ...
  // Columns that the reader of a stream asks for. A format that names cells line by line (JSON
  // lines, libsvm) then needs no first pass to know its columns: these are there in any case.
  std::vector<std::string> expected = {};
};

}  // namespace uaspl
