// Work on images as far as it needs no network: conditions, splits, data sets, plans, models; and
// runs that go on from a checkpoint.
#include <algorithm>
#include <cmath>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/base/pick.hpp"
#include "uaspl/data/image/image_dataset.hpp"
#include "uaspl/data/image/image_sets.hpp"
#include "uaspl/data/image/image_split.hpp"
#include "uaspl/io/safetensors.hpp"
#include "uaspl/method/suitable.hpp"
#include "uaspl/model/model_file.hpp"
#include "uaspl/net/image_network.hpp"
#include "uaspl/report/results.hpp"
#include "uaspl/study/experiment.hpp"
#include "uaspl/study/study.hpp"
#include "uaspl/train/meta_split.hpp"

namespace uaspl {
namespace {

using Counts = std::vector<std::size_t>;

ChosenMethod choose(const std::string& name, const std::vector<std::string>& settings = {}) {
  return choose_methods(std::vector<std::string>{name}, settings).front();
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

template <typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// 2 x 2 grey images with labels 0, 1, 2, 0, 1, 2, ..., each image of its number's colour.
ImageSet small_images(std::size_t train, std::size_t test, const std::string& name = "own") {
  ImageSet images{name, {1, 2, 2}, {}, {}, {"a", "b", "c"}, train, ""};
  for (std::size_t i = 0; i < train + test; ++i) {
    images.pixels.insert(images.pixels.end(), 4, static_cast<std::uint8_t>(i));
    images.labels.push_back(static_cast<int>(i % 3));
  }
  images.content = image_content(images);
  return images;
}

// Stores of earlier versions are looked up by these bytes.
TEST(Configuration, OfTablesIsThatOfOlderStores) {
  EXPECT_EQ(configuration(choose("direct"), {}),
            R"({"batch":0,"decay":0.0005,"dropout":0,"first_share":0.25,"hidden":[128,128],)"
            R"("momentum":0.9,"pretraining":20,"rate":0.1,"share_step":0.15,"stages":6,)"
            R"("steps":150,"stop_below":0.0001,"test_fraction":0.5})");
  ExperimentOptions noisy;
  noisy.fit.training.passes = 3;
  noisy.rows.noise = {NoiseKind::kUniform, 0.4};
  noisy.rows.clean_pretraining = true;
  noisy.fit.resources.threads = 7;
  noisy.fit.resources.device = "cuda";
  noisy.checkpoints = "somewhere";
  EXPECT_EQ(configuration(choose("uaspl"), noisy),
            R"({"batch":0,"decay":0.0005,"dropout":0,"first_share":0.25,"hidden":[128,128],)"
            R"("method":{"beta":"1","evidence":"relu"},"momentum":0.9,)"
            R"("noise":{"clean_pretraining":true,"kind":"uniform","ratio":0.4},"pretraining":20,)"
            R"("rate":0.1,"share_step":0.15,"stages":6,"steps":3,"stop_below":0.0001,)"
            R"("test_fraction":0.5})");
}

TEST(Configuration, OfImagesSaysAllThatDecidesTheirRuns) {
  ExperimentOptions options = image_protocol(find_image_profile("full"));
  EXPECT_EQ(configuration(choose("direct"), options),
            R"({"augmented":true,"batch":64,"decay":0.0005,"dropout":0,"first_share":0.25,)"
            R"("meta_batch":64,"meta_of_class":100,"momentum":0.9,"network":"resnet18",)"
            R"("pretraining":5,"rate":0.1,"rate_falls":[4,2],)"
            R"("share_step":0.15,"stages":6,"steps":15,"stop_below":0.0})");
  const std::string usual = configuration(choose("direct"), options);
  options.rows.imbalance = 100.0;
  EXPECT_TRUE(contains(configuration(choose("direct"), options), R"("imbalance":100.0)"));
  EXPECT_NE(configuration(choose("direct"), image_protocol(find_image_profile("mid"))), usual);
  EXPECT_NE(configuration(choose("direct"), image_protocol(find_image_profile("full"), "resnet8")),
            usual);
}

TEST(ImageProtocol, LeNetLearnsSlowerAndProfilesAreKnown) {
  const Training lenet = image_protocol(find_image_profile("quick"), "lenet").fit.training;
  const Training resnet = image_protocol(find_image_profile("quick")).fit.training;
  EXPECT_EQ(lenet.rate_falls, resnet.rate_falls);
  EXPECT_LT(lenet.step.rate, resnet.step.rate);
  EXPECT_EQ(resnet.passes, 1);
  EXPECT_TRUE(contains(message_of([] { find_image_profile("tiny"); }), "known: quick, mid, full"));
}

// As NumPy has them: [int(6000 / 100 ** (p / 9)) for p in RandomState(83105).permutation(10)].
TEST(LongTail, IsThatOfNumPy) {
  EXPECT_EQ(long_tail(Counts(10, 6000), 100.0, 83105),
            (Counts{2156, 1292, 166, 60, 100, 278, 6000, 774, 464, 3596}));
  EXPECT_EQ(long_tail(Counts{5}, 100.0, 1), Counts{5});
  // One of each class stays, and no more are taken than there are.
  const Counts few = long_tail(Counts{1, 1, 30}, 1e6, 3);
  EXPECT_EQ(std::ranges::min(few), 1U);
  EXPECT_LE(few[0], 1U);
  EXPECT_LE(few[2], 30U);
}

// What NumPy and PyTorch make of it, see image_rows.py.
TEST(SplitRows, OrderNoiseAndImbalanceOfImagesAreThoseOfThePublishedCode) {
  const auto cases = testing::reference("image_rows.json");
  ASSERT_EQ(cases.size(), 6U);
  for (const auto& one : cases) {
    const auto given = one["given"].get<std::vector<int>>();
    ImageSet images{"own", {1, 1, 1}, {}, given, {}, given.size(), "content"};
    images.labels.push_back(0);  // the one to test on
    images.pixels.resize(images.labels.size());
    for (int k = 0; k < one["classes"]; ++k) images.classes.push_back(std::to_string(k));
    RowOptions options{.imbalance = one["imbalance"]};
    if (const std::string noise = one["noise"]; !noise.empty()) options.noise = parse_noise(noise);
    const Dataset data = image_dataset(images);
    const TrainingRows rows = split_rows(data, one["seed"], options);
    EXPECT_EQ(rows.split.train, one["rows"].get<std::vector<int>>()) << one["noise"];
    EXPECT_EQ(rows.labels, one["labels"].get<std::vector<int>>()) << one["noise"];
    EXPECT_EQ(rows.pretraining_labels, rows.labels);
    EXPECT_EQ(rows.split.test, (std::vector<int>{static_cast<int>(given.size())}));
    options.clean_pretraining = true;
    EXPECT_EQ(split_rows(data, one["seed"], options).pretraining_labels,
              pick(data.labels, rows.split.train));
  }
}

TEST(SplitRows, AnImbalanceThinsOutTheTrainingImagesOnly) {
  const Dataset data = image_dataset(small_images(300, 30));
  const TrainingRows rows = split_rows(data, 83105, {.imbalance = 25.0});
  Counts counts(3);
  for (const int label : rows.labels) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(counts, (Counts{100, 4, 20}));  // RandomState(83105).permutation(3) is [0 2 1]
  EXPECT_EQ(rows.split.test.size(), 30U);
  const auto error = [](const ImageSet& images) {
    return message_of([&] { grouped_images(images, 1.0, 1); });
  };
  EXPECT_TRUE(contains(error(small_images(3, 0)), "for testing"));
  EXPECT_TRUE(contains(error(small_images(0, 3)), "for training"));
}

TEST(PlannedRows, AreThoseThatTheStepsSee) {
  const Dataset data = image_dataset(small_images(300, 30));
  ExperimentOptions options = image_protocol(find_image_profile("quick"));
  options.fit.pretraining = 2;
  options.fit.training.passes = 2;
  options.rows.imbalance = 25.0;  // leaves 100, 4 and 20
  for (const auto& [method, apart] : {std::pair("direct", 0), {"spl", 0}, {"mw_net", 20 + 4}}) {
    const ChosenMethod chosen = choose(method);
    const PlannedRows planned = planned_rows(data, chosen, options.fit, options.rows, 83105);
    EXPECT_EQ(planned.pretraining, 2 * 124.0);
    const std::string name = method;
    const double shares = name == "spl" ? 0.25 + 0.40 + 0.55 + 0.70 + 0.85 + 1.0 : 6.0;
    EXPECT_NEAR(planned.stages, 2 * shares * (124 - apart), 1e-9) << method;
  }
}

TEST(ImageDataset, HoldsOutAFifthOfEachClassWhereThereAreNoTestImages) {
  const Dataset data = image_dataset(small_images(60, 0));
  EXPECT_EQ(data.images().set->train, 48U);
  EXPECT_EQ(data.rows(), 60U);
  Counts held(3);
  std::vector<bool> seen(60);
  for (std::size_t i = 0; i < 60; ++i) {
    const std::uint8_t number = data.images().set->image(i)[0];
    EXPECT_FALSE(seen[number]);
    seen[number] = true;
    EXPECT_EQ(data.labels[i], number % 3);  // a label stays with its image
    if (i >= 48) ++held[static_cast<std::size_t>(data.labels[i])];
  }
  EXPECT_EQ(held, Counts(3, 4));
  EXPECT_EQ(data.images().set->content, image_content(*data.images().set));
  EXPECT_EQ(content_sha256(data), data.images().set->content);
  EXPECT_NE(content_sha256(image_dataset(small_images(60, 0), 1)), content_sha256(data));
  EXPECT_EQ(content_sha256(image_dataset(small_images(60, 0))), content_sha256(data));
  EXPECT_TRUE(contains(message_of([] { image_dataset(small_images(3, 0)); }), "too few"));
}

TEST(ImageDataset, KnownSetsHaveTheirTransformAndSettings) {
  const Dataset own = image_dataset(small_images(6, 3));
  EXPECT_EQ(own.images().set->train, 6U);
  EXPECT_EQ(configuration(suited_to(choose("uaspl_hybrid"), own), {}),
            configuration(choose("uaspl_hybrid"), {}));
  EXPECT_EQ(own.target.classes, (std::vector<std::string>{"a", "b", "c"}));
  const Dataset known = image_dataset(small_images(6, 3, "fashion_mnist"));
  const ChosenMethod suitable = suited_to(choose("uaspl_hybrid"), known);
  EXPECT_EQ(suitable.settings.text("kappa"), "0.25");
  EXPECT_EQ(suitable.settings.text("beta_last"), "0.1");
  // What the user says stays, and other methods are not touched.
  const ChosenMethod said = suited_to(choose("uaspl_hybrid", {"uaspl_hybrid.kappa=1"}), known);
  EXPECT_EQ(said.settings.text("kappa"), "1");
  EXPECT_EQ(said.settings.text("beta_last"), "0.1");
  EXPECT_EQ(configuration(suited_to(choose("spl"), known), {}), configuration(choose("spl"), {}));
}

TEST(ImageDataset, RefusesImagesThatNoNetworkCouldTake) {
  ImageSet large = small_images(6, 3);
  large.shape = {1, 1025, 1024};
  EXPECT_TRUE(contains(message_of([&] { image_dataset(large); }), "too large"));
}

// Methods that are set as suits each data set are one method, not one for each.
TEST(Labels, OfRunsOnImages) {
  const auto label = [](const std::string& dataset, const std::vector<std::string>& settings = {}) {
    return method_label(
        {dataset, "sha", "uaspl_hybrid",
         configuration(suited_to_images(choose("uaspl_hybrid", settings), dataset), {}), 1});
  };
  EXPECT_EQ(label("mnist"), "uaspl_hybrid");
  EXPECT_EQ(label("cifar10"), "uaspl_hybrid");
  EXPECT_EQ(label("mnist", {"uaspl_hybrid.kappa=1"}), "uaspl_hybrid kappa=1");
  const auto variant = [](const ExperimentOptions& options) {
    return variant_label({"mnist", "sha", "direct", configuration(choose("direct"), options), 1});
  };
  EXPECT_EQ(variant(image_protocol(find_image_profile("full"))), "network resnet18");
  EXPECT_EQ(variant(image_protocol(find_image_profile("quick"), "lenet")),
            "network lenet, limit 2000, pretraining 1, steps 1, test_limit 1000");
  EXPECT_EQ(variant({}), "");
}

TEST(StudyOfImages, HasItsEntries) {
  const Study study = parse_study(
      R"({"images": ["mnist", "photos/"], "methods": "spl", "seeds": [3, 1], "network": "lenet",
          "profile": "quick", "noise": ["none", "flip2:0.4"], "steps": 2, "rate": 0.025})",
      "own");
  EXPECT_EQ(study.images, (std::vector<std::string>{"mnist", "photos/"}));
  EXPECT_EQ(study.seeds, (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(study.runs, 2U);
  EXPECT_EQ(study.profile, "quick");
  ASSERT_EQ(study.variants.size(), 2U);
  EXPECT_EQ(study.variants[1].fit.network.name, "lenet");
  EXPECT_EQ(study.variants[1].fit.pretraining, 1);
  EXPECT_EQ(study.variants[1].fit.training.passes, 2);
  EXPECT_EQ(study.variants[1].rows.noise.kind, NoiseKind::kFlip2);
  const Training& training = study.variants[1].fit.training;
  EXPECT_EQ(training.step.rate, 0.025F);
  EXPECT_EQ(training.rate_falls, (std::vector<int>{4, 2}));
}

TEST(StudyOfImages, WrongEntriesAreNamed) {
  const auto error = [](const std::string& entries) {
    return message_of([&] { parse_study("{\"methods\": \"spl\", " + entries + "}", "own"); });
  };
  EXPECT_TRUE(contains(error(R"("images": "a", "datasets": "b")"), "and not both"));
  EXPECT_TRUE(contains(error(R"("summary": "none")"), "or `images`"));
  EXPECT_TRUE(contains(error(R"("datasets": "b", "network": "lenet")"), "own:1: network"));
  EXPECT_TRUE(contains(error(R"("datasets": "b", "profile": "quick")"), "own:1: profile"));
  EXPECT_TRUE(contains(error(R"("images": "a", "network": "vgg")"), "unknown network 'vgg'"));
  EXPECT_TRUE(contains(error(R"("images": "a", "profile": "tiny")"), "unknown profile 'tiny'"));
  EXPECT_TRUE(contains(error(R"("images": "a", "hidden": [4])"), "own:1: hidden"));
  EXPECT_TRUE(contains(error(R"("images": "a", "seeds": ["x"])"), "own:1: seeds"));
  for (const std::string rate : {"0", "-1", "1e300", "1e-300", "\"fast\""})
    EXPECT_TRUE(contains(error(R"("images": "a", "rate": )" + rate),
                         "own:1: rate: expected a finite number above 0"))
        << rate;
  EXPECT_TRUE(contains(error(R"("images": "a", "seed": 1)"), "unknown entry 'seed'"));
}

TEST(MetaSplit, NoRowsToJudgeByAreAnError) {
  const std::vector<int> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<int> labels = {0, 1, 0, 1, 0, 1, 0, 1};
  const TrainingSet set{nullptr, rows, labels, 2};
  EXPECT_TRUE(contains(message_of([&] { MetaSplit(set, 0.2, 100, 1); }), "5 training rows"));
  EXPECT_EQ(MetaSplit(set, 0.25, 100, 1).set().meta_rows.size(), 2U);
  EXPECT_EQ(MetaSplit(set, 0.75, 1, 1).set().meta_rows.size(), 2U);
}

// Stops after so many passes.
class Patience final : public Observer {
 public:
  explicit Patience(int passes) : left_(passes) {}
  void on_pass(int, int, double) override { --left_; }
  bool stop() override { return left_ <= 0; }

 private:
  int left_;
};

void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.metrics.accuracy, b.metrics.accuracy);
  EXPECT_EQ(a.metrics.f1, b.metrics.f1);
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (std::size_t t = 0; t < a.stages.size(); ++t) {
    const StageRecord& s = a.stages[t];
    const StageRecord& r = b.stages[t];
    EXPECT_EQ(std::tie(s.stage, s.selected, s.passes, s.mean_loss, s.mean_uncertainty, s.ties,
                       s.dead, s.first_loss, s.last_loss, s.loss_variation, s.test_accuracy),
              std::tie(r.stage, r.selected, r.passes, r.mean_loss, r.mean_uncertainty, r.ties,
                       r.dead, r.first_loss, r.last_loss, r.loss_variation, r.test_accuracy));
  }
  ASSERT_EQ(a.samples.size(), b.samples.size());
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    const SampleRecord& s = a.samples[i];
    const SampleRecord& r = b.samples[i];
    EXPECT_EQ(std::tie(s.stage, s.row, s.loss, s.uncertainty, s.weight, s.correct, s.selected),
              std::tie(r.stage, r.row, r.loss, r.uncertainty, r.weight, r.correct, r.selected));
  }
  ASSERT_EQ(a.passes.size(), b.passes.size());
  for (std::size_t i = 0; i < a.passes.size(); ++i) {
    const PassRecord& s = a.passes[i];
    const PassRecord& r = b.passes[i];
    EXPECT_EQ(std::tie(s.stage, s.pass, s.loss, s.train_loss, s.test_loss, s.test_accuracy),
              std::tie(r.stage, r.pass, r.loss, r.train_loss, r.test_loss, r.test_accuracy));
  }
}

