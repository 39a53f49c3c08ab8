// Experiments as data, see study.hpp.
#include "uaspl/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

#include "uaspl/base/embedded.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/base/text.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/io/json_text.hpp"
#include "uaspl/net/image_network.hpp"
#include "uaspl/study/variants.hpp"

namespace uaspl {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The entries of a plan besides the options of training.
constexpr std::string_view kEntries[] = {
    "summary", "datasets", "images",     "network", "profile",     "methods",
    "set",     "runs",     "seeds",      "noise",   "hidden",      "clean_pretraining",
    "trace",   "show",     "first_seed", "start",   "class_weight"};

std::vector<std::string> known_entries() {
  std::vector<std::string> known(std::begin(kEntries), std::end(kEntries));
  for (const TrainingOption& option : training_options()) known.emplace_back(option.name);
  return known;
}

// Returns the line in which a key of the plan stands, from 1; nothing if it is written in escapes.
std::optional<std::size_t> line_of(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = text.find(quoted); at != text.npos; at = text.find(quoted, at + 1)) {
    const std::size_t after = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (after != text.npos && text[after] == ':')
      return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
  }
  return std::nullopt;
}

// Reads the entries of a plan; an entry that is not known is an error of its author.
class Entries {
 public:
  Entries(std::string_view text, const std::string& name) : text_(text), name_(name) {
    try {
      all_ = parse_json(text);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name, error.what()));
    }
    if (!all_.is_object()) throw Error(fmt::format("{}: expected a JSON object", name));
    const std::vector<std::string> known = known_entries();
    for (const auto& [key, value] : all_.items())
      if (std::ranges::find(known, key) == known.end())
        throw Error(place_of(key) + ": " + unknown_name("entry", printable(key), known));
  }

  std::string text(const char* key) {
    if (!all_.contains(key)) return "";
    if (!all_[key].is_string()) fail(key, "a text", all_[key]);
    return all_[key].get<std::string>();
  }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> values;
    for (const nlohmann::json& one : list(key)) {
      if (!one.is_string()) fail(key, "a text or a list of texts", one);
      values.push_back(one.get<std::string>());
    }
    return values;
  }

  template <typename Number>
  std::vector<Number> numbers(const char* key, Number lowest, Number highest) {
    std::vector<Number> values;
    for (const nlohmann::json& one : list(key)) {
      if (!is_whole<Number>(one) || one < lowest || one > highest)
        fail(key, fmt::format("whole numbers in {}..{}", lowest, highest), one);
      values.push_back(one.get<Number>());
    }
    return values;
  }

  template <typename Number>
  void number(const char* key, Number& value, Number lowest, Number highest) {
    const std::vector<Number> values = numbers(key, lowest, highest);
    if (values.size() > 1) fail(key, "one number");
    if (!values.empty()) value = values.front();
  }

  std::vector<double> values_of(const TrainingOption& option) {
    using Kind = TrainingOption::Kind;
    std::vector<double> values;
    for (const nlohmann::json& one : list(option.name)) {
      const bool fits = option.kind == Kind::kFlag    ? one.is_boolean()
                        : option.kind == Kind::kWhole ? is_whole<std::int64_t>(one)
                                                      : one.is_number();
      const double value = !fits              ? kNothing
                           : one.is_boolean() ? static_cast<double>(one.get<bool>())
                                              : one.get<double>();
      if (!option.takes(value)) fail(option.name, option.expected, one);
      values.push_back(value);
    }
    return values;
  }

  std::vector<bool> flags(const char* key) {
    std::vector<bool> values;
    for (const nlohmann::json& one : list(key)) {
      if (!one.is_boolean()) fail(key, "true, false or a list of them", one);
      values.push_back(one.get<bool>());
    }
    return values;
  }

  // Runs what reads an entry; its errors say where the entry is.
  template <typename Read>
  decltype(auto) at(std::string_view key, const Read& read) const {
    try {
      return read();
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}: {}", place_of(key), key, error.what()));
    }
  }

  [[noreturn]] void fail(std::string_view key, std::string_view expected) const {
    throw Error(fmt::format("{}: {}: expected {}", place_of(key), key, expected));
  }
  [[noreturn]] void fail(std::string_view key, std::string_view expected,
                         const nlohmann::json& found) const {
    fail(key, fmt::format("{}, not {}", expected, printable(json_text(found))));
  }

 private:
  std::string place_of(std::string_view key) const {
    const std::optional<std::size_t> line = line_of(text_, key);
    return line ? fmt::format("{}:{}", name_, *line) : name_;
  }

  // A single value stands for a list of one.
  nlohmann::json list(std::string_view key) {
    [[maybe_unused]] const auto known = known_entries();
    assert(std::ranges::find(known, key) != known.end());
    if (!all_.contains(key)) return nlohmann::json::array();
    const nlohmann::json& value = all_[std::string(key)];
    return value.is_array() ? value : nlohmann::json::array({value});
  }

  std::string_view text_;
  std::string name_;
  nlohmann::json all_;
};

