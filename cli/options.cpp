// Handles options that several verbs share, see options.hpp.
#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "cli/note.hpp"
#include "cli/shard.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/base/threads.hpp"
#include "uaspl/data/table/parse_number.hpp"

namespace uaspl::cli {

void add_common(CLI::App& app, CommonOptions& options) {
  app.add_flag("--json", options.json, "Results as JSON");
  app.add_flag("-q,--quiet", options.quiet, "No progress, tables or notes; warnings stay");
  app.add_option("--threads", options.threads,
                 "Threads of one fit; 0: by the number of rows, for images all cores. Changes no "
                 "result of tables; one of images in its last bits, which training may magnify")
      ->capture_default_str()
      ->check(CLI::Range(0U, 1024U));
}

std::size_t choose_threads(std::size_t wanted, std::size_t rows) {
  return wanted > 0 ? wanted : usual_threads(rows);
}

void warn_of_other_versions(const std::string& store, std::size_t runs) {
  if (runs > 0)
    note("warning: {}: {} run(s) of another results version were left out", store, runs);
}

std::string is_finite(const std::string& number) {
  const auto value = parse_number(number);
  return value && std::isfinite(*value) ? "" : "expected a finite number, not " + number;
}

// Checks that a number is positive and that a float can hold it.
std::string is_positive(const std::string& number) {
  using Limits = std::numeric_limits<float>;
  const double value = parse_number(number).value_or(0.0);
  return value >= Limits::min() && value <= Limits::max()
             ? ""
             : "expected a finite number above 0, not " + number;
}

std::string is_count(const std::string& number) {
  const bool digits = number.find_first_not_of("0123456789") == std::string::npos;
  return digits && !number.empty() ? "" : "expected a whole number from 0, not " + number;
}

TableFormat FileOptions::format() const {
  TableFormat format{.header = !no_header};
  if (delimiter == "tab" || delimiter == "\\t") {
    format.delimiter = '\t';
  } else if (!delimiter.empty()) {
    format.delimiter = delimiter[0];
  }
  return format;
}

void add_file_options(CLI::App& app, FileOptions& options) {
  const auto one_character = [](const std::string& text) {
    return text.size() == 1 || text == "tab" || text == "\\t" ? std::string()
                                                              : "expected one character or `tab`";
  };
  app.add_option("--delimiter", options.delimiter,
                 "Between cells; default: found in the first line")
      ->check(one_character);
  app.add_flag("--no-header", options.no_header,
               "The first line is data; columns are called c1, c2, ...");
}

void add_safe_csv(CLI::App& app, bool& safe) {
  app.add_flag("--safe-csv", safe,
               "A ' before cells that a spreadsheet would take for formulas (= + - @ ..., numbers "
               "stay)");
}

namespace {

constexpr std::pair<std::string_view, Missing> kMissing[] = {{"keep", Missing::kKeep},
                                                             {"drop", Missing::kDrop},
                                                             {"mean", Missing::kMean},
                                                             {"error", Missing::kError}};

void add_names(CLI::App& app, const char* option, std::vector<std::string>& names,
               const char* what) {
  app.add_option(option, names, what)->delimiter(',')->allow_extra_args(false);
}

}  // namespace

void add_missing_option(CLI::App& app, std::function<void(Missing)> take, const char* what) {
  const auto find = [](const std::string& name) {
    return std::ranges::find(kMissing, name, [](const auto& one) { return one.first; });
  };
  app.add_option_function<std::string>(
         "--missing", [=](const std::string& name) { take(find(name)->second); }, what)
      ->type_name("keep|drop|mean|error")
      ->check([=](const std::string& name) {
        return find(name) != std::end(kMissing)
                   ? ""
                   : "expected keep, drop, mean or error, not " + printable(name);
      });
}

void add_load_options(CLI::App& app, LoadOptions& options) {
  app.add_option("--target", options.target,
                 options.as_published
                     ? "Column of the class, by name or place (-1: the last); default: the first"
                     : "Column of the class, by name or place (-1: the last); default: what looks "
                       "like it");
  add_missing_option(
      app, [&options](Missing missing) { options.missing = missing; },
      options.as_published
          ? "Rows with a missing value (empty, ?, NA, nan): drop (default), mean (use the "
            "column's), error; keep: as `train` does"
          : "Missing values (empty, ?, NA, nan): keep (default), mean (use the column's), drop "
            "(the rows), error");
  app.add_option("--weight", options.weight,
                 "Column of the rows' weights in training and in the scores, which is no feature; "
                 "rows of weight 0 are left out");
  add_names(app, "--drop", options.drop, "Columns to leave out");
  add_names(app, "--categorical", options.categorical, "Columns whose cells are categories");
  if (options.as_published) return;
  add_names(app, "--numeric", options.numeric, "Columns whose cells are numbers");
  add_names(app, "--date", options.date, "Columns whose cells are dates");
  app.add_option_function<std::string>(
         "--decimal", [&options](const std::string& sign) { options.decimal = sign.front(); },
         "Decimal sign of numbers; default: found")
      ->type_name(".|,")
      ->check([](const std::string& sign) {
        return sign == "." || sign == "," ? "" : "expected . or ,";
      });
}

void add_class_weight(CLI::App& app, ClassWeights& weights) {
  app.add_option_function<std::string>(
         "--class-weight",
         [&weights](const std::string& text) { weights = parse_class_weights(text); },
         "How much the rows of each class count in training: `balanced` (n / (K n_k), so that all "
         "classes count equally), or CLASS=WEIGHT,...; others 1")
      ->check(
          [](const std::string& text) { return complaint([&] { parse_class_weights(text); }); });
}

void note_reading(const Dataset& data) {
  if (data.is_images()) return;
  for (const std::string& text : data.table().notes) note("{}", text);
}

Output::Output(const std::string& path) {
  if (!path.empty() && path != "-") file_ = std::make_unique<AtomicFile>(path);
}

void Output::write(std::string_view text) {
  if (file_) {
    file_->write(text);
  } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
    throw Error("standard output: writing failed");
  }
}

void Output::finish() {
  if (file_) {
    file_->commit();
  } else if (std::fflush(stdout) != 0) {
    throw Error("standard output: writing failed");
  }
}

}  // namespace uaspl::cli
