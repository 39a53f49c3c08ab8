// Experiments as data, see study.hpp.
#include "uaspl/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "uaspl/base/embedded.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/json.hpp"
#include "uaspl/net/image_network.hpp"

namespace uaspl {
namespace {

// Reads the entries of a plan; an entry that nobody asks for is an error of its author.
class Entries {
 public:
  Entries(std::string_view text, const std::string& name) : name_(name) {
    try {
      all_ = parse_json(text);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name, error.what()));
    }
    if (!all_.is_object()) throw Error(fmt::format("{}: expected a JSON object", name));
  }

  std::string text(const char* key) {
    if (!take(key)) return "";
    if (!all_[key].is_string()) fail(key, "a text");
    return all_[key].get<std::string>();
  }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> values;
    for (const nlohmann::json& one : list(key)) {
      if (!one.is_string()) fail(key, "a text or a list of texts");
      values.push_back(one.get<std::string>());
    }
    return values;
  }

  template <typename Number>
  std::vector<Number> numbers(const char* key, Number lowest, Number highest) {
    std::vector<Number> values;
    for (const nlohmann::json& one : list(key)) {
      if (!is_whole<Number>(one) || one < lowest || one > highest)
        fail(key, fmt::format("whole numbers in {}..{}", lowest, highest));
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

  std::optional<float> positive(const char* key) {
    if (!take(key)) return std::nullopt;
    const nlohmann::json& one = all_[key];
    const double value = one.is_number() ? one.get<double>() : 0.0;
    using Limits = std::numeric_limits<float>;
    if (!(value >= Limits::min() && value <= Limits::max())) fail(key, "a finite number above 0");
    return static_cast<float>(value);
  }

  std::vector<bool> flags(const char* key) {
    std::vector<bool> values;
    for (const nlohmann::json& one : list(key)) {
      if (!one.is_boolean()) fail(key, "true, false or a list of them");
      values.push_back(one.get<bool>());
    }
    return values;
  }

  void finish() const {
    for (const auto& [key, value] : all_.items())
      if (!taken_.contains(key))
        throw Error(fmt::format("{}: unknown entry '{}'; known: {}", name_, key, known_));
  }

  [[noreturn]] void fail(std::string_view key, std::string_view expected) const {
    throw Error(fmt::format("{}: {}: expected {}", name_, key, expected));
  }

 private:
  bool take(const char* key) {
    known_ += (known_.empty() ? "" : ", ") + std::string(key);
    taken_.insert(key);
    return all_.contains(key);
  }

  // A single value stands for a list of one.
  nlohmann::json list(const char* key) {
    if (!take(key)) return nlohmann::json::array();
    return all_[key].is_array() ? all_[key] : nlohmann::json::array({all_[key]});
  }

  std::string name_;
  nlohmann::json all_;
  std::set<std::string> taken_;
  std::string known_;
};

// Collects every combination of the conditions; equivalent ones are kept once.
class Variants {
 public:
  void add(const ExperimentOptions& options) {
    const ChosenMethod any{&find_method("direct"), Settings({})};
    if (seen_.insert(configuration(any, options)).second) all.push_back(options);
  }
  std::vector<ExperimentOptions> all;

 private:
  std::set<std::string> seen_;
};

std::vector<LabelNoise> noises(Entries& entries) {
  std::vector<LabelNoise> all;
  for (const std::string& text : entries.texts("noise")) {
    try {
      all.push_back(text == "none" ? LabelNoise{} : parse_noise(text));
    } catch (const Error& error) {
      entries.fail("noise", fmt::format("`none` or KIND:RATIO ({})", error.what()));
    }
  }
  if (all.empty()) all.emplace_back();
  return all;
}

std::vector<ExperimentOptions> read_variants(Entries& entries, ExperimentOptions base) {
  entries.number("steps", base.fit.training.passes, 1, 1000000);
  if (const auto rate = entries.positive("rate")) base.fit.training.step.rate = *rate;
  if (const auto hidden = entries.numbers<std::size_t>("hidden", 1, 65536); !hidden.empty()) {
    if (base.fit.for_images()) entries.fail("hidden", "nothing, where there are `images`");
    base.fit.network.hidden = hidden;
  }
  if (const auto trace = entries.flags("trace"); trace.size() > 1)
    entries.fail("trace", "true or false");
  else if (!trace.empty())
    base.trace = trace.front();
  std::vector<int> pretraining = entries.numbers<int>("pretraining", 0, 1000000);
  if (pretraining.empty()) pretraining.push_back(base.fit.pretraining);
  std::vector<bool> clean = entries.flags("clean_pretraining");
  if (clean.empty()) clean.push_back(false);
  const std::vector<LabelNoise> noise = noises(entries);
  Variants variants;
  for (const int steps : pretraining)
    for (const bool before : clean)
      for (const LabelNoise& one : noise) {
        ExperimentOptions options = base;
        options.fit.pretraining = steps;
        options.rows.clean_pretraining = before && one.ratio > 0.0;
        options.rows.noise = one;
        variants.add(options);
      }
  return std::move(variants.all);
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
  try {
    const ImageProfile& chosen = find_image_profile(study.profile);
    if (network.empty()) return image_protocol(chosen);
    return image_protocol(chosen, std::string(find_image_network(network).name));
  } catch (const UnknownName& error) {
    entries.fail("network and profile", fmt::format("known ones ({})", error.what()));
  }
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
  entries.number<std::uint32_t>("first_seed", study.first_seed, 0U, 4000000000U);
  entries.number<std::size_t>("runs", study.runs, 1, 1000000);
  study.seeds = entries.numbers<std::uint32_t>("seeds", 0U, 4000000000U);
  if (!study.seeds.empty()) study.runs = study.seeds.size();
  study.start = entries.text("start");
  ExperimentOptions usual = read_protocol(entries, study);
  if (!study.start.empty()) usual.fit.pretraining = 0;
  study.variants = read_variants(entries, usual);
  study.show = entries.texts("show");
  entries.finish();
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
