// Weights that a training begins with: read from files of other programs, and refused with a reason
// where they do not fit.
#include "uaspl/net/start_weights.hpp"

#include <cstring>
#include <limits>

#include "tests/images.hpp"
#include "tests/models.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/io/sha256.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/net/mlp/mlp.hpp"

namespace uaspl {
namespace {

template <typename Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A file with one tensor of any type.
template <typename Number>
std::string file_of(const std::string& type, const std::vector<Number>& values) {
  std::string data(values.size() * sizeof(Number), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  const std::string header = R"({"w":{"dtype":")" + type + R"(","shape":[)" +
                             std::to_string(values.size()) + R"(],"data_offsets":[0,)" +
                             std::to_string(data.size()) + "]}}";
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

std::vector<float> values_of(const std::string& bytes) {
  return read_start_weights(bytes, "w").weights.at("w").values;
}

std::string file_with(const State& weights) {
  TensorFile file;
  for (const auto& [name, tensor] : weights) file.tensors[name] = {tensor.shape, tensor.values};
  return write_safetensors(file);
}

Mlp small_network(std::uint32_t seed) {
  return Mlp({.inputs = 3, .hidden = {4}, .classes = 2}, seed);
}

std::string error_with(const State& weights) {
  Mlp network = small_network(1);
  const State before = network.save();
  const std::string error =
      error_of([&] { begin_with(read_start_weights(file_with(weights), "s"), network); });
  testing::expect_same_bits(network.save(), before);
  return error;
}

TEST(StartWeights, AreReadFromAllUsualTypes) {
  using Floats = std::vector<float>;
  EXPECT_EQ(values_of(file_of<float>("F32", {1.5F, -2.0F})), (Floats{1.5F, -2.0F}));
  EXPECT_EQ(values_of(file_of<double>("F64", {0.1, 1e-50})), (Floats{0.1F, 0.0F}));
  // 1, -2, the smallest and the largest subnormal, the smallest normal and the largest, a third.
  EXPECT_EQ(values_of(file_of<std::uint16_t>(
                "F16", {0x3C00, 0xC000, 0x0001, 0x03FF, 0x0400, 0x7BFF, 0x3555, 0x8000})),
            (Floats{1.0F, -2.0F, 5.9604644775390625e-8F, 6.09755516052246e-5F, 6.103515625e-5F,
                    65504.0F, 0.333251953125F, -0.0F}));
  EXPECT_EQ(values_of(file_of<std::uint16_t>("BF16", {0x3F80, 0xC000, 0x3EAB})),
            (Floats{1.0F, -2.0F, 0.333984375F}));
  EXPECT_EQ(values_of(file_of<std::int64_t>("I64", {-3, 1 << 20})), (Floats{-3.0F, 1048576.0F}));
  EXPECT_EQ(values_of(file_of<std::uint8_t>("U8", {255})), Floats{255.0F});
  EXPECT_EQ(values_of(file_of<std::int8_t>("I8", {-1})), Floats{-1.0F});
  const std::string bytes = file_of<float>("F32", {1.0F});
  EXPECT_EQ(read_start_weights(bytes, "w").sha256, sha256(bytes));
}

TEST(StartWeights, OfOtherTypesOrThatAreNotFiniteAreRefused) {
  EXPECT_EQ(error_of([] { values_of(file_of<std::uint8_t>("F8_E4M3", {1})); }),
            "w: not a valid safetensors file: tensor 'w' is of a type that is not read");
  const std::string beyond = "w: tensor 'w' has values that are not finite, or that no float holds";
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {kInfinity, -kInfinity, std::nan(""), 1e39, -1e300})
    EXPECT_EQ(error_of([&] { values_of(file_of<double>("F64", {0.0, bad})); }), beyond);
  for (const int bad : {0x7C00, 0xFC00, 0x7E00, 0x7C01})
    EXPECT_EQ(error_of([&] {
                values_of(file_of<std::uint16_t>("F16", {static_cast<std::uint16_t>(bad)}));
              }),
              beyond);
  // Model files and checkpoints stay as strict as they were.
  EXPECT_EQ(error_of([] { read_safetensors(file_of<std::int8_t>("I8", {1}), "m"); }),
            "m: not a valid model file: tensor 'w' is neither F32 nor F64");
}

TEST(StartWeights, FilesOfOtherKindsSayWhatTheyAre) {
  const auto error = [](const std::string& bytes) {
    return error_of([&] { read_start_weights(bytes, "x.pth"); });
  };
  EXPECT_NE(error("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
                .find("x.pth: a pointer of Git LFS"),
            std::string::npos);
  for (const std::string torch : {"PK\x03\x04 and so on", "\x80\x02\x8a\x0al\xfc"})
    EXPECT_NE(error(torch).find("scripts/convert_checkpoint"), std::string::npos);
  EXPECT_NE(error("").find("too short"), std::string::npos);
}

TEST(StartWeights, AreThoseOfTheNetworkAfterwards) {
  const State weights = small_network(7).save();
  Mlp network = small_network(1);
  State given = weights;
  given["bn1.num_batches_tracked"] = {{}, {12.0F}};
  begin_with(read_start_weights(file_with(given), "s"), network);
  testing::expect_same_bits(network.save(), weights);
}

TEST(StartWeights, ThatDoNotFitAreRefusedAndChangeNothing) {
  State weights = small_network(7).save();
  const Tensor bias = weights.at("fc2.bias");
  weights["fc2.bias"] = {{3}, {1, 2, 3}};
  EXPECT_EQ(error_with(weights),
            "s: its weights do not fit the network: 'fc2.bias' has shape 3, expected 2");
  weights["fc2.bias"] = {{}, {1}};
  EXPECT_EQ(error_with(weights),
            "s: its weights do not fit the network: 'fc2.bias' has shape one number, expected 2");
  weights.erase("fc2.bias");
  EXPECT_EQ(error_with(weights), "s: its weights do not fit the network: missing fc2.bias");
  weights["out.bias"] = bias;
  EXPECT_EQ(error_with(weights),
            "s: its weights do not fit the network: missing fc2.bias; not expected out.bias");
  weights.clear();
  for (int i = 0; i < 100; ++i) weights["w" + std::to_string(i) + "\x1b"] = {{1}, {1}};
  const std::string many = error_with(weights);
  EXPECT_LT(many.size(), 400U);
  EXPECT_NE(many.find("w0\\x1b"), std::string::npos);
}

TEST(StartWeights, MayBeThoseOfAModel) {
  const Model model = testing::small_model();
  const StartWeights start = read_start_weights(write_model(model), "m");
  testing::expect_same_bits(start.weights, model.members[0].weights);
  EXPECT_EQ(error_of([] { read_start_weights(write_model(testing::two_member_model()), "m"); }),
            "m: a model of several networks, expected one");
}

TEST(StartWeights, BothNamesOfTheLastLayerOfAResNetAreRead) {
  UASPL_NEEDS_TORCH();
  const auto images = testing::make_images(6, {1, 8, 8}, 3, 7);
  const auto network = testing::network_for(*images, "resnet8", 1);
  const State own = testing::network_for(*images, "resnet8", 9)->save();
  State given = own;
  for (const std::string part : {"weight", "bias"}) {
    given["fc." + part] = given.at("linear." + part);
    given.erase("linear." + part);
  }
  begin_with(read_start_weights(file_with(given), "s"), *network);
  testing::expect_same_bits(network->save(), own);
  network->load(given);  // as models do
  testing::expect_same_bits(network->save(), own);
  given["linear.bias"] = own.at("linear.bias");  // which of the two is meant?
  EXPECT_EQ(error_of([&] { begin_with(read_start_weights(file_with(given), "s"), *network); }),
            "s: its weights do not fit the network: not expected fc.bias");
}

}  // namespace
}  // namespace uaspl
