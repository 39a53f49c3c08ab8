// A method of one's own, compared with SPL. Usage: own_method FILE.csv
#include <cstdio>
#include <exception>

#include "uaspl/data/catalogue.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/run/experiment.hpp"

using namespace uaspl;

// Low is easy: the Gini impurity of the predicted probabilities, 1 - sum p^2, and a share of the
// cross-entropy so that confident mistakes are not taken for easy rows.
std::vector<float> impurity(const Probe& probe, double loss_share) {
  const DoubleMatrix p = softmax(probe.logits());
  std::vector<float> score = probe.losses(cross_entropy());
  for (std::size_t i = 0; i < score.size(); ++i) {
    double gini = 1.0;
    for (const double value : p.row(i)) gini -= value * value;
    score[i] = static_cast<float>(gini + loss_share * static_cast<double>(score[i]));
  }
  return score;
}

// A recipe: a loss, a score, weights. What is not said is as in plain self-paced learning.
std::unique_ptr<Method> make_spl_gini(const Settings& settings) {
  const double loss_share = settings["loss"];
  return paced(
      {.loss = [](const Stage&) { return cross_entropy(); },
       .score = [=](const Stage&, const Probe& probe) { return impurity(probe, loss_share); },
       .regulariser = linear_weight});
}

// Its table line: name, one line, reference, options (name, meaning, default, lowest, highest).
const MethodInfo kSplGini = {"spl_gini",
                             "rows of pure predictions first",
                             "-",
                             {{"loss", "share of the loss in the score", 0.5, 0.0, 10.0}},
                             make_spl_gini};

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: own_method FILE.csv");
    const Dataset data = open_dataset(argv[1], {});
    for (const MethodInfo* info : {&find_method("spl"), &kSplGini}) {
      double sum = 0.0;
      for (std::uint32_t seed = 1; seed <= 5; ++seed)
        sum += PreparedRun(data, seed, {}).run({info, Settings(info->options)})->metrics.accuracy;
      std::printf("%-9s %.4f\n", std::string(info->name).c_str(), sum / 5);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "own_method: %s\n", error.what());
    return 1;
  }
}
