// What the recorder writes down of a fit, compared with what another observer sees of it.
#include "uaspl/study/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kRows = 40;

Loss plain_loss(const Stage&) { return cross_entropy(); }
Loss evidential(const Stage&) { return evidential_loss({.evidence = Evidence::kSoftplus}); }

// The rows of the data set are in an order of their own, so that places and rows differ.
struct Setting {
  testing::Clouds clouds = testing::make_clouds(kRows, 3, 2, 4);
  std::vector<int> labels;
  TrainingSet set;
  Mlp net{{.inputs = 3, .hidden = {12}, .classes = 2}, 8};
  Setting() {
    std::ranges::reverse(clouds.rows);
    for (const int row : clouds.rows)
      labels.push_back(clouds.labels[static_cast<std::size_t>(row)]);
    set = {&clouds.inputs, clouds.rows, labels, 2};
  }
};

// Keeps what it is told, in the order in which it comes.
class Witness final : public Observer {
 public:
  struct Seen {
    StageRows plan;
    Matrix before;
    Matrix after;
    StageTrace trace;
  };
  void on_start(const Network& network, const Method&) override { started = &network; }
  void on_step(const Visit&, std::span<const float>) override { ++steps; }
  void on_pass(int, int, double) override { ++passes; }
  void on_stage_start(const Stage&, const Probe& probe, const StageRows& plan) override {
    seen.push_back({plan, probe.logits(), {}, {}});
  }
  void on_stage_end(const StageTrace& trace, const Probe& after) override {
    seen.back().after = after.logits();
    seen.back().trace = trace;
  }
  bool stop() override {
    ++asked;
    return static_cast<int>(seen.size()) > stop_after;
  }
  void save(SavedState& numbers) const override { numbers.put("witness", std::vector<int>{steps}); }
  void load(const SavedState& numbers) override { loaded = numbers.get<int>("witness", 1)[0]; }

  const Network* started = nullptr;
  std::vector<Seen> seen;
  int steps = 0;
  int passes = 0;
  int asked = 0;
  int loaded = 0;
  int stop_after = 100;
};

std::vector<double> cross_entropies(const Matrix& logits, std::span<const int> labels) {
  std::vector<double> losses(labels.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    double sum = 0.0;
    for (const float o : logits.row(i)) sum += std::exp(static_cast<double>(o));
    losses[i] = std::log(sum) - logits(i, static_cast<std::size_t>(labels[i]));
  }
  return losses;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

FitReport record(Setting& s, Method& method, Recorder& recorder, const Training& training) {
  recorder.on_start(s.net, method);
  return fit(s.net, method, s.set, training, &recorder);
}

TEST(Recorder, WritesDownWhatTheStagesWere) {
  Setting s;
  Witness witness;
  std::vector<double> accuracies;
  const auto test = [&](const Network& network) {
    EXPECT_EQ(&network, &s.net);
    accuracies.push_back(0.5 + 0.01 * static_cast<double>(accuracies.size()));
    return accuracies.back();
  };
  Recorder recorder({test}, &witness);
  const auto method = paced({.loss = plain_loss});
  record(s, *method, recorder, {.passes = 7, .step = {.rate = 0.02F}});
  ASSERT_EQ(recorder.stages.size(), 6U);
  ASSERT_EQ(witness.seen.size(), 6U);
  EXPECT_TRUE(recorder.samples.empty());
  for (std::size_t t = 0; t < 6; ++t) {
    const StageRecord& record = recorder.stages[t];
    const Witness::Seen& seen = witness.seen[t];
    EXPECT_EQ(record.stage, static_cast<int>(t));
    EXPECT_EQ(record.selected, seen.plan.rows.size());
    EXPECT_EQ(record.passes, seen.trace.passes);
    EXPECT_EQ(record.dead, seen.trace.dead);
    EXPECT_EQ(record.first_loss, seen.trace.first_loss);
    EXPECT_EQ(record.last_loss, seen.trace.last_loss);
    EXPECT_EQ(record.test_accuracy, accuracies[t]);
    EXPECT_EQ(record.ties, 0U);
    const auto before = cross_entropies(seen.before, s.labels);
    const auto after = cross_entropies(seen.after, s.labels);
    EXPECT_NEAR(record.mean_loss, mean(before), 1e-6);
    double entropy = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double p = 1.0 / (1.0 + std::exp(seen.before(i, 1) - seen.before(i, 0)));
      entropy -= p * std::log(p) + (1.0 - p) * std::log(1.0 - p);
    }
    EXPECT_NEAR(record.mean_uncertainty, entropy / kRows / std::log(2.0), 1e-5);
    // Always of the rows that the first stage took in.
    std::vector<double> shares;
    for (const int row : witness.seen[0].plan.rows) {
      const auto i = static_cast<std::size_t>(row);
      shares.push_back((before[i] - after[i]) / before[i]);
    }
    EXPECT_NEAR(record.loss_variation, mean(shares), 1e-5) << t;
    EXPECT_EQ(record.variation.mean, record.loss_variation);
    EXPECT_EQ(record.variation.median, record.quarter_median);
    EXPECT_EQ(record.variation.robust, record.quarter_robust);
    std::ranges::sort(shares);
    EXPECT_NEAR(record.variation.median, (shares[4] + shares[5]) / 2, 1e-5);
    std::size_t right = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      right += (seen.after(i, 1) > seen.after(i, 0)) == (s.labels[i] == 1);
    EXPECT_EQ(record.train_accuracy, static_cast<double>(right) / kRows);
    std::size_t rows = 0;
    double losses = 0.0;
    for (const RowGroup* group : record.groups.in_order()) {
      rows += group->rows;
      if (group->rows > 0) losses += group->loss * static_cast<double>(group->rows);
    }
    EXPECT_EQ(rows, kRows);
    EXPECT_NEAR(losses / kRows, record.mean_loss, 1e-6);
    EXPECT_GE(record.groups.right_sure.rows + record.groups.wrong_sure.rows, kRows / 2);
  }
  EXPECT_GT(recorder.stages[0].loss_variation, 0.05);  // it learned
  EXPECT_EQ(recorder.stages.back().selected, kRows);
}

