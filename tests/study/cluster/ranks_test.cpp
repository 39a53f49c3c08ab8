// Grids on several ranks, which here are threads: the same results, errors that arrive, ranks that
// do not fit, letters that are none.
#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/study/cluster/coordinator.hpp"
#include "uaspl/study/cluster/messages.hpp"
#include "uaspl/study/cluster/worker.hpp"
#include "uaspl/study/grid.hpp"

namespace uaspl {
namespace {

// Letter boxes in memory.
struct Post {
  explicit Post(std::size_t ranks) : boxes(ranks) {}
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::deque<Ranks::Letter>> boxes;
};

class MemoryRanks final : public Ranks {
 public:
  MemoryRanks(Post& post, std::size_t rank) : post_(post), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return post_.boxes.size(); }
  void send(std::size_t to, std::string bytes) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes[to].push_back({rank_, std::move(bytes)});
    post_.changed.notify_all();
  }
  std::optional<Letter> receive(std::chrono::milliseconds wait) override {
    std::unique_lock lock(post_.mutex);
    auto& box = post_.boxes[rank_];
    if (!post_.changed.wait_for(lock, wait, [&] { return !box.empty(); })) return std::nullopt;
    Letter letter = std::move(box.front());
    box.pop_front();
    return letter;
  }
  void finish() override { finished = true; }
  void abort(int) override { FAIL() << "rank " << rank_ << " ended all"; }
  bool finished = false;

 private:
  Post& post_;
  std::size_t rank_;
};

ExperimentOptions traced_options() {
  ExperimentOptions options;
  options.fit.network.hidden = {16};
  options.fit.training.passes = 10;
  options.trace = true;
  return options;
}

struct RanksTest : ::testing::Test {
  std::vector<Dataset> datasets{testing::cloud_set("small", 30), testing::cloud_set("large", 70)};
  std::vector<ChosenMethod> chosen =
      choose_methods(std::vector<std::string>{"direct", "uaspl_linear"});
  Grid grid{.datasets = datasets,
            .methods = chosen,
            .first_seed = 7,
            .runs = 4,
            .variants = {traced_options()}};
  std::atomic<bool> cancel{false};
  std::size_t jobs = 1;
  std::function<void(Worker&)> body = [this](Worker& follower) {
    follower.work(grid, jobs, cancel);
  };

  using OnFinished = std::function<void(const Finished&)>;

  // The error of rank 0, empty where there is none. All ranks come to an end in any case.
  std::string run(std::size_t count, const OnFinished& on_finished) {
    Post post(count);
    MemoryRanks own(post, 0);
    std::string error;
    {
      std::vector<std::jthread> others;
      for (std::size_t rank = 1; rank < count; ++rank)
        others.emplace_back([&, rank] {
          MemoryRanks ranks(post, rank);
          EXPECT_EQ(follow(ranks, body, cancel), 7);
          EXPECT_TRUE(ranks.finished);
        });
      Coordinator lead(own);
      try {
        lead.run(grid, {.on_finished = on_finished, .jobs = jobs}, cancel);
      } catch (const Error& caught) {
        error = caught.what();
      }
      EXPECT_TRUE(lead.dismiss(7));
    }
    EXPECT_TRUE(own.finished);
    for (const auto& box : post.boxes) EXPECT_TRUE(box.empty());
    return error;
  }
};

void expect_same(RunRecord one, RunRecord other) {
  for (RunRecord* run : {&one, &other}) {
    run->seconds = run->inference_seconds = 0.0;
    run->finished.clear();
  }
  EXPECT_EQ(messages::pack(messages::Result{{}, 0, one}),
            messages::pack(messages::Result{{}, 0, other}));
}

TEST_F(RanksTest, GiveTheSameAsOneProcess) {
  std::vector<RunRecord> expected(grid.size());
  run_grid(grid, {.on_finished = [&](const Finished& one) { expected[one.index] = one.run; }},
           cancel);
  ASSERT_FALSE(expected[0].samples.empty());
  for (const std::size_t count : {1U, 2U, 3U}) {
    jobs = count == 2 ? 2 : 1;
    std::vector<RunRecord> runs(grid.size());
    std::size_t finished = 0;
    EXPECT_EQ(run(count,
                  [&](const Finished& one) {
                    EXPECT_EQ(one.finished, ++finished);
                    EXPECT_EQ(one.total, grid.size());
                    runs[one.index] = one.run;
                  }),
              "");
    EXPECT_EQ(finished, grid.size());
    for (std::size_t i = 0; i < runs.size(); ++i) expect_same(runs[i], expected[i]);
  }
}

