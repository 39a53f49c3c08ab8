// What the tool does when a signal asks it to end.
#pragma once

namespace uaspl::cli {

// The first Ctrl-C or SIGTERM sets `interrupted`, so that work in progress ends cleanly. A second
// one, and the other signals that end a program, remove temporary files and end it at once.
void handle_signals();

}  // namespace uaspl::cli
