// What is known of a finished run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "uaspl/train/metrics.hpp"

namespace uaspl {

// What makes two runs the same.
struct RunKey {
  std::string dataset;      // its name, for people
  std::string data_sha256;  // of its content
  std::string method;
  std::string configuration;  // canonical JSON
  std::uint32_t seed = 0;
  bool operator==(const RunKey&) const = default;
};

struct StageRecord {
  int stage = 0;
  std::size_t selected = 0;
  int passes = 0;
  double mean_loss = 0.0;         // of all training rows when the stage begins
  double mean_uncertainty = 0.0;  // the same; vacuity, or entropy / ln K for losses on the softmax
  std::size_t ties = 0;           // rows outside whose loss is that of the hardest row inside
  std::size_t dead = 0;           // rows without evidence
  double first_loss = 0.0;        // mean of weight * loss of the selected rows in the first step
  double last_loss = 0.0;         // and in the last one
  double loss_variation = 0.0;    // mean over the first stage's rows of (before - after) / before
  double test_accuracy = 0.0;     // when the stage ends
};

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
  std::vector<SampleRecord> samples;  // only where a trace was asked for
  bool traced = false;                // the store has samples of it
  // Where it comes from; no part of the key.
  std::string version;   // of the program
  std::string commit;    // of its sources, where known
  std::string target;    // instruction set; others may differ in the last bit
  std::string finished;  // UTC
};

}  // namespace uaspl