std::vector<LabelNoise> noises(Entries& entries) {
  std::vector<LabelNoise> all;
  for (const std::string& text : entries.texts("noise"))
    all.push_back(entries.at("noise", [&] { return parse_noise(text); }));
  return all;
}

std::vector<ClassWeights> class_weights(Entries& entries) {
  std::vector<ClassWeights> all;
  for (const std::string& text : entries.texts("class_weight")) {
    try {
      all.push_back(text == "none" ? ClassWeights{} : parse_class_weights(text));
    } catch (const Error& error) {
      entries.fail("class_weight",
                   fmt::format("`none`, `balanced` or CLASS=WEIGHT,... ({})", error.what()));
    }
  }
  return all;
}

Variants read_variants(Entries& entries, ExperimentOptions base) {
  if (const auto hidden = entries.numbers<std::size_t>("hidden", 1, 65536); !hidden.empty()) {
    if (base.fit.for_images()) entries.fail("hidden", "nothing, where there are `images`");
    base.fit.network.hidden = hidden;
  }
  if (const auto trace = entries.flags("trace"); trace.size() > 1)
    entries.fail("trace", "true or false");
  else if (!trace.empty())
    base.trace = trace.front();
  Variants variants{base};
  const auto vary = [&](std::string_view key, const std::vector<Change>& changes) {
    if (!changes.empty()) variants = entries.at(key, [&] { return combine(variants, changes); });
  };
  for (const TrainingOption& option : training_options())
    vary(option.name, changes_of(option, entries.values_of(option)));
  vary("clean_pretraining", changes_to_clean_pretraining(entries.flags("clean_pretraining")));
  vary("noise", changes_of(noises(entries)));
  vary("class_weight", changes_of(class_weights(entries)));
  return without_equals(variants);
}

// Reads the protocol of tables, or that of images with a network and a profile.
ExperimentOptions read_protocol(Entries& entries, Study& study) {
  const std::string network = entries.text("network");
  const std::string profile = entries.text("profile");
  if (study.images.empty()) {
    if (!network.empty() || !profile.empty())
      entries.fail(network.empty() ? "profile" : "network", "nothing, where there are no `images`");
    return {};
  }
  if (!profile.empty()) study.profile = profile;
  const ImageProfile& chosen = entries.at(
      "profile", [&]() -> const ImageProfile& { return find_image_profile(study.profile); });
  if (network.empty()) return image_protocol(chosen);
  return image_protocol(
      chosen, std::string(entries.at("network", [&] { return find_image_network(network).name; })));
}

}  // namespace

Study parse_study(std::string_view json, std::string name) {
  Entries entries(json, name);
  Study study;
  study.summary = entries.text("summary");
  study.datasets = entries.texts("datasets");
  study.methods = entries.texts("methods");
  study.images = entries.texts("images");
  if (study.datasets.empty() == study.images.empty())
    entries.fail("datasets", "at least one data set, or `images`, and not both");
  if (study.methods.empty()) entries.fail("methods", "at least one method");
  study.settings = entries.texts("set");
  entries.at("methods", [&] { choose_methods(study.methods); });
  entries.at("set", [&] { choose_methods(study.methods, study.settings); });
  entries.number<std::uint32_t>("first_seed", study.first_seed, 0U, 4000000000U);
  entries.number<std::size_t>("runs", study.runs, 1, 1000000);
  study.seeds = entries.numbers<std::uint32_t>("seeds", 0U, 4000000000U);
  if (!study.seeds.empty()) study.runs = study.seeds.size();
  study.start = entries.text("start");
  ExperimentOptions usual = read_protocol(entries, study);
  if (!study.start.empty()) usual.fit.pretraining = 0;
  study.variants = read_variants(entries, usual);
  study.show = entries.texts("show");
  study.name = std::move(name);
  return study;
}

Study read_study(const std::string& path) {
  Input input(path);
  input.read_all();
  return parse_study(input.view(), path);
}

std::span<const Study> studies() {
  static const std::vector<Study> kStudies = [] {
    std::vector<Study> all;
    for (const EmbeddedFile& plan : embedded_plans())
      all.push_back(parse_study(plan.text, std::string(plan.name)));
    return all;
  }();
  return kStudies;
}

const Study& find_study(std::string_view name) { return find_named(studies(), "study", name); }

std::string_view plan_text(std::string_view name) {
  return find_named(embedded_plans(), "study", name).text;
}

}  // namespace uaspl
