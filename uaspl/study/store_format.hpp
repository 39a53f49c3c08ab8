// Defines the format of results stores: the tables that each number stands for, how a file comes to
// the next one, and whether a file that claims one has its tables.
#pragma once

#include <cstdint>

#include "uaspl/io/sqlite.hpp"

namespace uaspl {

constexpr std::int64_t kStoreFormat = 3;  // of new files

// Returns the format of a file, 0 if it is empty; throws if it is no store, or a newer one.
std::int64_t store_format(Database& database);

// Makes sure that the tables are tables: something else by their names, a trigger or an index that
// calculates, could do anything when it is read or written. Other things in the file are not used.
void check_schema(Database& database);

// Brings the file to the present format. The format is checked again inside the transaction,
// because another process may have migrated it meanwhile.
void bring_to_present_format(Database& database);

}  // namespace uaspl