TEST(PreparedRun, AnInterruptedOneGoesOnAsIfNothingHadHappened) {
  const Dataset data = testing::cloud_set("clouds", 80);
  ExperimentOptions options;
  options.fit.network.hidden = {8};
  options.fit.pretraining = 3;
  options.fit.training.passes = 4;
  options.trace = options.curves = true;
  for (const std::string name : {"uaspl", "wsplbf1", "mw_net", "active_bias"}) {
    options.checkpoints.clear();
    options.fit.training.carry_momentum = name != "uaspl";
    const ChosenMethod method = choose(name);
    const RunRecord undisturbed = PreparedRun(data, 5, options).run(method).value();
    ASSERT_GT(undisturbed.samples.size(), 6U * 30U);
    ASSERT_EQ(undisturbed.passes.size(), 6U * 4U);
    const testing::TemporaryFolder folder;
    options.checkpoints = folder.path() / "kept";
    const auto files = [&] {
      return std::distance(std::filesystem::directory_iterator(options.checkpoints), {});
    };
    for (const int passes : {2, 9, 13}) {  // in the pre-training, and in two stages
      Patience patience(passes);
      const PreparedRun prepared(data, 5, options, &patience);
      EXPECT_FALSE(prepared.run(method, &patience));
    }
    EXPECT_EQ(files(), 2);
    const PreparedRun prepared(data, 5, options);
    const RunRecord resumed = prepared.run(method).value();
    expect_same(resumed, undisturbed);
    // One that did not record all of this is none to go on from; a prediction is made at the end.
    ExperimentOptions others = options;
    others.curves = false;
    EXPECT_NE(run_checkpoint(resumed.key, others)->path(),
              run_checkpoint(resumed.key, options)->path());
    others = options;
    others.keep_predictions = true;
    EXPECT_EQ(run_checkpoint(resumed.key, others)->path(),
              run_checkpoint(resumed.key, options)->path());
    run_checkpoint(resumed.key, options)->remove();
    run_checkpoint(pretraining_key(dataset_id(data), options, 5), options)->remove();
    EXPECT_EQ(files(), 0);
  }
}