TEST(Recorder, TellsTheInnerObserverEverything) {
  Setting s;
  Witness witness;
  Recorder recorder({[](const Network&) { return 0.0; }}, &witness);
  const auto method = paced({.loss = plain_loss});
  record(s, *method, recorder, {.stages = 3, .passes = 4, .batch = 10, .step = {}});
  EXPECT_EQ(witness.started, &s.net);
  EXPECT_EQ(witness.passes, 12);
  EXPECT_GT(witness.steps, 12);
  EXPECT_GE(witness.asked, witness.steps);
  SavedState numbers;
  recorder.save(numbers);
  Witness other;
  Recorder({}, &other).load(numbers);
  EXPECT_EQ(other.loaded, witness.steps);

  Setting again;
  Witness impatient;
  impatient.stop_after = 1;
  Recorder stopped({[](const Network&) { return 0.0; }}, &impatient);
  EXPECT_TRUE(record(again, *method, stopped, {.stages = 3, .passes = 4, .step = {}}).stopped);
}

// The paper's first rows are all rows then; the easiest quarter of them is kept beside it.
TEST(Recorder, OfMethodsThatTakeAllRowsAllAndTheEasiestQuarterTellTheVariation) {
  Setting s;
  Witness witness;
  Recorder recorder({[](const Network&) { return 0.0; }}, &witness);
  const auto method = paced({.loss = plain_loss, .take = Selection::kAll});
  record(s, *method, recorder, {.stages = 2, .passes = 5, .step = {}});
  const auto first = cross_entropies(witness.seen[0].before, s.labels);
  std::vector<int> order = testing::first_rows(kRows);
  std::ranges::stable_sort(order, {}, [&](int i) { return first[static_cast<std::size_t>(i)]; });
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(recorder.stages[t].selected, kRows);
    const auto before = cross_entropies(witness.seen[t].before, s.labels);
    const auto after = cross_entropies(witness.seen[t].after, s.labels);
    double sum = 0.0;
    for (std::size_t j = 0; j < kRows / 4; ++j) {
      const auto i = static_cast<std::size_t>(order[j]);
      sum += (before[i] - after[i]) / before[i];
    }
    EXPECT_NEAR(recorder.stages[t].loss_variation, sum / (kRows / 4), 1e-5);
    double whole = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) whole += (before[i] - after[i]) / before[i];
    EXPECT_NEAR(recorder.stages[t].variation.mean, whole / kRows, 1e-4);
    EXPECT_NE(recorder.stages[t].variation.median, recorder.stages[t].quarter_median);
  }
}

