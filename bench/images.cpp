// Networks for images: seconds of a training step (loading and augmenting included), of scoring,
// and of loading alone, for batches of 64.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "bench/support.hpp"
#include "uaspl/base/rng.hpp"
#include "uaspl/data/image/transform.hpp"
#include "uaspl/loss/loss.hpp"
#include "uaspl/net/image_network.hpp"

namespace {

constexpr std::size_t kBatch = 64;
constexpr std::size_t kClasses = 10;
constexpr std::size_t kImages = 2048;
constexpr std::size_t kScored = 2 * kBatch;

class Job {
 public:
  Job(const std::string& network, const uaspl::ImageShape& shape, std::size_t threads)
      : images_{make_images(shape), make_transform(shape.channels)}, inputs_(images_) {
    lens_ = std::make_unique<uaspl::ImageLens>(*images_.set, images_.transform);
    net_ = uaspl::make_image_network(
        {.network = network, .shape = shape, .classes = kClasses, .seed = 1, .threads = threads});
    labels_.resize(kBatch);
    for (std::size_t i = 0; i < kBatch; ++i) labels_[i] = static_cast<int>(i % kClasses);
  }

  // A step as the trainer makes it: the next batch is known.
  double train() {
    const auto start = Clock::now();
    const std::vector<int> now = rows(step_);
    const std::vector<int> next = rows(++step_);
    net_->expect({inputs_, next, {true, step_}});
    std::vector<float> losses(kBatch);
    net_->update({inputs_, now, {true, step_ - 1}}, {.rate = 0.01F},
                 [&](std::size_t, const uaspl::Matrix& logits, uaspl::Matrix& dlogits) {
                   loss_(logits, labels_, losses, &dlogits);
                   for (float& g : dlogits.values()) g /= static_cast<float>(kBatch);
                 });
    return seconds_since(start);
  }

  double score() const {
    std::vector<int> some(kScored);
    std::iota(some.begin(), some.end(), 0);
    const auto start = Clock::now();
    net_->logits({inputs_, some});
    return seconds_since(start) * kBatch / kScored;
  }

  double load() const {
    std::vector<float> pixels(images_.set->shape.size());
    const auto start = Clock::now();
    for (const int row : rows(step_)) lens_->see(row, {true, step_}, pixels.data());
    return seconds_since(start);
  }

 private:
  static std::shared_ptr<uaspl::ImageSet> make_images(const uaspl::ImageShape& shape) {
    auto set = std::make_shared<uaspl::ImageSet>();
    set->shape = shape;
    set->pixels.resize(kImages * shape.size());
    uaspl::Stream stream(1, "bench images");
    for (std::uint8_t& pixel : set->pixels) pixel = static_cast<std::uint8_t>(stream.word() >> 56);
    set->labels.resize(kImages);
    return set;
  }

  static uaspl::ImageTransform make_transform(std::size_t channels) {
    return {.mean = std::vector<float>(channels, 0.5F),
            .deviation = std::vector<float>(channels, 0.25F),
            .pad = 4,
            .padding = uaspl::Padding::kReflect,
            .mirror = true};
  }

  static std::vector<int> rows(std::uint64_t step) {
    std::vector<int> all(kBatch);
    uaspl::Stream stream(step, "batch");
    for (int& row : all) row = static_cast<int>(stream.below(kImages));
    return all;
  }

  uaspl::Images images_;
  uaspl::Inputs inputs_;
  std::unique_ptr<uaspl::ImageLens> lens_;
  std::unique_ptr<uaspl::Network> net_;
  std::vector<int> labels_;
  uaspl::Loss loss_ = uaspl::find_loss("uaspl").make(uaspl::Evidence::kRelu);
  std::uint64_t step_ = 0;
};

template <typename Measure>
double best(std::size_t times, const Measure& measure) {
  double lowest = kNever;
  for (std::size_t i = 0; i < times; ++i) lowest = std::min(lowest, measure());
  return lowest;
}

void serve(std::size_t threads) {
  std::map<std::string, Job> jobs;
  fmt::print("train,score,load\n");
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string network;
    std::size_t channels = 0;
    std::size_t side = 0;
    std::size_t batches = 0;
    words >> network >> channels >> side >> batches;
    const std::string key = fmt::format("{} {} {}", network, channels, side);
    Job& job = jobs.try_emplace(key, network, uaspl::ImageShape{channels, side, side}, threads)
                   .first->second;
    fmt::print("{:.6f},{:.6f},{:.6f}\n", best(batches, [&] { return job.train(); }),
               best(batches, [&] { return job.score(); }),
               best(batches, [&] { return job.load(); }));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments(argc, argv);
  const std::size_t threads = arguments.number(0, 1);
  if (threads < 1) {
    fmt::print(stderr, "usage: bench_images [THREADS=1], lines `NETWORK CHANNELS SIDE BATCHES`\n");
    return 2;
  }
  ::setenv("UASPL_MODULES", UASPL_BUILT_MODULES, 0);
  try {
    serve(threads);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_images: {}\n", error.what());
    return 1;
  }
  return 0;
}
