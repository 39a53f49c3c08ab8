// Committees and forests as models, see learn.hpp.
#include "uaspl/train/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/base/version.hpp"
#include "uaspl/data/table/expansion.hpp"

namespace uaspl {
namespace {

std::size_t threads_of(const FitOptions& options) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return options.resources.threads > 0 ? options.resources.threads : cores;
}

// The training rows of a table: its own cells if these are all of its rows, else a copy.
class TrainingCells {
 public:
  TrainingCells(const DoubleMatrix& all, std::span<const int> rows) : all_(all) {
    std::vector<int> every(all.rows());
    std::iota(every.begin(), every.end(), 0);
    if (std::ranges::equal(every, rows)) return;
    copy_.resize(rows.size(), all.cols());
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::ranges::copy(all.row(static_cast<std::size_t>(rows[i])), copy_.row(i).begin());
    copied_ = true;
  }
  const DoubleMatrix& cells() const { return copied_ ? copy_ : all_; }

 private:
  const DoubleMatrix& all_;
  DoubleMatrix copy_;
  bool copied_ = false;
};

std::vector<ForestColumn> forest_columns(const Schema& schema) {
  std::vector<ForestColumn> columns;
  for (const FeatureColumn& column : schema.features)
    columns.push_back({column.categorical() ? std::max<std::size_t>(1, column.places()) : 0});
  return columns;
}

class Learner {
 public:
  Learner(const Dataset& data, const TrainingRows& rows, const ChosenMethod& method,
          const FitOptions& options, Observer* observer)
      : data_(data),
        rows_(rows),
        method_(method),
        options_(options),
        observer_(observer),
        encoder_(std::get<TableEncoder>(fit_encoder(data, rows.split.train))),
        cells_(data.table().features, rows.split.train),
        columns_(forest_columns(encoder_.schema)),
        expansion_(encoder_.schema),
        kinds_(input_kinds(encoder_.schema)),
        weights_(loss_weights(data, rows.split.train, rows.labels, options.class_weights)) {}

  std::optional<LearnedModel> run() {
    const auto began = Clock::now();
    auto learned = method_.info->way == Way::kForest ? forest() : committee();
    if (learned) learned->seconds = seconds_since(began);
    return learned;
  }

 private:
  bool stopped() const { return observer_ && observer_->stop(); }

  Model described() const {
    Model model;
    model.target = data_.target;
    model.encoder = encoder_;
    model.readout = {Evidence::kExp};
    model.method = method_.info->name;
    for (const Option& option : method_.info->options)
      model.configuration.emplace(fmt::format("{}.{}", method_.info->name, option.name),
                                  method_.settings.text(option.name));
    model.seed = options_.seed;
    model.rows = rows_.split.train.size();
    model.data_sha256 = data_.table().sha256;
    model.version = version();
    return model;
  }

  std::span<const double> inputs(std::size_t row, std::vector<double>& room) const {
    return expansion_.inputs(cells_.cells().row(row), room);
  }

  std::optional<LearnedModel> forest() {
    std::vector<int> all(rows_.labels.size());
    std::iota(all.begin(), all.end(), 0);
    Workers workers(threads_of(options_));
    const ForestData data{cells_.cells(), columns_, rows_.labels, rows_.classes, weights_};
    const Settings& settings = method_.settings;
    const auto kind = settings["kind"] == 0.0 ? ForestKind::kRandom : ForestKind::kExtremelyRandom;
    auto fitted = fit_forest(data, all,
                             {.kind = kind,
                              .trees = static_cast<std::size_t>(settings["trees"]),
                              .min_leaf = static_cast<std::size_t>(settings["min_leaf"]),
                              .seed = options_.seed,
                              .stop = [this] { return stopped(); }},
                             workers);
    if (!fitted) return std::nullopt;
    // Drawn splits are made on all rows, so that no tree can judge how much its leaves are worth.
    if (fitted->out_of_bag)
      fitted->forest.set_evidence_scale(best_evidence_scale(*fitted->out_of_bag, rows_.labels));
    LearnedModel learned{described(), 0.0, std::nullopt};
    learned.model.members.push_back({{std::string(Member::kForest), {}}, fitted->forest.save()});
    learned.model.novelty = novelty();
    return learned;
  }

  Novelty novelty() const {
    constexpr std::size_t kMost = 20000;  // rows, evenly spread over the table
    const std::size_t all = rows_.labels.size();
    const std::size_t count = std::min(all, kMost);
    DoubleMatrix sample(count, expansion_.width());
    std::vector<double> room;
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy(inputs(i * all / count, room), sample.row(i).begin());
    return fit_novelty(sample, kinds_.level, kinds_.categories, options_.seed);
  }

  CommitteeOptions committee_options() {
    CommitteeOptions options;
    const Settings& settings = method_.settings;
    options.networks.resize(static_cast<std::size_t>(settings["encodings"]) + 1);
    options.trees = static_cast<std::size_t>(settings["trees"]);
    if (options.trees == 0) options.forests.clear();
    options.folds = static_cast<std::size_t>(settings["folds"]);
    options.hidden = options_.network.hidden;
    options.seed = options_.seed;
    options.threads = threads_of(options_);
    options.stop = [this] { return stopped(); };
    if (observer_) options.progress = [this](double done) { observer_->on_progress(done); };
    return options;
  }

  std::optional<LearnedModel> committee() {
    const CommitteeRows rows{
        [this](std::size_t row, std::vector<double>& room) { return inputs(row, room); },
        expansion_.width(),
        kinds_.level,
        kinds_.categories,
        cells_.cells(),
        columns_,
        rows_.labels,
        rows_.classes,
        weights_};
    const CommitteeOptions options = committee_options();
    auto committee = fit_committee(rows, options);
    if (!committee) return std::nullopt;
    LearnedModel learned{described(), 0.0, std::nullopt};
    seat(*committee, options, learned.model);
    const OutOfFold& out = committee->out_of_fold;
    learned.out_of_fold =
        Judged{pick(rows_.split.train, out.rows),
               read_out_probabilities(out.probabilities, committee->tempering.evidence, out.known)};
    return learned;
  }

  static void seat(Committee& committee, const CommitteeOptions& options, Model& model) {
    model.fusion = Fusion{std::move(committee.scalings), committee.tempering};
    model.novelty = std::move(committee.novelty);
    for (CommitteeMember& member : committee.members)
      model.members.push_back({{"mlp", options.hidden},
                               std::move(member.weights),
                               member.expert,
                               member.votes / static_cast<double>(committee.folds)});
    for (const CommitteeForest& one : committee.forests)
      model.members.push_back({{std::string(Member::kForest), {}},
                               one.forest.save(),
                               0,
                               static_cast<double>(one.votes)});
  }

  const Dataset& data_;
  const TrainingRows& rows_;
  const ChosenMethod& method_;
  const FitOptions& options_;
  Observer* observer_;
  TableEncoder encoder_;
  TrainingCells cells_;
  std::vector<ForestColumn> columns_;
  Expansion expansion_;
  InputKinds kinds_;
  std::vector<float> weights_;  // of the training rows; empty: all count equally
};

}  // namespace

std::optional<LearnedModel> learn(const Dataset& data, const TrainingRows& rows,
                                  const ChosenMethod& method, const FitOptions& options,
                                  Observer* observer) {
  if (data.is_images())
    throw Error(
        fmt::format("{}: method {} is for tables, not for images", data.name, method.info->name));
  return Learner(data, rows, method, options, observer).run();
}

}  // namespace uaspl