TEST(Recorder, CountsRowsOutsideThatAreAsHardAsTheHardestInside) {
  Setting s;
  State zero = s.net.save();
  for (auto& [name, tensor] : zero) std::ranges::fill(tensor.values, 0.0F);
  s.net.load(zero);  // all rows have the loss ln 2
  Recorder recorder({[](const Network&) { return 0.0; }});
  const auto method = paced({.loss = plain_loss});
  recorder.on_start(s.net, *method);
  const Probe probe(s.net, s.set);
  recorder.on_stage_start({0, 6, 0.25}, probe, method->begin_stage({0, 6, 0.25}, probe));
  EXPECT_EQ(recorder.stages[0].selected, kRows / 4);
  EXPECT_EQ(recorder.stages[0].ties, kRows - kRows / 4);
  EXPECT_NEAR(recorder.stages[0].mean_loss, std::log(2.0), 1e-6);
  recorder.on_stage_start({5, 6, 1.0}, probe, method->begin_stage({5, 6, 1.0}, probe));
  EXPECT_EQ(recorder.stages[1].ties, 0U);  // nobody is outside
}

TEST(Recorder, ATraceHasEveryRowOfEveryStage) {
  Setting s;
  Witness witness;
  Recorder recorder({[](const Network&) { return 0.0; }, true}, &witness);
  const auto method = paced({.loss = evidential, .regulariser = linear_weight});
  record(s, *method, recorder, {.stages = 3, .passes = 5, .step = {}});
  ASSERT_EQ(recorder.samples.size(), 3 * kRows);
  for (std::size_t t = 0; t < 3; ++t) {
    const Witness::Seen& seen = witness.seen[t];
    std::vector<float> losses(kRows);
    evidential({})(seen.before, s.labels, losses, nullptr);
    std::size_t selected = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const SampleRecord& sample = recorder.samples[t * kRows + i];
      EXPECT_EQ(sample.stage, static_cast<int>(t));
      EXPECT_EQ(sample.row, s.clouds.rows[i]);  // of the data set, not the place
      EXPECT_EQ(sample.loss, losses[i]);
      double strength = 2.0;
      for (const float o : seen.before.row(i)) strength += std::log1p(std::exp(o));
      EXPECT_NEAR(sample.uncertainty, 2.0 / strength, 1e-5);
      EXPECT_EQ(sample.correct, (seen.before(i, 1) > seen.before(i, 0)) == (s.labels[i] == 1));
      const auto place = std::ranges::find(seen.plan.rows, static_cast<int>(i));
      EXPECT_EQ(sample.selected, place != seen.plan.rows.end());
      EXPECT_EQ(sample.weight,
                sample.selected
                    ? seen.plan.weights[static_cast<std::size_t>(place - seen.plan.rows.begin())]
                    : 0.0F);
      selected += sample.selected;
    }
    EXPECT_EQ(selected, recorder.stages[t].selected);
    EXPECT_NEAR(recorder.stages[t].mean_loss,
                std::accumulate(losses.begin(), losses.end(), 0.0) / kRows, 1e-6);
  }
}

void expect_same(const Recorder& a, const Recorder& b) {
  const auto fields = [](const auto& record) {
    std::vector<double> all;
    visit_fields(
        record, [&](const char*, const auto& field) { all.push_back(static_cast<double>(field)); });
    return all;
  };
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t i = 0; i < a.stages.size(); ++i)
    EXPECT_EQ(fields(a.stages[i]), fields(b.stages[i])) << i;
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i)
    EXPECT_EQ(fields(a.samples[i]), fields(b.samples[i])) << i;
}

// One goes through all stages; the other begins where the first one was after two of them.
TEST(Recorder, GoesOnFromWhatItSaved) {
  Setting s;
  Recorder whole({[](const Network&) { return 0.75; }, true});
  Recorder second({[](const Network&) { return 0.75; }, true});
  const auto method = paced({.loss = plain_loss});
  const auto stage = [&](Recorder& recorder, int index) {
    const Stage now{index, 6, stage_share(index)};
    const Probe probe(s.net, s.set);
    recorder.on_stage_start(now, probe, method->begin_stage(now, probe));
    const auto trained = s.net.clone();
    trained->update(s.clouds.batch(), {}, [&](std::size_t first, const Matrix& o, Matrix& d) {
      std::vector<float> losses(o.rows());
      cross_entropy()(o, std::span<const int>(s.labels).subspan(first, o.rows()), losses, &d);
    });
    recorder.on_stage_end({.stage = index, .passes = 3, .first_loss = 0.1}, Probe(*trained, s.set));
  };
  whole.on_start(s.net, *method);
  stage(whole, 0), stage(whole, 1);
  SavedState numbers;
  whole.save(numbers);
  second.load(numbers);
  expect_same(second, whole);
  ASSERT_EQ(second.samples.size(), 2 * kRows);
  second.on_start(s.net, *method);
  stage(whole, 2), stage(second, 2);
  expect_same(second, whole);
  EXPECT_NE(whole.stages[2].loss_variation, 0.0);
}

