// Writes a table of any size as CSV: a class, then columns of their own place and width, on which
// the class depends. The same arguments give the same file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"

namespace {

class Generator {
 public:
  Generator(std::size_t columns, std::size_t classes, int digits)
      : digits_(digits), places_(columns), widths_(columns), values_(columns), scores_(classes) {
    for (double& place : places_) place = 10.0 * stream_.normal();
    for (double& width : widths_) width = std::exp(2.0 * stream_.normal());
    for (std::size_t i = 0; i < columns * classes; ++i)
      directions_.push_back(stream_.normal() / std::sqrt(static_cast<double>(columns)));
  }

  void add_header(fmt::memory_buffer& text) const {
    fmt::format_to(std::back_inserter(text), "label");
    for (std::size_t j = 0; j < values_.size(); ++j)
      fmt::format_to(std::back_inserter(text), ",f{}", j + 1);
    text.push_back('\n');
  }

  void add_row(fmt::memory_buffer& text) {
    for (double& value : values_) value = stream_.normal();
    for (std::size_t k = 0; k < scores_.size(); ++k) {
      scores_[k] = 0.5 * stream_.normal();  // so that no rule gets all rows right
      for (std::size_t j = 0; j < values_.size(); ++j)
        scores_[k] += directions_[k * values_.size() + j] * values_[j];
    }
    fmt::format_to(std::back_inserter(text), "{}",
                   std::ranges::max_element(scores_) - scores_.begin());
    for (std::size_t j = 0; j < values_.size(); ++j)
      fmt::format_to(std::back_inserter(text), ",{:.{}g}", places_[j] + widths_[j] * values_[j],
                     digits_);
    text.push_back('\n');
  }

 private:
  uaspl::Stream stream_{1, "generate"};
  int digits_;
  std::vector<double> places_;
  std::vector<double> widths_;
  std::vector<double> directions_;
  std::vector<double> values_;
  std::vector<double> scores_;
};

bool write_table(Generator generator, std::size_t rows, const char* name) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name, "wb"), &std::fclose);
  if (!file) return false;
  fmt::memory_buffer text;
  generator.add_header(text);
  bool written = true;
  for (std::size_t i = 0; i < rows && written; ++i) {
    generator.add_row(text);
    if (text.size() < 1U << 20U && i + 1 < rows) continue;
    written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    text.clear();
  }
  return written && std::fflush(file.get()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t rows = arguments.number(1, 0);
  const std::size_t columns = arguments.number(2, 0);
  const std::size_t classes = arguments.number(3, 2);
  const std::size_t digits = arguments.number(4, 6);
  if (rows < 1 || columns < 1 || classes < 2 || digits < 1) {
    fmt::print(stderr, "usage: bench_generate FILE.csv ROWS COLUMNS [CLASSES=2] [DIGITS=6]\n");
    return 2;
  }
  const std::string name = arguments.text(0, "");
  if (write_table({columns, classes, static_cast<int>(digits)}, rows, name.c_str())) return 0;
  fmt::print(stderr, "bench_generate: {}: writing failed\n", name);
  return 1;
}
