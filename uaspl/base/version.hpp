// The version of the library.
#pragma once

namespace uaspl {

const char* version();

// Of the sources that the library was configured from; empty where it is not known.
const char* source_commit();

}  // namespace uaspl
