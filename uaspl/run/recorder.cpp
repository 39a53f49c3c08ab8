// What the results store keeps of a fit, see recorder.hpp.
#include "uaspl/run/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/train/metrics.hpp"

namespace uaspl {
namespace {

constexpr double kVariationFloor = 1e-8;  // below which a loss counts as none

double mean(std::span<const float> values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

// Rows outside the plan whose loss equals that of the hardest row inside.
std::size_t count_ties(const Plan& plan, std::span<const float> losses) {
  std::vector<bool> inside(losses.size());
  float hardest = -std::numeric_limits<float>::infinity();
  for (const int row : plan.rows) {
    inside[static_cast<std::size_t>(row)] = true;
    hardest = std::max(hardest, losses[static_cast<std::size_t>(row)]);
  }
  std::size_t ties = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) ties += !inside[i] && losses[i] == hardest;
  return ties;
}

}  // namespace

std::vector<float> uncertainties(const Matrix& logits, const Loss& loss) {
  if (loss.evidence()) return vacuity(logits, *loss.evidence());
  const DoubleMatrix p = softmax(logits);
  const double scale = 1.0 / std::log(static_cast<double>(std::max<std::size_t>(2, p.cols())));
  std::vector<float> entropies(p.rows());
  for (std::size_t i = 0; i < p.rows(); ++i) {
    double entropy = 0.0;
    for (const double value : p.row(i))
      if (value != 0.0) entropy -= value * std::log(value);
    entropies[i] = static_cast<float>(entropy * scale);
  }
  return entropies;
}

Recorder::Recorder(const Method& method, std::function<double()> test_accuracy, bool trace,
                   Observer* inner)
    : method_(method), test_accuracy_(std::move(test_accuracy)), trace_(trace), inner_(inner) {}

void Recorder::on_stage_start(const Stage& stage, const Probe& probe, const Plan& plan) {
  if (inner_) inner_->on_stage_start(stage, probe, plan);
  stage_ = stage;
  const Loss loss = method_.loss(stage);
  before_ = probe.losses(loss);
  const std::vector<float> unsure = uncertainties(probe.logits(), loss);
  if (stage.index == 0)  // methods that take all rows are judged by their easiest quarter
    first_rows_ = method_.take() == Take::kAll
                      ? easiest(before_, stage_rows(stage.share, probe.rows())).rows
                      : plan.rows;
  const auto outside = [&](int row) {
    return row < 0 || std::cmp_greater_equal(row, probe.rows());
  };
  if (std::ranges::any_of(first_rows_, outside))
    throw Error("saved state: rows that are not there");
  StageRecord record;
  record.stage = stage.index;
  record.selected = plan.rows.size();
  record.mean_loss = mean(before_);
  record.mean_uncertainty = mean(unsure);
  record.ties = count_ties(plan, before_);
  stages.push_back(record);
  if (trace_) add_samples(stage, probe, plan, before_, unsure);
}

void Recorder::on_step(const Visit& visit, std::span<const float> weights) {
  if (inner_) inner_->on_step(visit, weights);
}

void Recorder::on_pass(int stage, int pass, double loss) {
  if (inner_) inner_->on_pass(stage, pass, loss);
}

void Recorder::on_stage_end(const StageTrace& trace, const Probe& after) {
  if (inner_) inner_->on_stage_end(trace, after);
  StageRecord& record = stages.back();
  record.passes = trace.passes;
  record.dead = trace.dead;
  record.first_loss = trace.first_loss;
  record.last_loss = trace.last_loss;
  record.loss_variation = variation(after.losses(method_.loss(stage_)));
  record.test_accuracy = test_accuracy_();
}

void Recorder::add_samples(const Stage& stage, const Probe& probe, const Plan& plan,
                           std::span<const float> losses, std::span<const float> uncertainties) {
  const std::vector<int> predicted = predicted_classes(probe.logits());
  const std::size_t first = samples.size();
  for (std::size_t i = 0; i < probe.rows(); ++i)
    samples.push_back({.stage = stage.index,
                       .row = probe.data_rows()[i],
                       .loss = losses[i],
                       .uncertainty = uncertainties[i],
                       .weight = 0.0F,
                       .correct = predicted[i] == probe.labels()[i],
                       .selected = false});
  for (std::size_t j = 0; j < plan.rows.size(); ++j) {
    SampleRecord& sample = samples[first + static_cast<std::size_t>(plan.rows[j])];
    sample.selected = true;
    sample.weight = plan.weights[j];
  }
}

double Recorder::variation(std::span<const float> after) const {
  double sum = 0.0;
  for (const int row : first_rows_) {
    const double before = before_[static_cast<std::size_t>(row)];
    const double now = after[static_cast<std::size_t>(row)];
    sum += (before - now) / (before + kVariationFloor);
  }
  return first_rows_.empty() ? 0.0 : sum / static_cast<double>(first_rows_.size());
}

void Recorder::save(Numbers& numbers) const {
  if (inner_) inner_->save(numbers);
  numbers.put("first_rows", first_rows_);
  DoubleMatrix kept(stages.size(), 11);
  for (std::size_t i = 0; i < kept.rows(); ++i) {
    const StageRecord& s = stages[i];
    std::ranges::copy(std::array{static_cast<double>(s.stage), static_cast<double>(s.selected),
                                 static_cast<double>(s.passes), s.mean_loss, s.mean_uncertainty,
                                 static_cast<double>(s.ties), static_cast<double>(s.dead),
                                 s.first_loss, s.last_loss, s.loss_variation, s.test_accuracy},
                      kept.row(i).begin());
  }
  numbers.put("stage_records", std::move(kept));
  DoubleMatrix rows(samples.size(), 7);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SampleRecord& s = samples[i];
    std::ranges::copy(
        std::array<double, 7>{static_cast<double>(s.stage), static_cast<double>(s.row), s.loss,
                              s.uncertainty, s.weight, s.correct ? 1.0 : 0.0,
                              s.selected ? 1.0 : 0.0},
        rows.row(i).begin());
  }
  numbers.put("sample_records", std::move(rows));
}

void Recorder::load(const Numbers& numbers) {
  if (inner_) inner_->load(numbers);
  first_rows_ = numbers.get<int>("first_rows");
  const DoubleMatrix& kept = numbers.matrix("stage_records");
  const DoubleMatrix& rows = numbers.matrix("sample_records");
  if (kept.cols() != 11 || rows.cols() != 7) throw Error("saved state: records of another shape");
  const auto count = Numbers::as<std::size_t>;
  for (std::size_t i = 0; i < kept.rows(); ++i) {
    const auto r = kept.row(i);
    stages.push_back({.stage = Numbers::as<int>(r[0]),
                      .selected = count(r[1]),
                      .passes = Numbers::as<int>(r[2]),
                      .mean_loss = r[3],
                      .mean_uncertainty = r[4],
                      .ties = count(r[5]),
                      .dead = count(r[6]),
                      .first_loss = r[7],
                      .last_loss = r[8],
                      .loss_variation = r[9],
                      .test_accuracy = r[10]});
  }
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto r = rows.row(i);
    samples.push_back({.stage = Numbers::as<int>(r[0]),
                       .row = Numbers::as<int>(r[1]),
                       .loss = static_cast<float>(r[2]),
                       .uncertainty = static_cast<float>(r[3]),
                       .weight = static_cast<float>(r[4]),
                       .correct = r[5] != 0.0,
                       .selected = r[6] != 0.0});
  }
}

}  // namespace uaspl