TEST_F(RanksTest, AnErrorOfOneEndsAllAndNamesIt) {
  body = [this](Worker& follower) {
    std::vector<Dataset> broken = datasets;
    broken[1].identity = content_sha256(broken[1]);
    broken[1].table().features = DoubleMatrix(1, 3);  // says that it is the same, and is not
    broken[1].labels = {0};
    Grid other = grid;
    other.datasets = broken;
    follower.work(other, 1, cancel);
  };
  grid.runs = 200;
  std::size_t finished = 0;
  EXPECT_EQ(run(2, [&](const Finished&) { ++finished; }),
            "rank 1: large: split: 1 row(s) leave nothing to train or to test on");
  EXPECT_LT(finished, grid.size());
}

TEST_F(RanksTest, AnErrorBeforeTheWorkArrivesToo) {
  body = [](Worker&) { throw Error("data.csv: no such file"); };
  grid.runs = 200;
  const std::string error = run(2, [](const Finished&) {});
  EXPECT_EQ(error, "rank 1: data.csv: no such file");
}

TEST_F(RanksTest, AnErrorOfTheStoreEndsAll) {
  const std::string error = run(3, [](const Finished&) { throw Error("no space left"); });
  EXPECT_TRUE(error.ends_with("no space left")) << error;
}

TEST_F(RanksTest, OtherFirstWeightsAreRefused) {
  body = [this](Worker& follower) {
    Grid other = grid;
    for (ExperimentOptions& one : other.variants)
      one.fit.start = std::make_shared<const StartWeights>(StartWeights{"same name", "sum", {}});
    follower.work(other, 1, cancel);
  };
  const std::string error = run(2, [](const Finished&) {});
  EXPECT_TRUE(error.starts_with("rank 1 would compute something else: it has method")) << error;
  EXPECT_NE(error.find(R"("start":"sum")"), std::string::npos) << error;
}

TEST_F(RanksTest, OtherDataOrOptionsAreRefused) {
  body = [this](Worker& follower) {
    std::vector<Dataset> changed = datasets;
    changed[1].labels[0] = 1 - changed[1].labels[0];
    Grid other = grid;
    other.datasets = changed;
    follower.work(other, 1, cancel);
  };
  std::string error = run(2, [](const Finished&) {});
  EXPECT_TRUE(error.starts_with("rank 1 would compute something else: it has data set large ("))
      << error;
  body = [this](Worker& follower) {
    Grid other = grid;
    other.methods = grid.methods.first(1);
    follower.work(other, 1, cancel);
  };
  error = run(2, [](const Finished&) {});
  EXPECT_NE(error.find("it has nothing where rank 0 has method uaspl_linear ("), std::string::npos)
      << error;
}

TEST_F(RanksTest, CancellingKeepsWhatIsFinished) {
  grid.runs = 500;
  std::size_t finished = 0;
  EXPECT_EQ(run(3,
                [&](const Finished& one) {
                  finished = one.finished;
                  if (finished >= 9) cancel = true;
                }),
            "");
  EXPECT_GE(finished, 9U);
  EXPECT_LT(finished, grid.size());
}

TEST_F(RanksTest, OneThatIsInterruptedEndsAll) {
  std::atomic<bool> far_cancel{true};
  Post post(2);
  MemoryRanks own(post, 0);
  const std::jthread other([&] {
    MemoryRanks ranks(post, 1);
    follow(
        ranks, [&](Worker& follower) { follower.work(grid, 1, far_cancel); }, far_cancel);
  });
  Coordinator lead(own);
  EXPECT_THROW(lead.run(grid, {.on_finished = [](const Finished&) {}}, cancel), Error);
  EXPECT_TRUE(lead.dismiss(7));
}

TEST_F(RanksTest, LettersThatAreNoneAreRefused) {
  messages::Result result;
  result.unit = {1, 2, 3};
  result.run.key.dataset = "a name that is longer than a string keeps inside itself";
  result.run.metrics.f1 = std::nan("");
  result.run.stages = {{.stage = 1, .last_loss = 0.1}};
  result.run.samples = {{.row = 5, .loss = 0.1F, .selected = true}};
  result.run.predictions = {{7, 1, 0, 0.5F, {0.25F, 0.75F}}};
  result.run.passes = {{.stage = 1, .pass = 2, .test_loss = 0.5}};
  result.run.parts.passes = true;
  const std::string bytes = messages::pack(result);
  const auto back = std::get<messages::Result>(messages::unpack(bytes));
  EXPECT_EQ(messages::pack(back), bytes);
  EXPECT_EQ(back.run.samples[0].loss, 0.1F);
  EXPECT_EQ(back.run.predictions[0].probabilities[1], 0.75F);
  EXPECT_EQ(back.run.passes[0].test_loss, 0.5);
  EXPECT_TRUE(back.run.parts.passes);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(messages::unpack(std::string_view(bytes).substr(0, size)), Error);
  EXPECT_THROW(messages::unpack(bytes + "x"), Error);
  EXPECT_THROW(messages::unpack(std::string(5, '\xff')), Error);
  for (std::size_t at = 0; at < bytes.size(); ++at) {  // sizes that are too large, other kinds
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(~wrong[at]);
    try {
      messages::unpack(wrong);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace uaspl