// Counts the rows of steps, and stops at one of them.
class Steps final : public Observer {
 public:
  void on_step(const Visit& visit, std::span<const float>) override {
    sizes.push_back(visit.positions.size());
  }
  bool stop() override { return sizes.size() >= most; }
  std::vector<std::size_t> sizes;
  std::size_t most = 1000;
};

TEST(Passes, OneImageAloneJoinsTheStepBeforeIt) {
  const auto sizes = [&](std::size_t batch, bool augmented) {
    const Dataset half = testing::cloud_set("clouds", 66);
    ExperimentOptions options;
    options.fit.network.hidden = {4};
    options.fit.pretraining = 1;
    options.fit.training.batch = batch;
    options.fit.training.augmented = augmented;
    Steps steps;
    PreparedRun(half, 1, options, &steps);
    return steps.sizes;
  };
  EXPECT_EQ(sizes(16, true), (Counts{16, 17}));
  EXPECT_EQ(sizes(16, false), (Counts{16, 16, 1}));
  EXPECT_EQ(sizes(32, true), (Counts{33}));
  EXPECT_EQ(sizes(31, true), (Counts{31, 2}));
  EXPECT_EQ(sizes(11, true), (Counts{11, 11, 11}));
  EXPECT_EQ(sizes(1, true), Counts(33, 1));
  EXPECT_EQ(sizes(0, true), Counts{33});
}

