// Signal handlers of the tool, see signals.hpp.
#include "cli/signals.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

#include "cli/commands.hpp"
#include "uaspl/io/temporary_name.hpp"

namespace uaspl::cli {
namespace {

void end(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // so that whoever started the program sees why it ended
}

// The work in progress may be a pass over all images; who does not want to wait asks again.
void ask_to_end(int signal) {
  interrupted = true;
  std::signal(signal, end);
  const int kept = errno;
  constexpr std::string_view kNote = "\nuaspl: stopping; Ctrl-C again ends it at once\n";
  if (isatty(STDERR_FILENO) == 1) [[maybe_unused]]
    const auto written = write(STDERR_FILENO, kNote.data(), kNote.size());
  errno = kept;
}

}  // namespace

void handle_signals() {
  std::signal(SIGINT, ask_to_end);
  std::signal(SIGTERM, ask_to_end);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  for (const int signal : {SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2})
    if (std::signal(signal, end) == SIG_IGN) std::signal(signal, SIG_IGN);  // by `nohup`, say
}

}  // namespace uaspl::cli
