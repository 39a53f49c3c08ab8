// Predicts with a model, see predictor.hpp.
#include "uaspl/model/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "uaspl/base/error.hpp"
#include "uaspl/data/table/expansion.hpp"
#include "uaspl/data/table/row_encoder.hpp"
#include "uaspl/forest/forest.hpp"

namespace uaspl {
namespace {

constexpr std::size_t kBlock = 4096;  // rows that are scaled and passed on at a time

// Returns the numbers 0, 1, ..., count - 1; at most a block's rows.
std::span<const int> first_numbers(std::size_t count) {
  static const std::vector<int> kNumbers = [] {
    std::vector<int> numbers(kBlock);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }();
  return std::span(kNumbers).first(count);
}

}  // namespace

struct Predictor::Parts {
  Parts(Model given, const Resources& resources) : model(std::move(given)) {
    if (model.members.empty()) throw Error("a model without a network cannot be used");
    for (const Member& member : model.members) add(member, resources);
    if (!model.is_of_images()) encoder.emplace(model.table().schema);
  }

  void add(const Member& member, const Resources& resources) {
    if (member.is_forest()) {
      forests.push_back(Forest::load(member.weights));
      const std::size_t columns = model.table().schema.features.size();
      if (forests.back().columns().size() != columns ||
          forests.back().classes() != model.target.classes.size())
        throw Error("a forest that does not fit the model");
      return;
    }
    const std::size_t width = model.fusion ? model.fusion->scalings[member.scaling].width() : 0;
    auto network = make_network(member.network, model.encoder, model.target.classes.size(), 0,
                                resources, kBlock, width);
    network->load(member.weights);
    networks.push_back(std::move(network));
  }

  Predictions predict(const Batch& batch, std::span<const double> evidence_factors = {}) const {
    if (networks.size() == 1)
      return read_out(networks.front()->logits(batch), model.readout, evidence_factors);
    std::vector<Matrix> logits;
    for (const auto& network : networks) logits.push_back(network->logits(batch));
    return read_out(logits, model.readout, evidence_factors);
  }

  Predictions predict_cells(const DoubleMatrix& cells, std::span<const int> rows) const {
    const Expansion expansion(model.table().schema);
    std::vector<int> unknown;
    std::vector<double> factors;
    std::vector<double> room;
    for (const int row : rows) {
      const auto own = cells.row(static_cast<std::size_t>(row));
      unknown.push_back(expansion.unknown(own));
      factors.push_back(std::pow(kEvidenceOfUnknown, unknown.back()) *
                        (model.novelty ? model.novelty->known(expansion.inputs(own, room)) : 1.0));
    }
    Predictions result = model.fusion || !forests.empty()
                             ? predict_together(cells, rows, factors)
                             : predict({Inputs(encode_cells(model.table(), cells, rows)),
                                        first_numbers(rows.size())},
                                       factors);
    if (model.fusion || !forests.empty())
      if (model.readout.decision) decide(result, *model.readout.decision);
    result.unknown = std::move(unknown);
    return result;
  }

  // The mean of what networks and forests say, by their votes.
  Predictions predict_together(const DoubleMatrix& cells, std::span<const int> rows,
                               std::span<const double> known) const {
    DoubleMatrix mean(rows.size(), model.target.classes.size());
    double votes = 0.0;
    for (const Member& member : model.members) votes += member.votes;
    const auto add = [&](const Matrix& said, double own) {
      for (std::size_t at = 0; at < mean.values().size(); ++at)
        mean.values()[at] += own / votes * static_cast<double>(said.values()[at]);
    };
    std::vector<std::optional<Inputs>> scaled(model.fusion ? model.fusion->scalings.size() : 0);
    std::optional<DoubleMatrix> block;  // the cells of the rows, for forests
    std::size_t network = 0;
    std::size_t forest = 0;
    for (const Member& member : model.members) {
      if (member.is_forest()) {
        if (!block) block = cells_of(cells, rows);
        const ForestOpinions said = forests[forest++].predict(*block);
        if (!model.fusion) return of_forest(said, known);
        add(said.probabilities, member.votes);
        continue;
      }
      std::optional<Inputs>& inputs = scaled[member.scaling];
      if (!inputs) inputs.emplace(scale(model.fusion->scalings[member.scaling], cells, rows));
      const Matrix logits = networks[network++]->logits({*inputs, first_numbers(rows.size())});
      add(read_out(logits, {model.readout.evidence}).probabilities, member.votes);
    }
    for (std::size_t i = 0; i < mean.rows(); ++i)
      sharpen(mean.row(i), model.fusion->tempering.temperature);
    return read_out_probabilities(mean, model.fusion->tempering.evidence, known);
  }