TEST(Passes, TheObserverCanStopBetweenSteps) {
  const Dataset data = testing::cloud_set("clouds", 66);
  ExperimentOptions options;
  options.fit.network.hidden = {4};
  options.fit.pretraining = 2;
  options.fit.training.batch = 4;
  Steps steps;
  steps.most = 5;
  const PreparedRun prepared(data, 1, options, &steps);
  EXPECT_EQ(steps.sizes.size(), 5U);
  EXPECT_FALSE(prepared.run(choose("spl"), &steps));
}

Model image_model() {
  Model model;
  model.target = {"class", {"cat", "dög"}};
  model.encoder =
      ImageEncoder{{3, 16, 20}, {.mean = {0.5F, 0.25F, 0.1F}, .deviation = {0.25F, 0.5F, 0.75F}}};
  // As many weights as such a network has, by whatever names: it is not made here.
  const std::size_t others = image_network_weights("lenet", model.images().shape, 2) - 2;
  model.members.push_back({.network = {.name = "lenet"},
                           .weights = {{"fc3.bias", {{2}, {0.5F, -1.0F}}},
                                       {"others", {{others}, std::vector<float>(others)}}}});
  model.readout.evidence = Evidence::kExp;
  model.method = "uaspl_hybrid";
  model.configuration = {{"batch", "64"}};
  model.seed = 7;
  model.rows = 12;
  model.data_sha256 = "abc";
  model.version = "0.1.0";
  model.held_out = Metrics{0.5, 0.25, 0.125, 0.75};
  return model;
}

