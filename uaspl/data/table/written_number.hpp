// Reads numbers as people write them: with a decimal comma, with separated thousands, with a
// percent or a currency sign.
#pragma once

#include <string_view>

namespace uaspl {

// Gets the value of a cell that is written with this decimal sign, `.` or `,`; the other one
// separates thousands, as a blank or an apostrophe may. Returns false for text. `12 %` is 12. What
// parse_number() reads is read in the same way if the sign is the point.
bool parse_written_number(std::string_view cell, char decimal, double& value);

}  // namespace uaspl
