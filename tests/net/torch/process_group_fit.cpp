// One rank of a small training: writes down, as numbers in full, what it chose and what it learned.
// Usage: group_fit RANK SIZE PORT NETWORK METHOD...
// METHOD `steps`: 20 steps and no method; `step`: one. tool_images_ranks_test.py compares the
// ranks.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tests/images.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/train/trainer.hpp"

namespace uaspl {
namespace {

template <typename Values>
void write(std::string_view what, const Values& values) {
  fmt::print("{}", what);
  for (const auto& value : values) fmt::print(" {}", value);
  fmt::print("\n");
}

class Witness final : public Observer {
 public:
  void on_stage_start(const Stage& stage, const Probe&, const StageRows& plan) override {
    write(fmt::format("rows {}", stage.index), plan.rows);
    write(fmt::format("weights {}", stage.index), plan.weights);
  }
  void on_pass(int stage, int pass, double loss) override {
    write(fmt::format("loss {} {}", stage, pass), std::vector{loss});
  }
};

void write_network(const Network& network, const Batch& all) {
  for (const auto& [name, tensor] : network.save()) write("tensor " + name, tensor.values);
  write("logits", network.logits(all).values());
  write("features", network.features({all.inputs, all.rows, {true, 3}}).values());
  write("sampled", network.sampled_logits(all, 0.3F, 7).values());
}

// Batches that fit no number of ranks, down to one of a single row.
void take_steps(Network& network, const Batch& all, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t n = i % 4 == 3 ? 1 : 11 + i;
    const auto labels = std::span(all.inputs.images().set->labels).subspan(i, n);
    network.update({all.inputs, all.rows.subspan(i, n), {true, i}},
                   {.rate = 0.01F, .dropout = 0.2F, .seed = i},
                   [&](std::size_t, const Matrix& logits, Matrix& dlogits) {
                     std::vector<float> losses(n);
                     cross_entropy()(logits, labels, losses, &dlogits);
                     for (float& g : dlogits.values()) g /= static_cast<float>(n);
                   });
  }
}

void train(Network& network, const Batch& all, std::string_view method) {
  TrainingSet set{&all.inputs, all.rows, all.inputs.images().set->labels, 3};
  Training training;
  training.stages = 3;
  training.passes = 2;
  training.batch = 7;
  training.augmented = true;
  training.seed = 5;
  training.step.rate = 0.05F;
  Witness witness;
  const auto start = network.clone();
  const Pretraining before = pretrain(*start, set, 2, training, &witness);
  set.pretraining = &before.history;
  network.load(start->save());
  const MethodInfo& info = find_method(method);
  fit(network, *info.make(Settings(info.options)), set, training, &witness);
}

void run(const ProcessPlace& place, const std::string& name, std::span<char*> methods) {
  const auto images = testing::make_images(50, testing::small_shape(name), 3, 7);
  const std::vector<int> rows = testing::first_rows(50);
  const Inputs inputs = testing::inputs_of(images);
  const Batch all{inputs, rows};
  const auto first =
      make_image_network({.network = name,
                          .shape = images->shape,
                          .classes = 3,
                          .seed = 3,
                          .group = place.size > 1 ? join_process_group(place) : nullptr});
  for (const std::string_view method : methods) {
    const auto network = first->clone();  // which shares the group
    if (method == "steps" || method == "step") {
      take_steps(*network, all, method == "steps" ? 20 : 1);
    } else {
      train(*network, all, method);
    }
    write_network(*network, all);
  }
}

}  // namespace
}  // namespace uaspl

int main(int argc, char** argv) {
  try {
    if (argc < 6) throw std::runtime_error("usage: group_fit RANK SIZE PORT NETWORK METHOD...");
    ::setenv("UASPL_MODULES", uaspl::testing::built_modules_folder().c_str(), 0);
    uaspl::ProcessPlace place;
    place.rank = std::stoul(argv[1]);
    place.size = std::stoul(argv[2]);
    place.port = static_cast<std::uint16_t>(std::stoul(argv[3]));
    place.seconds = 30.0;
    uaspl::run(place, argv[4], std::span(argv, static_cast<std::size_t>(argc)).subspan(5));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "group_fit: %s\n", error.what());
    return 1;
  }
}
