// Records what the results store keeps of a fit, see recorder.hpp.
#include "uaspl/study/recorder.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/model/metrics.hpp"
#include "uaspl/model/readout.hpp"

namespace uaspl {
namespace {

double mean(std::span<const float> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

std::vector<bool> correct_rows(const Probe& probe) {
  const std::vector<int> predicted = predicted_classes(probe.logits());
  std::vector<bool> correct(probe.rows());
  for (std::size_t i = 0; i < correct.size(); ++i) correct[i] = predicted[i] == probe.labels()[i];
  return correct;
}

// Counts the rows that were not chosen and whose loss equals that of the hardest chosen row.
std::size_t count_ties(const StageRows& chosen, std::span<const float> losses) {
  std::vector<bool> inside(losses.size());
  float hardest = -std::numeric_limits<float>::infinity();
  for (const int row : chosen.rows) {
    inside[static_cast<std::size_t>(row)] = true;
    hardest = std::max(hardest, losses[static_cast<std::size_t>(row)]);
  }
  std::size_t ties = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) ties += !inside[i] && losses[i] == hardest;
  return ties;
}

template <typename Record>
std::size_t count_fields() {
  std::size_t count = 0;
  const Record any;
  visit_fields(any, [&](const char*, const auto&) { ++count; });
  return count;
}

// Makes a matrix with a row for each record and a column for each field.
template <typename Record>
DoubleMatrix to_matrix(const std::vector<Record>& records) {
  DoubleMatrix kept(records.size(), count_fields<Record>());
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::size_t column = 0;
    visit_fields(records[i], [&](const char*, const auto& field) {
      kept(i, column++) = static_cast<double>(field);
    });
  }
  return kept;
}

template <typename Record>
std::vector<Record> from_matrix(const DoubleMatrix& kept) {
  SavedState::expect_shape("records", kept, kept.rows(), count_fields<Record>());
  std::vector<Record> records(kept.rows());
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::size_t column = 0;
    visit_fields(records[i], [&](const char*, auto& field) {
      field = SavedState::as<std::decay_t<decltype(field)>>(kept(i, column++));
    });
  }
  return records;
}

}  // namespace

Recorder::Recorder(RecorderOptions options, Observer* inner)
    : options_(std::move(options)), inner_(inner) {}

void Recorder::on_start(const Network& network, const Method& method) {
  if (inner_) inner_->on_start(network, method);
  network_ = &network;
  method_ = &method;
}

void Recorder::on_stage_start(const Stage& stage, const Probe& probe, const StageRows& chosen) {
  if (inner_) inner_->on_stage_start(stage, probe, chosen);
  stage_ = stage;
  const Loss loss = method_->loss(stage);
  before_ = probe.losses(loss);
  const std::vector<float> unsure =
      uaspl::uncertainties(probe.logits(), {loss.evidence(), loss.prior()});
  if (stage.index == 0)  // methods that take all rows are judged by their easiest quarter
    first_rows_ = method_->take() == Selection::kAll
                      ? easiest(before_, stage_rows(stage.share, probe.rows())).rows
                      : chosen.rows;
  const auto outside = [&](int row) {
    return row < 0 || std::cmp_greater_equal(row, probe.rows());
  };
  if (std::ranges::any_of(first_rows_, outside))
    throw Error("saved state: rows that are not there");
  StageRecord record;
  record.stage = stage.index;
  record.selected = chosen.rows.size();
  record.mean_loss = mean(before_);
  record.mean_uncertainty = mean(unsure);
  record.ties = count_ties(chosen, before_);
  record.groups = group_rows(before_, unsure, correct_rows(probe));
  stages.push_back(record);
  if (options_.trace) add_samples(stage, probe, chosen, before_, unsure);
}

void Recorder::on_step(const Visit& visit, std::span<const float> weights) {
  if (inner_) inner_->on_step(visit, weights);
}

