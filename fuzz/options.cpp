// Any words as a command line: understood, or refused. Nothing is run.
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/method/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes), size));
  std::vector<std::string> words;  // one a line, in reverse, as the parser takes them
  for (std::string line; std::getline(lines, line);) words.insert(words.begin(), line);
  try {  // the same words as settings of methods
    uaspl::choose_methods(std::vector<std::string>{"all"}, words);
  } catch (const uaspl::Error&) {
  }
  CLI::App app;
  uaspl::cli::Action action;
  uaspl::cli::add_all(app, action);
  try {
    app.parse(words);
  } catch (const CLI::Error&) {
  }
  return 0;
}
