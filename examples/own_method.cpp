// A method of one's own, compared with SPL in a grid, stored and shown in a report.
// Usage: own_method FILE.csv RESULTS.db
#include <uaspl/lab.hpp>

#include <cstdio>

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

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw Error("usage: own_method FILE.csv RESULTS.db");
    // Its table line: name, one line, reference, options (name, meaning, default, lowest, highest).
    add_method({"spl_gini",
                "rows of pure predictions first",
                "-",
                {{"loss", "share of the loss in the score", 0.5, 0.0, 10.0}},
                make_spl_gini});

    Study study;
    study.methods = {"spl", "spl_gini"};
    study.runs = 5;
    study.variants.emplace_back();  // the paper's protocol
    const StudyGrid grid(study, {open_dataset(argv[1])});
    const std::atomic<bool> never{false};
    const StudyOutcome outcome = run_study(grid, {.database = argv[2], .jobs = 2}, never);
    std::printf("%s", markdown_report(make_report(outcome.runs, *outcome.store)).c_str());
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "own_method: %s\n", error.what());
    return 1;
  }
}
