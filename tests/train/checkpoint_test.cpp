// Checkpoints: what is written is read, and nothing else is taken for one.
#include <fstream>
#include <random>

#include "tests/support.hpp"
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

}  // namespace
}  // namespace uaspl
