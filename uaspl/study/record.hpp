// Defines the records of a finished run. Each record lists its fields once, with their names in
// files; the results store, checkpoints, messages between ranks and reports all use these lists.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "uaspl/model/evaluation.hpp"
#include "uaspl/study/stage_numbers.hpp"

namespace uaspl {

// Raised when the same data, method, configuration and seed give other results than before.
constexpr int kResultsVersion = 2;  // of tables
constexpr int kImageResultsVersion = 3;

// A record that is read (const), or one that is filled in.
template <typename Self, typename Record>
concept Like = std::same_as<std::remove_const_t<Self>, Record>;

// The identity of a run: runs with the same key are the same.
struct RunKey {
  std::string dataset;      // its name, for people
  std::string data_sha256;  // of its content
  std::string method;
  std::string configuration;  // canonical JSON
  std::uint32_t seed = 0;
  bool operator==(const RunKey&) const = default;

  // The configuration of a run on images names its network; protocol.cpp writes it so.
  bool is_of_images() const { return configuration.find("\"network\":") != std::string::npos; }
  // import_runs.cpp writes so what other programs made.
  bool is_imported() const { return configuration.find("\"imported\":") != std::string::npos; }
  int results_version() const { return is_of_images() ? kImageResultsVersion : kResultsVersion; }
};
template <Like<RunKey> Self, typename Visit>
void visit_fields(Self& key, Visit&& visit) {
  visit("dataset", key.dataset);
  visit("data_sha256", key.data_sha256);
  visit("method", key.method);
  visit("configuration", key.configuration);
  visit("seed", key.seed);
}

struct StageRecord {
  int stage = 0;
  std::size_t selected = 0;
  int passes = 0;
  double mean_loss = 0.0;         // of all training rows when the stage begins
  double mean_uncertainty = 0.0;  // the same; vacuity, or entropy / ln K for softmax losses
  std::size_t ties = 0;           // unselected rows whose loss is that of the hardest selected row
  std::size_t dead = 0;           // rows without evidence
  double first_loss = 0.0;        // mean of weight * loss of the selected rows in the first step
  double last_loss = 0.0;         // the same in the last step
  // Of the first stage's rows; of methods that take all rows, of the quarter that was easiest then.
  double loss_variation = 0.0;  // the mean, see LossVariation
  double test_accuracy = 0.0;   // when the stage ends
  // What follows is not known of runs that older programs stored: NaN, and no rows.
  double train_accuracy = std::numeric_limits<double>::quiet_NaN();  // when the stage ends
  double quarter_median = std::numeric_limits<double>::quiet_NaN();  // as loss_variation
  double quarter_robust = std::numeric_limits<double>::quiet_NaN();  // as loss_variation
  LossVariation variation = {};  // of the first stage's rows; all, if the method takes all
  RowGroups groups = {};         // of all training rows when the stage begins
};
template <Like<StageRecord> Self, typename Visit>
void visit_fields(Self& record, Visit&& visit) {
  visit("stage", record.stage);
  visit("selected", record.selected);
  visit("passes", record.passes);
  visit("mean_loss", record.mean_loss);
  visit("mean_uncertainty", record.mean_uncertainty);
  visit("ties", record.ties);
  visit("dead", record.dead);
  visit("first_loss", record.first_loss);
  visit("last_loss", record.last_loss);
  visit("loss_variation", record.loss_variation);
  visit("test_accuracy", record.test_accuracy);
  visit("train_accuracy", record.train_accuracy);
  visit("quarter_median", record.quarter_median);
  visit("quarter_robust", record.quarter_robust);
  visit("variation", record.variation.mean);
  visit("variation_median", record.variation.median);
  visit("variation_robust", record.variation.robust);
  visit("right_sure_rows", record.groups.right_sure.rows);
  visit("right_unsure_rows", record.groups.right_unsure.rows);
  visit("wrong_unsure_rows", record.groups.wrong_unsure.rows);
  visit("wrong_sure_rows", record.groups.wrong_sure.rows);
  visit("right_sure_loss", record.groups.right_sure.loss);
  visit("right_unsure_loss", record.groups.right_unsure.loss);
  visit("wrong_unsure_loss", record.groups.wrong_unsure.loss);
  visit("wrong_sure_loss", record.groups.wrong_sure.loss);
}

// A training row at the beginning of a stage.
struct SampleRecord {
  int stage = 0;
  int row = 0;  // of the data set
  float loss = 0.0F;
  float uncertainty = 0.0F;
  float weight = 0.0F;
  bool correct = false;
  bool selected = false;
};
template <Like<SampleRecord> Self, typename Visit>
void visit_fields(Self& record, Visit&& visit) {
  visit("stage", record.stage);
  visit("row", record.row);
  visit("loss", record.loss);
  visit("uncertainty", record.uncertainty);
  visit("weight", record.weight);
  visit("correct", record.correct);
  visit("selected", record.selected);
}

// A test row at the end.
struct PredictionRecord {
  int row = 0;                       // of the data set
  int label = 0;                     // its class
  int predicted = 0;                 // -1: no answer
  float uncertainty = 0.0F;          // vacuity, or entropy in nats for softmax losses
  std::vector<float> probabilities;  // of the classes; none without an answer
};
template <Like<PredictionRecord> Self, typename Visit>
void visit_fields(Self& record, Visit&& visit) {
  visit("row", record.row);
  visit("label", record.label);
  visit("predicted", record.predicted);
  visit("uncertainty", record.uncertainty);
  visit("probabilities", record.probabilities);
}

// The network after a pass over the rows of a stage. Losses are means of the stage's loss.
struct PassRecord {
  int stage = 0;
  int pass = 0;
  double loss = 0.0;  // of the rows of the stage with their weights, before their updates
  double train_loss = 0.0;
  double train_accuracy = 0.0;
  double test_loss = 0.0;
  double test_accuracy = 0.0;
};
template <Like<PassRecord> Self, typename Visit>
void visit_fields(Self& record, Visit&& visit) {
  visit("stage", record.stage);
  visit("pass", record.pass);
  visit("loss", record.loss);
  visit("train_loss", record.train_loss);
  visit("train_accuracy", record.train_accuracy);
  visit("test_loss", record.test_loss);
  visit("test_accuracy", record.test_accuracy);
}

// What is kept of a run only where it is asked for. It changes no result.
struct RunParts {
  bool samples = false;      // every training row at every stage
  bool predictions = false;  // every test row
  bool passes = false;       // the network after every pass
  bool operator==(const RunParts&) const = default;
  bool include(const RunParts& others) const {
    return (samples || !others.samples) && (predictions || !others.predictions) &&
           (passes || !others.passes);
  }
};
template <Like<RunParts> Self, typename Visit>
void visit_fields(Self& parts, Visit&& visit) {
  visit("traced", parts.samples);
  visit("has_predictions", parts.predictions);
  visit("has_passes", parts.passes);
}

struct RunRecord {
  RunKey key;
  Metrics metrics;       // on the test rows
  double seconds = 0.0;  // training of the method, pre-training included, and prediction
  std::size_t rows = 0;  // of the data set
  std::size_t classes = 0;
  std::size_t unseen_rows = 0;  // test rows of a class that no training row has
  bool diverged = false;        // some loss was not finite
  bool stalled = false;         // rows without evidence stayed so
  std::vector<StageRecord> stages;
  std::vector<SampleRecord> samples;
  std::vector<PredictionRecord> predictions = {};
  std::vector<PassRecord> passes = {};
  RunParts parts;  // which of these three were recorded; read from a store, they may be left there
  // Where the run comes from; not part of the key.
  std::string version;   // of the program
  std::string commit;    // of its sources, if known
  std::string target;    // instruction set; results of others may differ in the last bit
  std::string finished;  // UTC
  // Of the test rows. Not known of runs that older programs stored: NaN, and no class.
  Calibration calibration = {};
  std::size_t predicted_classes = 0;  // different ones among the predictions
  double majority = std::numeric_limits<double>::quiet_NaN();  // share of the commonest class
  // Rows of the largest class of the data set for one of the smallest; not known as above.
  double class_ratio = std::numeric_limits<double>::quiet_NaN();
  // Of `seconds`, the prediction of the test rows; not known as above.
  double inference_seconds = std::numeric_limits<double>::quiet_NaN();
  std::string class_names = {};  // a JSON list, if predictions are kept and it is not too long