TEST(Recorder, JudgesTheNetworkAfterEveryPass) {
  Setting s;
  const auto method = paced({.loss = plain_loss});
  int judged = 0;
  RecorderOptions options{[](const Network&) { return 0.5; }};
  options.judge_pass = [&](const Network& network, const Loss&) {
    EXPECT_EQ(&network, &s.net);
    return PassRecord{.test_accuracy = 0.25 + ++judged};
  };
  Recorder recorder(options);
  record(s, *method, recorder, {.stages = 2, .passes = 3, .step = {}});
  ASSERT_EQ(recorder.passes.size(), 6U);
  EXPECT_EQ(recorder.passes[0].loss, recorder.stages[0].first_loss);
  EXPECT_EQ(recorder.passes[2].loss, recorder.stages[0].last_loss);
  EXPECT_EQ(recorder.passes[4].stage, 1);
  EXPECT_EQ(recorder.passes[4].pass, 1);
  EXPECT_EQ(recorder.passes[4].test_accuracy, 5.25);
  SavedState numbers;
  recorder.save(numbers);
  Recorder other(options);
  other.load(numbers);
  EXPECT_EQ(other.passes.size(), 6U);
  EXPECT_EQ(other.passes[4].test_accuracy, 5.25);
  EXPECT_EQ(other.judging_seconds, recorder.judging_seconds);
  DoubleMatrix kept = numbers.matrix("pass_records");
  kept(5, 0) = 2.0;  // a stage that is not done
  numbers.put("pass_records", kept);
  EXPECT_THROW(Recorder(options).load(numbers), Error);
  Recorder without({[](const Network&) { return 0.5; }});
  without.save(numbers = {});
  EXPECT_THROW(Recorder(options).load(numbers), Error);
}

TEST(Recorder, RefusesWhatIsOfAnotherRecorder) {
  Setting s;
  Recorder good({[](const Network&) { return 0.5; }, true});
  const auto method = paced({.loss = plain_loss});
  record(s, *method, good, {.stages = 2, .passes = 2, .step = {}});
  SavedState numbers;
  good.save(numbers);
  const auto refused = [](const SavedState& saved) {
    Recorder recorder({[](const Network&) { return 0.5; }, true});
    EXPECT_THROW(recorder.load(saved), Error);
  };
  refused({});
  for (const std::string name : {"stage_records", "sample_records"}) {
    const DoubleMatrix kept = numbers.matrix(name);
    SavedState narrow = numbers;
    narrow.put(name, DoubleMatrix(kept.rows(), kept.cols() - 1));
    refused(narrow);
    SavedState broken = numbers;
    DoubleMatrix half = kept;
    half(0, 1) = 0.5;  // the second field of both is a count
    broken.put(name, half);
    refused(broken);
  }
  SavedState disordered = numbers;
  DoubleMatrix stages = numbers.matrix("stage_records");
  stages(0, 0) = 1.0;
  disordered.put("stage_records", stages);
  refused(disordered);
  SavedState twice = numbers;
  twice.put("first_rows", std::vector<int>{3, 3});
  refused(twice);
  SavedState later = numbers;
  DoubleMatrix samples = numbers.matrix("sample_records");
  samples(0, 0) = 2.0;  // a stage that is not done
  later.put("sample_records", samples);
  refused(later);
  // Rows that the run does not have are found when the next stage begins.
  SavedState beyond = numbers;
  beyond.put("first_rows", std::vector<int>{3, static_cast<int>(kRows)});
  Recorder recorder({[](const Network&) { return 0.5; }, true});
  recorder.load(beyond);
  recorder.on_start(s.net, *method);
  const Probe probe(s.net, s.set);
  const Stage next{2, 6, 0.55};
  EXPECT_THROW(recorder.on_stage_start(next, probe, method->begin_stage(next, probe)), Error);
}

}  // namespace
}  // namespace uaspl
