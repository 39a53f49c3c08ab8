// The version of the library, as the build sets it.
#include "uaspl/base/version.hpp"

namespace uaspl {

const char* version() { return UASPL_VERSION; }
const char* source_commit() { return UASPL_COMMIT; }

}  // namespace uaspl
