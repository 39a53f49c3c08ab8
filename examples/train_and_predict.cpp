// Trains a model on a CSV file, saves it, loads it again and asks it about a new customer.
// Usage: train_and_predict customers.csv churn.model
#include <uaspl/uaspl.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw uaspl::Error("usage: train_and_predict customers.csv churn.model");

    const uaspl::TrainedModel trained = uaspl::train(argv[1], {.target = "churned"});
    std::printf("accuracy on rows held out: %.4f\n", trained.held_out->metrics.accuracy);
    uaspl::save_model(trained.model, argv[2]);

    const uaspl::Predictor predictor(uaspl::load_model(argv[2]));
    const uaspl::Prediction answer = predictor.predict_row(
        {{"age", 42}, {"contract", "monthly"}, {"town", "Berlin"}, {"calls", 7}, {"bill", 61.5}});
    std::printf("leaves: %s\n", answer.label.c_str());
    for (std::size_t k = 0; k < answer.probabilities.size(); ++k)
      std::printf("  %-3s %.3f\n", predictor.model().target.classes[k].c_str(),
                  answer.probabilities[k]);
    std::printf("vacuity %.3f (0: much evidence, 1: none)\n", *answer.vacuity);

    const uaspl::Evaluation scores = uaspl::evaluate(predictor, argv[1]);
    std::printf("on all %zu rows: accuracy %.4f, log-loss %.4f\n", scores.rows,
                scores.metrics.accuracy, scores.log_loss);
    return 0;
  } catch (const uaspl::Error& error) {
    std::fprintf(stderr, "train_and_predict: %s\n", error.what());
    return 1;
  }
}
