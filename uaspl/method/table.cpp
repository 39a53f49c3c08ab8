// The table of methods: to add one, write the function that makes it and a line here.
#include "uaspl/method/recipes.hpp"

namespace uaspl {
namespace {

const Option kGamma{"gamma", "width of the soft part, as a multiple of lambda", 1.0, 1e-3, 1e3};
const Option kBeta{"beta", "factor of the divergence", 1.0, 0.0, 1e3};

Option evidence(double initial) {
  return {"evidence", "how logits become evidence", initial, 0, 2, {"relu", "softplus", "exp"}};
}
const Option kEvidence = evidence(0);

const Option kNeighbours{"neighbours", "rows around a row that give belief", 4, 1, 1000, {}, true};
const Option kCentres{"centres", "of the classes: their means, or moved until the masses fit",
                      0,         0,
                      1,         {"means", "tuned"}};
const Option kPsi{"psi", "power by which the ambiguity gives way to the loss", 1.0, 0.0, 10.0};
const Option kG{"g", "power of the belief in the label, which is the weight", 1.0, 0.0, 100.0};

const Option kMeta{"meta", "share of the training rows kept apart", 0.2, 0.01, 0.9};
const Option kDiversity{"gamma", "advantage of the first of a kind, as a multiple of the mean loss",
                        1.0, 0.0, 1e3};

const Option kDropout{"dropout", "share of hidden units left out", 0.2, 0.0, 0.95};
const Option kPasses{"passes", "random passes for a score", 20, 2, 10000, {}, true};

constexpr std::string_view kKumar = "Kumar et al. 2010";
constexpr std::string_view kJiang = "Jiang et al. 2014";
constexpr std::string_view kZhao = "Zhao et al. 2015";
constexpr std::string_view kZhang = "Zhang et al. 2024";
constexpr std::string_view kPaper = "the UASPL paper";
constexpr std::string_view kOurs = "a future direction of the UASPL paper";

using Made = std::unique_ptr<Method>;

Made direct(const Settings&) { return make_direct(); }

template <Weights kWeights>
Made spl(const Settings& settings) {
  return make_spl(kWeights, settings);
}

template <Order kOrder>
Made spl_control(const Settings&) {
  return make_spl_control(kOrder);
}

template <Order kOrder>
Made uaspl_control(const Settings& settings) {
  return make_uaspl_control(kOrder, settings);
}

template <Divergence kDivergence, Weights kWeights>
Made uaspl(const Settings& settings) {
  return make_uaspl(kDivergence, kWeights, settings);
}

template <Masses kMasses>
Made clu(const Settings& settings) {
  return make_clu(kMasses, settings);
}

template <Masses kMasses>
Made wsplbf(const Settings& settings) {
  return make_wsplbf(kMasses, settings);
}

}  // namespace

// clang-format off
std::vector<MethodInfo> method_table() {
  using enum Divergence;
  using enum Weights;
  using enum Masses;
  return {
      {"direct", "all rows at once, cross-entropy", "-", {}, direct},
      {"spl", "easiest rows first by cross-entropy", kKumar, {}, spl<kHard>},
      {"spl_linear", "spl with linearly falling weights", kJiang, {}, spl<kLinear>},
      {"spl_mixture", "spl with partly soft weights", kZhao, {kGamma}, spl<kMixture>},
      {"clu1", "unambiguous rows first, by neighbours, within each class", kZhang,
       {kNeighbours}, clu<kEknn>},
      {"clu2", "unambiguous rows first, by class centres, within each class", kZhang,
       {kCentres}, clu<kEcm>},
      {"wsplbf1", "clu1 turning to the loss, weighted by belief in the label", kZhang,
       {kNeighbours, kPsi, kG}, wsplbf<kEknn>},
      {"wsplbf2", "clu2 turning to the loss, weighted by belief in the label", kZhang,
       {kCentres, kPsi, kG}, wsplbf<kEcm>},
      {"mw_net", "all rows, weights learned on rows kept apart", "Shu et al. 2019",
       {kMeta,
        {"hidden", "units of the weighting network", 100, 1, 10000, {}, true},
        {"rate", "Adam's rate for the weighting network", 1e-3, 0.0, 1.0},
        {"decay", "L2 on the weighting network", 1e-4, 0.0, 1.0},
        {"scale", "of the weights: as learned, or with mean 1 in a step", 0, 0, 1,
         {"learned", "mean"}, false, true}},
       make_mw_net},
      {"active_bias", "all rows, more weight where predictions vary", "Chang et al. 2017",
       {{"floor", "added to every weight before scaling", 0.2, 0.0, 10.0},
        {"use", "rows are weighted, or drawn with replacement", 0, 0, 1, {"weights", "draws"},
         false, true}},
       make_active_bias},
      {"spl_conf", "rows with a confident prediction first", "Settles 2009", {}, make_spl_conf},
      {"spl_marg", "rows with a wide margin first", "Scheffer et al. 2001", {}, make_spl_marg},
      {"mc_mi", "rows of low mutual information under dropout first", "Gal et al. 2017",
       {kDropout, kPasses}, make_mc_mi},
      {"mc_pbald", "drawn, the likelier the lower the mutual information", "Kirsch et al. 2023",
       {kDropout, kPasses, {"beta", "power of the mutual information", 1.0, 0.0, 100.0}},
       make_mc_pbald},
      {"mc_balent", "rows of low balanced entropy under dropout first", "Woo 2023",
       {kDropout, kPasses,
        {"entropy", "how often the numerator counts it", 0, 0, 1, {"once", "twice"}}},
       make_mc_balent},
      {"spl_spup", "spl with noise in the choice, fading with the stages", "Guo et al. 2018",
       {{"sigma", "deviation of the noise before it fades", 0.1, 0.0, 100.0}},
       make_spl_spup},
      {"uaspl", "easiest rows first by the uncertainty-aware evidential loss", kPaper,
       {kEvidence, kBeta}, uaspl<kAdaptive, kHard>},
      {"uaspl_linear", "uaspl with linearly falling weights", kPaper,
       {kEvidence, kBeta}, uaspl<kAdaptive, kLinear>},
      {"uaspl_mixture", "uaspl with partly soft weights", kPaper,
       {kEvidence, kBeta, kGamma}, uaspl<kAdaptive, kMixture>},
      {"uaspl_beta1", "ablation: divergence with weight 1", kPaper,
       {kEvidence}, uaspl<kConstant, kHard>},
      {"uaspl_beta1_linear", "the same with linearly falling weights", kPaper,
       {kEvidence}, uaspl<kConstant, kLinear>},
      {"uaspl_beta1_mixture", "the same with partly soft weights", kPaper,
       {kEvidence, kGamma}, uaspl<kConstant, kMixture>},
      {"uaspl_beta_t", "ablation: divergence with weight (t+1)/T in stage t", kPaper,
       {kEvidence}, uaspl<kGrowing, kHard>},
      {"uaspl_beta_t_linear", "the same with linearly falling weights", kPaper,
       {kEvidence}, uaspl<kGrowing, kLinear>},
      {"uaspl_beta_t_mixture", "the same with partly soft weights", kPaper,
       {kEvidence, kGamma}, uaspl<kGrowing, kMixture>},
      {"uaspl_hybrid", "uaspl of the image study: score turns from loss to certainty", kPaper,
       {evidence(2),
        {"beta_first", "factor of the divergence in the first stage", 0.1, 0.0, 1e3},
        {"beta_last", "the same in the last stage, changing evenly", 0.05, 0.0, 1e3},
        {"kappa", "pull on negative target logits", 1.0, 0.0, 1e3}},
       make_uaspl_hybrid},
      {"uaspl_ce", "easiest rows of each class first, by the expected cross-entropy and vacuity",
       "-",
       {evidence(2),
        {"beta", "factor of the divergence, shared by the classes", 0.1, 0.0, 1e3}},
       make_uaspl_ce},
      {"uaspl_reliable", "uaspl_linear that keeps rows whose doubt fits their error", kOurs,
       {kEvidence, kBeta,
        {"delta", "weight threshold of the least reliable row, as a share", 0.25, 1e-3, 1.0}},
       make_uaspl_reliable},
      {"uaspl_diverse", "uaspl that prefers rows of many kinds, as spld does", kOurs,
       {kEvidence, kBeta, kDiversity}, make_uaspl_diverse},
      {"uaspl_adaptive", "uaspl whose stages end and grow as the network learns", kOurs,
       {kEvidence, kBeta}, make_uaspl_adaptive},
      {"random_order", "control of spl: rows in a random order", "-", {},
       spl_control<Order::kRandom>},
      {"anti", "control of spl: hardest rows first", "-", {}, spl_control<Order::kHardest>},
      {"uaspl_random_order", "control of uaspl: rows in a random order", "-",
       {kEvidence, kBeta}, uaspl_control<Order::kRandom>},
      {"uaspl_anti", "control of uaspl: hardest rows first", "-",
       {kEvidence, kBeta}, uaspl_control<Order::kHardest>},
      {"majority", "control of all: the commonest class, whatever the row", "-", {}, make_majority},
      {"edl", "all rows, evidential loss with growing divergence", "Sensoy et al. 2018",
       {kEvidence}, make_edl},
      {"edl_ce", "edl with the expected cross-entropy", "Sensoy et al. 2018",
       {kEvidence}, make_edl_ce},
      {"r_edl", "edl with a smaller prior and without the variance", "Chen et al. 2024",
       {kEvidence, {"prior", "alpha without evidence", 0.1, 1e-3, 10.0}}, make_r_edl},
      {"i_edl", "edl weighted by Fisher information", "Deng et al. 2023",
       {kEvidence, {"c", "factor of the log determinant of the information", 0.05, 0.0, 10.0}},
       make_i_edl},
      {"superloss", "all rows, easy ones weighted up and hard ones down", "Castells et al. 2020",
       {{"lambda", "how little weights differ", 1.0, 1e-3, 1e3}}, make_superloss},
      {"spld", "spl that prefers rows of many kinds", "Jiang et al. 2014b",
       {kDiversity}, make_spld},
      {"dihcl", "fewer and fewer rows, the likelier the harder they were", "Zhou et al. 2020",
       {{"hardness", "running mean of the loss, or of changes of the prediction", 0, 0, 1,
         {"loss", "flips"}}},
       make_dihcl},
      {"lre", "all rows, by how much they help rows kept apart", "Ren et al. 2018",
       {kMeta, {"most", "largest weight of a row", 5.0, 1.0, 1e6}}, make_lre},
      {"el2n", "spl by the mean error of the pre-training", "Paul et al. 2021", {}, make_el2n},
      {"forgetting", "spl by how often the pre-training forgot a row", "Toneva et al. 2019", {},
       make_forgetting},
      {"evidential_forest", "randomised trees, whose leaves hold evidence", "Breiman 2001",
       {{"trees", "how many", 200, 1, 10000, {}, true},
        {"kind", "best splits on drawn rows, or drawn splits on all rows", 0, 0, 1,
         {"random", "extreme"}},
        {"min_leaf", "rows of a leaf at least", 2, 1, 100000, {}, true}},
       nullptr, Way::kForest},
      {"uaspl_a", "a committee of uaspl_ce networks and forests, calibrated out of fold", "-",
       {{"trees", "of each forest; 0: no forests", 200, 0, 10000, {}, true},
        {"folds", "that networks leave out in turn; 0: by the number of rows", 0, 0, 100, {}, true},
        {"encodings", "robust alone, with pieces, or with whitening too", 1, 0, 2,
         {"robust", "pieces", "all"}}},
       nullptr, Way::kCommittee},
      {"aum", "spl by the mean margin of the pre-training", "Pleiss et al. 2020", {}, make_aum},
  };
}
// clang-format on

}  // namespace uaspl
