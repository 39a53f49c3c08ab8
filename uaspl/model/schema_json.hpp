// Writes what a model knows of its columns as JSON, and reads it from anybody's.
#pragma once

#include <nlohmann/json.hpp>

#include "uaspl/data/table/schema.hpp"
#include "uaspl/data/target.hpp"

namespace uaspl {

// Says whether the names and levels of columns, all that the first formats hold, are not enough to
// read a table by the schema.
bool needs_more_than_levels(const Schema& schema);

nlohmann::json schema_json(const Schema& schema, const Target& target);

// Throws an Error if something is not of the expected type, or is an unknown name.
Schema schema_from(const nlohmann::json& value);

}  // namespace uaspl