void Recorder::on_pass(int stage, int pass, double loss) {
  if (inner_) inner_->on_pass(stage, pass, loss);
  if (!options_.judge_pass) return;
  const auto began = Clock::now();
  PassRecord record = options_.judge_pass(*network_, method_->loss(stage_));
  record.stage = stage;
  record.pass = pass;
  record.loss = loss;
  passes.push_back(record);
  judging_seconds += seconds_since(began);
}

void Recorder::on_stage_end(const StageTrace& trace, const Probe& after) {
  if (inner_) inner_->on_stage_end(trace, after);
  StageRecord& record = stages.back();
  record.passes = trace.passes;
  record.dead = trace.dead;
  record.first_loss = trace.first_loss;
  record.last_loss = trace.last_loss;
  record.test_accuracy = options_.test_accuracy(*network_);
  const std::vector<bool> correct = correct_rows(after);
  record.train_accuracy =
      static_cast<double>(std::ranges::count(correct, true)) / static_cast<double>(correct.size());
  const std::vector<float> losses = after.losses(method_->loss(stage_));
  const LossVariation first = loss_variation(before_, losses, first_rows_);
  record.loss_variation = first.mean;
  record.quarter_median = first.median;
  record.quarter_robust = first.robust;
  record.variation = first;
  if (method_->take() == Selection::kAll) {
    std::vector<int> all(losses.size());
    std::iota(all.begin(), all.end(), 0);
    record.variation = loss_variation(before_, losses, all);
  }
}

void Recorder::add_samples(const Stage& stage, const Probe& probe, const StageRows& chosen,
                           std::span<const float> losses, std::span<const float> uncertainties) {
  const std::vector<bool> correct = correct_rows(probe);
  const std::size_t first = samples.size();
  for (std::size_t i = 0; i < probe.rows(); ++i)
    samples.push_back({.stage = stage.index,
                       .row = probe.data_rows()[i],
                       .loss = losses[i],
                       .uncertainty = uncertainties[i],
                       .weight = 0.0F,
                       .correct = correct[i],
                       .selected = false});
  for (std::size_t j = 0; j < chosen.rows.size(); ++j) {
    SampleRecord& sample = samples[first + static_cast<std::size_t>(chosen.rows[j])];
    sample.selected = true;
    sample.weight = chosen.weights[j];
  }
}

void Recorder::save(SavedState& numbers) const {
  if (inner_) inner_->save(numbers);
  numbers.put("first_rows", first_rows_);
  numbers.put("stage_records", to_matrix(stages));
  numbers.put("sample_records", to_matrix(samples));
  if (!options_.judge_pass) return;
  numbers.put("pass_records", to_matrix(passes));
  numbers.put("judging_seconds", std::vector{judging_seconds});
}

void Recorder::load(const SavedState& numbers) {
  if (inner_) inner_->load(numbers);
  first_rows_ = numbers.get<int>("first_rows");
  stages = from_matrix<StageRecord>(numbers.matrix("stage_records"));
  samples = from_matrix<SampleRecord>(numbers.matrix("sample_records"));
  if (options_.judge_pass) {
    passes = from_matrix<PassRecord>(numbers.matrix("pass_records"));
    judging_seconds = numbers.get<double>("judging_seconds", 1).front();
  }
  check_loaded();
}

// The records are read again at the next stages, and stored as they are. Whether the rows are there
// is known at the next stage.
void Recorder::check_loaded() const {
  std::vector<int> rows = first_rows_;
  std::ranges::sort(rows);
  if (std::ranges::adjacent_find(rows) != rows.end())
    throw Error("saved state: a row of the first stage comes twice");
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (!std::cmp_equal(stages[i].stage, i) || stages[i].passes < 0)
      throw Error("saved state: records of stages that are not in their order");
  for (const SampleRecord& sample : samples)
    if (sample.stage < 0 || std::cmp_greater_equal(sample.stage, stages.size()) || sample.row < 0)
      throw Error("saved state: a record of a row or stage that is not there");
  for (const PassRecord& pass : passes)
    if (pass.stage < 0 || std::cmp_greater_equal(pass.stage, stages.size()) || pass.pass < 0)
      throw Error("saved state: a record of a pass or stage that is not there");
}

}  // namespace uaspl
