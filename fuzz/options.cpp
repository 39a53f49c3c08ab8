// Any words as a command line: understood, or refused. Nothing is run. The parser is made once, as
// making it takes far longer than using it.
#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/commands.hpp"
#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/method/registry.hpp"

namespace {

struct Parser {
  Parser() { uaspl::cli::add_all(app, action); }
  CLI::App app;
  uaspl::cli::Action action;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Parser parser;
  std::istringstream lines{std::string(uaspl::fuzz::text_of(bytes, size))};
  std::vector<std::string> words;  // one a line
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  std::vector<std::string> settings;  // the words that may be settings of methods
  std::ranges::copy_if(words, std::back_inserter(settings),
                       [](const std::string& word) { return word.find('=') != word.npos; });
  try {
    if (!settings.empty()) uaspl::choose_methods(std::vector<std::string>{"all"}, settings);
  } catch (const uaspl::Error&) {
  }
  std::ranges::reverse(words);  // as the parser takes them
  try {
    parser.app.parse(words);
  } catch (const CLI::Error&) {
  }
  return 0;
}
