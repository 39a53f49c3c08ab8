// The version of the library.
#pragma once

namespace uaspl {

const char* version();

// The commit of the sources that the library was configured from; empty if it is not known.
const char* source_commit();

}  // namespace uaspl