  static DoubleMatrix cells_of(const DoubleMatrix& cells, std::span<const int> rows) {
    DoubleMatrix block(rows.size(), cells.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(cells.row(static_cast<std::size_t>(rows[i])), block.row(i).begin());
    return block;
  }

  // A forest alone has an amount of evidence of its own for each row.
  static Predictions of_forest(const ForestOpinions& said, std::span<const double> known) {
    DoubleMatrix probabilities(said.probabilities.rows(), said.probabilities.cols());
    std::ranges::copy(said.probabilities.values(), probabilities.values().begin());
    std::vector<double> amounts(known.begin(), known.end());
    for (std::size_t i = 0; i < amounts.size(); ++i)
      amounts[i] *= static_cast<double>(said.amounts[i]);
    return read_out_probabilities(probabilities, 1.0, amounts);
  }

  Matrix scale(const RichScaling& scaling, const DoubleMatrix& cells,
               std::span<const int> rows) const {
    const Expansion expansion(model.table().schema);
    Matrix scaled(rows.size(), scaling.width());
    std::vector<double> room;
    for (std::size_t i = 0; i < rows.size(); ++i)
      scaling.apply(expansion.inputs(cells.row(static_cast<std::size_t>(rows[i])), room),
                    scaled.row(i));
    return scaled;
  }

  const TableEncoder& table() const {
    if (model.is_of_images()) throw Error("the model is of images, not of tables");
    return model.table();
  }

  const Model model;
  std::vector<std::unique_ptr<const Network>> networks;  // in the order of the members
  std::vector<Forest> forests;                           // in the order of the members
  std::optional<NamedRowEncoder> encoder;
};

Predictor::Predictor(Model model, const Resources& resources)
    : parts_(std::make_unique<const Parts>(std::move(model), resources)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const Model& Predictor::model() const { return parts_->model; }

Prediction Predictor::predict_row(const NamedRow& row) const {
  parts_->table();
  std::vector<double> values = parts_->encoder->encode(row);
  const std::size_t width = values.size();
  const Predictions all = predict(DoubleMatrix(1, width, std::move(values)));
  const auto list = [](const Matrix& m) {
    return std::vector<float>(m.values().begin(), m.values().end());
  };
  const int label = all.labels.front();
  Prediction one{.label = label == Predictions::kNoAnswer
                              ? std::string()
                              : model().target.classes[static_cast<std::size_t>(label)],
                 .probabilities = list(all.probabilities),
                 .evidence = list(all.evidence),
                 .vacuity = std::nullopt,
                 .entropy = all.entropy.front()};
  if (!all.vacuity.empty()) one.vacuity = all.vacuity.front();
  one.unknown = all.unknown.front();
  return one;
}

Predictions Predictor::predict_rows(std::span<const NamedRow> rows) const {
  DoubleMatrix features(rows.size(), parts_->table().schema.features.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(parts_->encoder->encode(rows[i]), features.row(i).begin());
  return predict(features);
}

Predictions Predictor::predict(const DoubleMatrix& features) const {
  if (features.rows() <= kBlock) return predict(features, first_numbers(features.rows()));
  std::vector<int> rows(features.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return predict(features, rows);
}

Predictions Predictor::predict(const DoubleMatrix& features, std::span<const int> rows) const {
  const std::size_t columns = parts_->table().schema.features.size();
  if (features.cols() != columns)
    throw Error(fmt::format("rows of {} values, the model takes {}", features.cols(), columns));
  const auto outside = [&](int row) {
    return row < 0 || static_cast<std::size_t>(row) >= features.rows();
  };
  if (std::ranges::any_of(rows, outside)) throw Error("a row that is not there");
  const auto block = [&](std::size_t first) {
    return parts_->predict_cells(features,
                                 rows.subspan(first, std::min(kBlock, rows.size() - first)));
  };
  Predictions result = block(0);
  for (std::size_t first = kBlock; first < rows.size(); first += kBlock)
    append(result, block(first));
  return result;
}

Predictions Predictor::predict(const std::shared_ptr<const ImageSet>& images,
                               std::span<const int> rows) const {
  if (!model().is_of_images()) throw Error("the model is of tables, not of images");
  const ImageShape& shape = model().images().shape;
  if (images->shape != shape)
    throw Error(
        fmt::format("{}: images of {}x{}x{}, the model takes {}x{}x{} (channels, height, "
                    "width)",
                    images->name, images->shape.channels, images->shape.height, images->shape.width,
                    shape.channels, shape.height, shape.width));
  const Inputs inputs(Images{images, model().images().transform});
  return parts_->predict({inputs, rows});
}

Predictions Predictor::predict(const Dataset& data, std::span<const int> rows) const {
  return data.is_images() ? predict(data.images().set, rows) : predict(data.table().features, rows);
}

}  // namespace uaspl
