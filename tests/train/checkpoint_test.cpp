// Checkpoints: what is written is read, and nothing else is taken for one.
#include <cmath>
#include <fstream>
#include <random>

#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/train/checkpoint.hpp"

namespace uaspl {
namespace {

Checkpoint sample() {
  Checkpoint checkpoint{.stages = 3};
  checkpoint.weights["fc.weight"] = {{2, 2}, {1.0F, -2.5F, 1e-38F, 0.1F}};
  checkpoint.momentum["fc.weight"] = {{2, 2}, {0.0F, 1.0F, 2.0F, 3.0F}};
  checkpoint.parts["method"].put("history", DoubleMatrix(2, 1, {0.1, 1e300}));
  checkpoint.parts["report"].put("steps", std::vector<int>{7});
  return checkpoint;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class CheckpointTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  CheckpointFile file_{folder_.path() / "one.checkpoint", "data, method, seed"};
};

TEST_F(CheckpointTest, ReadsWhatItWrote) {
  EXPECT_FALSE(file_.read());
  file_.write(sample());
  const auto read = file_.read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stages, 3);
  EXPECT_EQ(read->weights.at("fc.weight").values, sample().weights["fc.weight"].values);
  EXPECT_EQ(read->weights.at("fc.weight").shape, (std::vector<std::size_t>{2, 2}));
  EXPECT_EQ(read->momentum.at("fc.weight").values, sample().momentum["fc.weight"].values);
  EXPECT_EQ(read->parts.at("method").matrix("history")(1, 0), 1e300);
  EXPECT_EQ(read->parts.at("report").get<int>("steps", 1), std::vector<int>{7});
  EXPECT_THROW(read->parts.at("report").get<int>("steps", 2), Error);
  EXPECT_THROW(read->parts.at("report").get<int>("passes"), Error);
  file_.remove();
  EXPECT_FALSE(file_.read());
}

TEST_F(CheckpointTest, IsOfOneRunOnly) {
  file_.write(sample());
  const CheckpointFile other(file_.path(), "data, method, another seed");
  EXPECT_THROW(other.read(), Error);
}

TEST_F(CheckpointTest, OnlyTheWriterWrites) {
  const CheckpointFile reader(file_.path(), "data, method, seed", false);
  reader.write(sample());
  EXPECT_FALSE(reader.read());
  file_.write(sample());
  reader.remove();
  EXPECT_TRUE(reader.read());
}

TEST_F(CheckpointTest, AnyOtherBytesAreAnError) {
  file_.write(sample());
  const std::string good = bytes_of(file_.path());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    write_bytes(file_.path(), good.substr(0, length));
    EXPECT_THROW(file_.read(), Error) << length;
  }
  std::mt19937 words(1);
  for (int again = 0; again < 500; ++again) {
    std::string bad = good;
    bad[words() % bad.size()] = static_cast<char>(words());
    write_bytes(file_.path(), bad);
    try {  // what is taken says the same
      const auto read = file_.read();
      EXPECT_EQ(read->stages, 3);
      EXPECT_EQ(read->weights.at("fc.weight").values, sample().weights["fc.weight"].values);
      EXPECT_EQ(read->parts.at("method").matrix("history")(0, 0), 0.1);
    } catch (const Error&) {
    }
  }
}

// Interrupts a fit after its first stage.
class StopsEarly final : public Observer {
 public:
  void on_stage_start(const Stage& stage, const Probe&, const StageRows&) override {
    stop_ = stage.index == 1;
  }
  bool stop() override { return stop_; }

 private:
  bool stop_ = false;
};

// A fit of a small network, which leaves a checkpoint or goes on from one. What is in the file was
// not damaged but written on purpose, so that its checksum is right.
class HostileCheckpoint : public CheckpointTest, public ::testing::WithParamInterface<const char*> {
 protected:
  FitReport fit(Observer* observer) const {
    const Dataset data = testing::small_set();
    const FitOptions options{
        .network = {"mlp", {5}}, .training = {.stages = 3, .passes = 4, .step = {}}, .seed = 3};
    const auto method = choose_methods(std::vector<std::string>{GetParam()});
    const auto rows = rows_to_train_on(data, testing::first_rows(data.rows()));
    return fit_model(data, rows, method[0], options, observer, &file_).report;
  }
  void expect_refused(const Checkpoint& bad, const std::string& what) const {
    file_.write(bad);
    EXPECT_THROW(fit(nullptr), Error) << what;
  }
};

TEST_P(HostileCheckpoint, EntriesOfAnotherShapeAreRefused) {
  StopsEarly early;
  ASSERT_TRUE(fit(&early).stopped);
  const Checkpoint good = file_.read().value();
  ASSERT_EQ(good.stages, 1);
  for (const auto& [part, numbers] : good.parts)
    for (const auto& [name, kept] : numbers.all())
      for (const auto& [rows, cols] :
           {std::pair(kept.rows() + 1, kept.cols()), std::pair(kept.rows(), kept.cols() + 1),
            std::pair(kept.rows(), std::size_t{0})}) {
        Checkpoint bad = good;
        bad.parts[part].put(name, DoubleMatrix(rows, cols));
        expect_refused(bad, part + "/" + name);
      }
  for (const auto state : {&Checkpoint::weights, &Checkpoint::momentum})
    for (const auto& [name, tensor] : good.*state) {
      Checkpoint bad = good;
      (bad.*state)[name] = {{1, 1}, {0.0F}};
      expect_refused(bad, name);
    }
  Checkpoint bad = good;
  bad.weights.begin()->second.values.front() = std::nanf("");
  file_.write(bad);
  try {
    fit(nullptr);
    ADD_FAILURE() << "weights that are not finite were taken";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("one.checkpoint: weights that are not finite"), std::string::npos);
    EXPECT_NE(message.find("remove it to begin again"), std::string::npos);
  }
  file_.write(good);
  EXPECT_EQ(fit(nullptr).stages.size(), 3U);
}

INSTANTIATE_TEST_SUITE_P(Methods, HostileCheckpoint,
                         ::testing::Values("uaspl", "active_bias", "mw_net", "clu1", "clu2",
                                           "spl_spup"));

TEST(SavedState, CountsHaveTheirLimits) {
  SavedState numbers;
  numbers.put("steps", std::vector<int>{7});
  EXPECT_EQ(numbers.count("steps", 7), 7);
  EXPECT_THROW(numbers.count("steps", 6), Error);
  EXPECT_THROW(numbers.matrix("steps", 2, 1), Error);
  numbers.put("steps", std::vector<int>{-1});
  EXPECT_THROW(numbers.count("steps", 7), Error);
  numbers.put("steps", std::vector<double>{0.5});
  EXPECT_THROW(numbers.count("steps", 7), Error);
}

}  // namespace
}  // namespace uaspl
