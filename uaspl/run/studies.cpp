// The experiments of the paper, see studies.hpp.
#include "uaspl/run/studies.hpp"

#include <algorithm>

#include "uaspl/base/table.hpp"

namespace uaspl {
namespace {

const std::vector<std::string>& paper_methods() {
  static const std::vector<std::string> kMethods = {
      "direct",  "spl",      "spl_linear", "spl_mixture", "clu1",     "clu2",
      "wsplbf1", "wsplbf2",  "mw_net",     "active_bias", "spl_conf", "spl_marg",
      "mc_mi",   "mc_pbald", "mc_balent",  "uaspl"};
  return kMethods;
}

// The same table with another form of UASPL, and without the other soft form of SPL.
std::vector<std::string> with_form(const std::string& form, const std::string& left_out) {
  std::vector<std::string> all = paper_methods();
  std::erase(all, left_out);
  std::ranges::replace(all, std::string("uaspl"), form);
  return all;
}

std::vector<ExperimentOptions> noise_levels() {
  std::vector<ExperimentOptions> all(1);  // without noise, to compare with
  const auto add = [&](NoiseKind kind, double ratio) {
    all.emplace_back();
    all.back().noise = {kind, ratio};
  };
  for (const double ratio : {0.2, 0.4, 0.6}) add(NoiseKind::kUniform, ratio);
  for (const double ratio : {0.2, 0.4}) add(NoiseKind::kAsymmetric, ratio);
  return all;
}

std::vector<ExperimentOptions> pretrainings() {
  std::vector<ExperimentOptions> all;
  for (const int steps : {0, 5, 10, 20, 30, 50, 100}) {
    all.emplace_back();
    all.back().pretraining = steps;
  }
  return all;
}

const std::vector<Study>& table() {
  const std::vector<ExperimentOptions> usual(1);
  static const std::vector<Study> kStudies = {
      {"table-main", "UASPL and the fifteen methods it is compared with", paper_methods(), usual},
      {"table-linear", "the same with UASPL_linear", with_form("uaspl_linear", "spl_mixture"),
       usual},
      {"table-mixture", "the same with UASPL_mixture", with_form("uaspl_mixture", "spl_linear"),
       usual},
      {"table-ablation",
       "UASPL against a constant and a growing weight of the divergence, in all three forms",
       {"uaspl", "uaspl_beta1", "uaspl_beta_t", "uaspl_linear", "uaspl_beta1_linear",
        "uaspl_beta_t_linear", "uaspl_mixture", "uaspl_beta1_mixture", "uaspl_beta_t_mixture"},
       usual},
      {"noise", "wrong labels: uniform 0.2, 0.4, 0.6 and asymmetric 0.2, 0.4", paper_methods(),
       noise_levels()},
      {"pretraining",
       "0 to 100 steps of pre-training",
       {"spl", "uaspl", "uaspl_linear", "uaspl_mixture"},
       pretrainings()},
  };
  return kStudies;
}

}  // namespace

std::span<const Study> studies() { return table(); }
const Study& find_study(std::string_view name) { return find_named(studies(), "study", name); }

}  // namespace uaspl
