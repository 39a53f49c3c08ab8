// The table of methods, and the choice of methods and options by name.
#include "uaspl/method/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "uaspl/base/error.hpp"
#include "uaspl/base/table.hpp"
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

const Option kGamma{"gamma", "width of the soft part, as a multiple of lambda", 1.0, 1e-3, 1e3};
const Option kBeta{"beta", "factor of the divergence", 1.0, 0.0, 1e3};
const Option kEvidence{"evidence", "how logits become evidence", 0, 0,
                       2,          {"relu", "softplus", "exp"}};

constexpr std::string_view kKumar = "Kumar et al. 2010";
constexpr std::string_view kJiang = "Jiang et al. 2014";
constexpr std::string_view kZhao = "Zhao et al. 2015";
constexpr std::string_view kPaper = "the UASPL paper";

template <Weights kWeights>
std::unique_ptr<Method> spl(const Settings& settings) {
  return self_paced(kWeights, settings);
}

template <Divergence kDivergence, Weights kWeights>
std::unique_ptr<Method> uaspl(const Settings& settings) {
  return uncertainty_aware(kDivergence, kWeights, settings);
}

const std::vector<MethodInfo>& table() {
  using enum Divergence;
  using enum Weights;
  static const std::vector<MethodInfo> kMethods = {
      {"direct", "all rows at once, cross-entropy", "-", {}, direct, false},
      {"spl", "easiest rows first by cross-entropy", kKumar, {}, spl<kHard>},
      {"spl_linear", "spl with linearly falling weights", kJiang, {}, spl<kLinear>},
      {"spl_mixture", "spl with partly soft weights", kZhao, {kGamma}, spl<kMixture>},
      {"uaspl",
       "easiest rows first by the uncertainty-aware evidential loss",
       kPaper,
       {kEvidence, kBeta},
       uaspl<kAdaptive, kHard>},
      {"uaspl_linear",
       "uaspl with linearly falling weights",
       kPaper,
       {kEvidence, kBeta},
       uaspl<kAdaptive, kLinear>},
      {"uaspl_mixture",
       "uaspl with partly soft weights",
       kPaper,
       {kEvidence, kBeta, kGamma},
       uaspl<kAdaptive, kMixture>},
      {"uaspl_beta1",
       "ablation: divergence with weight 1",
       kPaper,
       {kEvidence},
       uaspl<kConstant, kHard>},
      {"uaspl_beta1_linear",
       "the same with linearly falling weights",
       kPaper,
       {kEvidence},
       uaspl<kConstant, kLinear>},
      {"uaspl_beta1_mixture",
       "the same with partly soft weights",
       kPaper,
       {kEvidence, kGamma},
       uaspl<kConstant, kMixture>},
      {"uaspl_beta_t",
       "ablation: divergence with weight (t+1)/T in stage t",
       kPaper,
       {kEvidence},
       uaspl<kGrowing, kHard>},
      {"uaspl_beta_t_linear",
       "the same with linearly falling weights",
       kPaper,
       {kEvidence},
       uaspl<kGrowing, kLinear>},
      {"uaspl_beta_t_mixture",
       "the same with partly soft weights",
       kPaper,
       {kEvidence, kGamma},
       uaspl<kGrowing, kMixture>},
  };
  return kMethods;
}

double parse_value(const Option& option, std::string_view text) {
  if (!option.choices.empty()) {
    const auto found = std::ranges::find(option.choices, text);
    if (found == option.choices.end())
      throw UsageError(fmt::format("option {}: '{}' is not one of {}", option.name, text,
                                   fmt::join(option.choices, ", ")));
    return static_cast<double>(found - option.choices.begin());
  }
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = status == std::errc() && end == text.data() + text.size();
  if (!whole || !(value >= option.low && value <= option.high))
    throw UsageError(fmt::format("option {}: '{}' is not a number in {}..{}", option.name, text,
                                 option.low, option.high));
  return value;
}

}  // namespace

Settings::Settings(std::span<const Option> options) : options_(options) {
  for (const Option& option : options) values_.push_back(option.initial);
}

double Settings::operator[](std::string_view option) const {
  return values_[static_cast<std::size_t>(&find_named(options_, "option", option) -
                                          options_.data())];
}

std::string Settings::text(std::string_view option) const {
  const Option& found = find_named(options_, "option", option);
  const double value = (*this)[option];
  if (found.choices.empty()) return fmt::format("{}", value);
  return std::string(found.choices[static_cast<std::size_t>(value)]);
}

void Settings::set(std::string_view option, std::string_view value) {
  const Option& found = find_named(options_, "option", option);
  values_[static_cast<std::size_t>(&found - options_.data())] = parse_value(found, value);
}

std::span<const MethodInfo> methods() { return table(); }
const MethodInfo& find_method(std::string_view name) {
  return find_named(methods(), "method", name);
}

std::vector<ChosenMethod> choose_methods(std::span<const std::string> names,
                                         std::span<const std::string> assignments) {
  std::vector<ChosenMethod> chosen;
  const auto add = [&](const MethodInfo& info) {
    if (std::ranges::none_of(chosen, [&](const ChosenMethod& c) { return c.info == &info; }))
      chosen.push_back({&info, Settings(info.options)});
  };
  for (const std::string& name : names) {
    if (name == "all") {
      for (const MethodInfo& info : methods()) add(info);
    } else {
      add(find_method(name));
    }
  }
  for (const std::string& text : assignments) {
    const std::size_t dot = text.find('.');
    const std::size_t equals = text.find('=');
    if (dot == std::string::npos || equals == std::string::npos || dot > equals)
      throw UsageError(fmt::format("'{}' is not of the form METHOD.OPTION=VALUE", text));
    const MethodInfo& info = find_method(std::string_view(text).substr(0, dot));
    const auto target = std::ranges::find(chosen, &info, &ChosenMethod::info);
    if (target == chosen.end())
      throw UsageError(fmt::format("'{}' sets an option of a method that is not run", text));
    target->settings.set(std::string_view(text).substr(dot + 1, equals - dot - 1),
                         std::string_view(text).substr(equals + 1));
  }
  return chosen;
}

}  // namespace uaspl