std::string error_of(const std::string& bytes) {
  return message_of([&] { read_model(bytes, "m"); });
}

// The model's file with a part of its description replaced.
std::string altered(const std::string& from, const std::string& to) {
  TensorFile file = read_safetensors(write_model(image_model()), "m");
  std::string& about = file.metadata["uaspl"];
  const std::size_t place = about.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  about.replace(place, from.size(), to);
  return write_safetensors(file);
}

TEST(ImageModel, IsReadAsItWasWritten) {
  const std::string bytes = write_model(image_model());
  const Model read = read_model(bytes, "m");
  EXPECT_EQ(write_model(read), bytes);
  ASSERT_TRUE(read.is_of_images());
  ASSERT_EQ(read.members.size(), 1U);
  EXPECT_EQ(read.members[0].network.name, "lenet");
  EXPECT_EQ(read.images().shape, (ImageShape{3, 16, 20}));
  EXPECT_EQ(read.images().transform.deviation, image_model().images().transform.deviation);
  EXPECT_EQ(read.target.classes[1], "dög");
  EXPECT_EQ(read.members[0].weights.at("fc3.bias").values, (std::vector<float>{0.5F, -1.0F}));
  EXPECT_EQ(read.held_out->f1, 0.75);
  EXPECT_THROW(read_model(altered("\"images\"", "\"others\""), "m"), Error);
}

