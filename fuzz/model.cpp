// Any bytes as a model file: a model that predicts, is scored and can be written again, or an
// error. Most changes are made to the values of the two descriptions in JSON (the tensors', and the
// model's own within it), as bytes changed at random would seldom leave them readable.
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "fuzz/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/model/evaluation.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/model/predictor.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using namespace uaspl;
using nlohmann::json;
using Draw = std::minstd_rand;

constexpr std::size_t kLengthBytes = 8;

// A model's file in its three parts.
struct Parts {
  json header;
  json about;  // the description within the header, if it can be read
  std::string tensors;
};

std::optional<Parts> take_apart(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > bytes.size() - kLengthBytes) return std::nullopt;
  Parts parts{json::parse(bytes.substr(kLengthBytes, length), nullptr, false),
              {},
              std::string(bytes.substr(kLengthBytes + length))};
  if (!parts.header.is_object()) return std::nullopt;
  const json::json_pointer place("/__metadata__/uaspl");
  if (parts.header.contains(place) && parts.header[place].is_string())
    parts.about = json::parse(parts.header[place].get<std::string>(), nullptr, false);
  return parts;
}

std::string put_together(Parts& parts) {
  constexpr auto kReplace = json::error_handler_t::replace;
  if (parts.about.is_object() && parts.header["__metadata__"].is_object())
    parts.header["__metadata__"]["uaspl"] = parts.about.dump(-1, ' ', false, kReplace);
  const std::string header = parts.header.dump(-1, ' ', false, kReplace);
  const std::uint64_t length = header.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + header + parts.tensors;
}

json nasty_value(Draw& draw) {
  static const json kValues[] = {nullptr,
                                 true,
                                 0,
                                 1,
                                 2,
                                 3,
                                 -1,
                                 4,
                                 255,
                                 65536,
                                 20001,
                                 4294967296,
                                 -2147483649LL,
                                 9223372036854775807LL,
                                 18446744073709551615ULL,
                                 1e300,
                                 0.5,
                                 1.5,
                                 1e-320,
                                 "",
                                 "a",
                                 "mlp",
                                 "softmax",
                                 "relu",
                                 "exp",
                                 "uaspl",
                                 "spl",
                                 "F32",
                                 "F64",
                                 "drop",
                                 "mean",
                                 "keep",
                                 "number",
                                 "category",
                                 "date",
                                 "d.m.y",
                                 "weekday",
                                 ",",
                                 "standard",
                                 "lenet",
                                 "resnet18",
                                 json::array(),
                                 json::array({1}),
                                 json::array({0, 4}),
                                 json::array({3, 28, 28}),
                                 json::object(),
                                 std::string(300, 'x'),
                                 "\x1b[31m",
                                 std::string("\0", 1)};
  return kValues[draw() % std::size(kValues)];
}

// Walks to a random place below `value`.
json& random_place(json& value, Draw& draw) {
  json* at = &value;
  while (at->is_structured() && !at->empty() && draw() % 6 != 0)
    at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(draw() % at->size()));
  return *at;
}

void change(json& value, Draw& draw) {
  json& place = random_place(value, draw);
  switch (draw() % 6) {
    case 0: place = nasty_value(draw); return;
    case 1: place = json(random_place(value, draw)); return;
    case 2:
      if (place.is_structured() && !place.empty())
        place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(draw() % place.size())));
      return;
    case 3:
      if (place.is_array()) place.push_back(nasty_value(draw));
      if (place.is_object()) place["k" + std::to_string(draw() % 4)] = nasty_value(draw);
      return;
    case 4:
      if (place.is_number_integer())
        place = place.get<std::uint64_t>() + draw() % 5 - 2;  // may begin again at 0
      if (place.is_array() && !place.empty()) place.push_back(json(place.front()));
      return;
    default:
      if (place.is_string()) {
        std::string text = place.get<std::string>();
        const std::size_t size = text.size();
        text.resize(size + 8);
        text.resize(
            LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
        place = text;
      }
  }
}

// Writes a number that is hard to compute with over one of the tensors' values.
void change(std::string& tensors, Draw& draw) {
  static constexpr float kFloats[] = {0.0F,
                                      -1.0F,
                                      3e38F,
                                      -3e38F,
                                      1e-42F,
                                      1e20F,
                                      -1e20F,
                                      std::numeric_limits<float>::infinity(),
                                      std::numeric_limits<float>::quiet_NaN()};
  if (tensors.size() < sizeof(float)) return;
  const float value = kFloats[draw() % std::size(kFloats)];
  const std::size_t at = draw() % (tensors.size() / sizeof(float)) * sizeof(float);
  std::memcpy(tensors.data() + at, &value, sizeof value);
}

void use(const Model& model) {
  if (model.is_of_images()) return;
  const Predictor predictor(model);
  DoubleMatrix features(4, model.table().schema.features.size());
  for (std::size_t j = 0; j < features.cols(); ++j) {
    features(1, j) = 1.0;
    features(2, j) = -1e30;
    features(3, j) = std::numeric_limits<double>::quiet_NaN();
  }
  const Predictions all = predictor.predict(features);
  const std::size_t classes = model.target.classes.size();
  if (all.labels.size() != 4 || all.probabilities.cols() != classes) std::abort();
  for (const int label : all.labels)
    if (label < -1 || label >= static_cast<int>(classes)) std::abort();
  if (const auto& decision = model.readout.decision)
    for (std::size_t i = 0; i < 4; ++i) {
      const bool positive = double{all.probabilities(i, decision->positive)} >= decision->threshold;
      const int label = static_cast<int>(positive ? decision->positive : 1 - decision->positive);
      if (all.labels[i] != -1 && all.labels[i] != label) std::abort();
    }
  const std::vector<int> truth = {0, -1, static_cast<int>(classes) - 1, 0};
  const Evaluation scores = evaluate(truth, all, classes);
  if (scores.rows != 4 || !(scores.metrics.accuracy >= 0.0 && scores.metrics.accuracy <= 1.0))
    std::abort();
}

// Returns the file after some changes; nothing if it is too damaged to be taken apart.
std::string changed_file(std::string_view bytes, Draw& draw) {
  auto parts = take_apart(bytes);
  if (!parts) return "";
  for (std::size_t changes = 1 + draw() % 3; changes > 0; --changes) {
    switch (draw() % 4) {
      case 0: change(parts->header, draw); break;
      case 1: change(parts->tensors, draw); break;
      default: change(parts->about, draw);
    }
  }
  return parts->header.is_object() ? put_together(*parts) : "";
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed) {
  Draw draw(seed);
  std::string changed;
  if (draw() % 8 != 0) try {
      changed = changed_file(fuzz::text_of(data, size), draw);
    } catch (const json::exception&) {  // a type that does not take the change
    }
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  try {
    const Model model = read_model(fuzz::text_of(bytes, size), "fuzz");
    use(model);
    const std::string written = write_model(model);
    if (write_model(read_model(written, "again")) != written) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
