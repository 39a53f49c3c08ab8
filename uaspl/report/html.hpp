// Writes reports as one self-contained HTML page that makes no request to the network.
#pragma once

#include <string>

#include "uaspl/report/report.hpp"

namespace uaspl {

// `store` says where the runs come from.
std::string html_report(const Report& report, const std::string& store);

}  // namespace uaspl