TEST(ImageModel, HostileOnesAreRefused) {
  const std::string bytes = write_model(image_model());
  // Every byte of the description, and some of the many weights after it.
  const std::size_t weights = bytes.size() - 4 * image_network_weights("lenet", {3, 16, 20}, 2);
  const auto next = [&](std::size_t at) { return at + (at < weights ? 1 : 997); };
  for (std::size_t size = 0; size < bytes.size(); size = next(size))
    ASSERT_TRUE(contains(error_of(bytes.substr(0, size)), "not a valid model file")) << size;
  for (std::size_t i = 0; i < bytes.size(); i = next(i))
    for (const char other : {'\0', '"', '9', '-', '\xff'}) {
      std::string changed = bytes;
      changed[i] = other;
      error_of(changed);  // no crash
    }
  const std::string shape = "\"shape\":[3,16,20]";
  for (const std::string bad : {"[2,16,20]", "[3,0,20]", "[3,1048576,2]", "[3,16]", "[3,16,20,1]",
                                "[3,-16,20]", "[3,18446744073709551615,2]", "3", "[1,16,20]"})
    EXPECT_TRUE(contains(error_of(altered(shape, "\"shape\":" + bad)), "not a valid model file"))
        << bad;
  for (const std::string bad : {"0.0", "-1.0", "1e300", "null", "1e-300"})
    EXPECT_TRUE(contains(error_of(altered("\"deviation\":[0.25", "\"deviation\":[" + bad)),
                         "not a valid model file"))
        << bad;
  EXPECT_TRUE(contains(error_of(altered("\"mean\":[0.5", "\"mean\":[1e300")), "a float can hold"));
  EXPECT_TRUE(contains(error_of(altered("[\"cat\",\"dög\"]", "[]")), "no class"));
  EXPECT_TRUE(contains(error_of(altered("\"format\":2", "\"format\":8")), "use a newer uaspl"));
  EXPECT_TRUE(contains(error_of(altered("\"network\":\"lenet\"", "\"network\":5")),
                       "not a valid model file"));
  EXPECT_TRUE(contains(error_of(altered("\"lenet\"", "\"lemon\"")), "unknown network 'lemon'"));
  TensorFile file = read_safetensors(write_model(image_model()), "m");
  file.tensors["other"] = {{1}, std::vector<float>{1.0F}};
  EXPECT_TRUE(contains(error_of(write_safetensors(file)), "is no weight of a network"));
}

}  // namespace
}  // namespace uaspl
