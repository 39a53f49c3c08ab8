// Hostile checkpoints: what methods, observer and network saved of a real fit, with numbers and
// shapes changed, is loaded and trained on to the end, or refused. The first byte chooses the
// method; 0xFF means that the other bytes are the file itself.
#include <array>
#include <fstream>
#include <map>
#include <numeric>

#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/table/load.hpp"
#include "uaspl/study/recorder.hpp"
#include "uaspl/train/checkpoint.hpp"
#include "uaspl/train/fit_model.hpp"

namespace {

using namespace uaspl;

constexpr std::array kMethods = {"spl",   "uaspl",   "uaspl_mixture", "active_bias", "mw_net",
                                 "mc_mi", "wsplbf1", "clu2",          "spup",        "spl_conf"};
constexpr const char* kRun = "fuzz";

const Dataset& data() {
  static const Dataset kData = [] {
    std::string text = "class,a,b\n";
    for (int i = 0; i < 24; ++i)
      text += (i % 2 != 0 ? "yes," : "no,") + std::to_string(i % 7) + "," + std::to_string(i % 5) +
              ".5\n";
    return parse_dataset(text, "fuzz", {});
  }();
  return kData;
}

// Stops a fit after its second stage, when a checkpoint of it is there.
class StopLater final : public Observer {
 public:
  void on_stage_end(const StageTrace&, const Probe&) override { ++stages_; }
  bool stop() override { return stages_ == 2; }

 private:
  int stages_ = 0;
};

const FitOptions kOptions = {.network = {.name = "mlp", .hidden = {4}},
                             .pretraining = 2,
                             .training = {.stages = 3, .passes = 2},
                             .seed = 7,
                             .resources = {.threads = 1}};

FittedNetwork fit_once(const std::string& name, const CheckpointFile& file, Observer* inner) {
  const auto chosen = choose_methods(std::vector<std::string>{name}, std::vector<std::string>{});
  static std::map<std::string, std::unique_ptr<PreparedFit>> prepared;
  auto& fit = prepared[name];
  if (!fit) {
    std::vector<int> rows(data().rows());
    std::iota(rows.begin(), rows.end(), 0);
    fit = std::make_unique<PreparedFit>(data(), rows_to_train_on(data(), rows), kOptions);
    fit->pretrain();
  }
  const PassRecord middling{
      .train_loss = 0.5, .train_accuracy = 0.5, .test_loss = 0.5, .test_accuracy = 0.5};
  Recorder recorder({.test_accuracy = [](const Network&) { return 0.5; },
                     .trace = true,
                     .judge_pass = [&](const Network&, const Loss&) { return middling; }},
                    inner);
  return fit->fit(chosen.front(), &recorder, &file);
}

const Checkpoint& real(const std::string& method, const CheckpointFile& file) {
  static std::map<std::string, Checkpoint> all;
  const auto found = all.find(method);
  if (found != all.end()) return found->second;
  file.remove();
  StopLater stop;
  fit_once(method, file, &stop);
  return all[method] = *file.read();
}

template <typename Map>
auto pick(Map& map, fuzz::Choices& choices) {
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(choices.one_of(map.size())));
}

DoubleMatrix changed(const DoubleMatrix& matrix, fuzz::Choices& choices) {
  DoubleMatrix now = matrix;
  const std::size_t what = choices.one_of(6);
  if (what < 3 && !now.values().empty()) {
    now.values()[choices.byte() * std::size_t{257} % now.values().size()] = choices.number();
  } else if (what == 3) {
    now = DoubleMatrix(choices.one_of(40), choices.one_of(40));
  } else if (what == 4) {
    now = DoubleMatrix(matrix.cols(), matrix.rows());
  } else if (what == 5) {
    const double all = choices.number();
    for (double& value : now.values()) value = all;
  }
  return now;
}

void change(State& state, fuzz::Choices& choices) {
  if (state.empty()) return;
  auto& tensor = pick(state, choices)->second;
  if (choices.one_of(3) == 0) {
    std::swap(tensor.shape.front(), tensor.shape.back());
  } else if (!tensor.values.empty()) {
    tensor.values[choices.byte() % tensor.values.size()] = static_cast<float>(choices.byte());
  }
}

void change(Checkpoint& checkpoint, fuzz::Choices& choices) {
  switch (choices.one_of(8)) {
    case 0: checkpoint.stages = static_cast<int>(choices.one_of(6)) - 1; return;
    case 1: return change(checkpoint.weights, choices);
    case 2: return change(checkpoint.momentum, choices);
    default: break;
  }
  if (checkpoint.parts.empty()) return;
  const auto part = pick(checkpoint.parts, choices);
  if (part->second.all().empty()) return;
  const auto entry = pick(part->second.all(), choices);
  if (choices.one_of(12) != 0)
    return part->second.put(entry->first, changed(entry->second, choices));
  SavedState fewer;
  for (const auto& [name, matrix] : part->second.all())
    if (name != entry->first) fewer.put(name, matrix);
  part->second = fewer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const CheckpointFile file(fuzz::scratch_folder() / "checkpoint", kRun);
  try {
    if (bytes[0] == 0xFF) {
      std::ofstream(file.path(), std::ios::binary) << fuzz::text_of(bytes + 1, size - 1);
      static_cast<void>(file.read());
      return 0;
    }
    fuzz::Choices choices(bytes + 1, size - 1);
    const std::string method = kMethods[bytes[0] % kMethods.size()];
    Checkpoint checkpoint = real(method, file);
    while (!choices.empty()) change(checkpoint, choices);
    file.write(checkpoint);
    const FittedNetwork fitted = fit_once(method, file, nullptr);
    if (fitted.report.stages.size() != 3) std::abort();
  } catch (const Error&) {
  }
  file.remove();
  return 0;
}