  bool is_judged() const { return predicted_classes > 0; }  // the fields above are known
};
// Visits all fields but the lists.
template <Like<RunRecord> Self, typename Visit>
void visit_fields(Self& record, Visit&& visit) {
  visit_fields(record.key, visit);
  visit("accuracy", record.metrics.accuracy);
  visit("precision", record.metrics.precision);
  visit("recall", record.metrics.recall);
  visit("f1", record.metrics.f1);
  visit("seconds", record.seconds);
  visit("rows", record.rows);
  visit("classes", record.classes);
  visit("unseen_rows", record.unseen_rows);
  visit("diverged", record.diverged);
  visit("stalled", record.stalled);
  visit("version", record.version);
  visit("code_commit", record.commit);
  visit("target", record.target);
  visit("finished", record.finished);
  visit("log_loss", record.calibration.log_loss);
  visit("brier", record.calibration.brier);
  visit("ece", record.calibration.ece);
  visit("error_auroc", record.calibration.error_auroc);
  visit("predicted_classes", record.predicted_classes);
  visit("majority", record.majority);
  visit("class_ratio", record.class_ratio);
  visit("inference_seconds", record.inference_seconds);
  visit("class_names", record.class_names);
  visit_fields(record.parts, visit);
}

}  // namespace uaspl
