// A rank other than 0, see worker.hpp.
#include "uaspl/study/cluster/worker.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <new>
#include <optional>

#include "uaspl/base/error.hpp"
#include "uaspl/study/cluster/handshake.hpp"
#include "uaspl/study/cluster/messages.hpp"

namespace uaspl {
namespace {

// The queue as the jobs of another rank see it.
class RemoteQueue final : public WorkSource {
 public:
  RemoteQueue(Ranks& ranks, const Grid& grid, const std::atomic<bool>& cancel)
      : ranks_(ranks), grid_(grid), cancel_(cancel) {}

  std::optional<Task> take() override {
    std::unique_lock lock(mutex_);
    if (stopped()) return std::nullopt;
    say(messages::Ask{});
    changed_.wait(lock, [&] { return stopped() || no_more_ || !tasks_.empty(); });
    if (stopped() || tasks_.empty()) return std::nullopt;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }
  void finished(const Unit& unit, std::size_t method, RunRecord run) override {
    say(messages::Result{unit, method, std::move(run)});
  }
  void give_back(const Unit& unit) override { say(messages::GiveBack{unit}); }
  void stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  bool stopped() const override { return stopped_ || cancel_; }

  // Handles a message from rank 0.
  void take_in(const messages::Message& message) {
    if (const auto* hand = std::get_if<messages::Hand>(&message)) {
      check(hand->task);
      const std::lock_guard lock(mutex_);
      tasks_.push_back(hand->task);
      changed_.notify_one();
    } else if (std::holds_alternative<messages::NoMore>(message)) {
      const std::lock_guard lock(mutex_);
      no_more_ = true;
      changed_.notify_all();
    } else if (std::holds_alternative<messages::GiveUp>(message)) {
      stop();
    } else {
      throw Error("rank 0 sent what no other rank expects");
    }
  }

 private:
  void say(messages::Message message) { ranks_.send(0, messages::pack(message)); }

  void check(const Task& task) const {
    const Unit& unit = task.unit;
    const bool fits =
        unit.dataset < grid_.datasets.size() && unit.variant < grid_.variants.size() &&
        unit.run < grid_.runs &&
        std::ranges::all_of(task.methods, [&](std::size_t m) { return m < grid_.methods.size(); });
    if (!fits) throw Error("rank 0 handed out work that is not in the grid");
  }

  Ranks& ranks_;
  const Grid& grid_;
  const std::atomic<bool>& cancel_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool no_more_ = false;
};

}  // namespace

void Worker::work(const Grid& grid, std::size_t jobs, const std::atomic<bool>& cancel) {
  ranks_.send(0, messages::pack(messages::Hello{handshake::facts_of(grid)}));
  RemoteQueue queue(ranks_, grid, cancel);
  std::exception_ptr error;
  {
    const handshake::Background own(queue, grid, jobs);
    while (!own.done()) {
      if (cancel) queue.stop();
      if (const auto letter = ranks_.receive(handshake::kWait))
        queue.take_in(messages::unpack(letter->bytes));
    }
    error = own.error();
  }
  if (error) std::rethrow_exception(error);
}

std::optional<int> follow(Ranks& ranks, const std::function<void(Worker&)>& body,
                          const std::atomic<bool>& cancel) {
  messages::Bye bye;
  try {
    Worker worker(ranks);
    body(worker);
    bye.interrupted = cancel;
  } catch (const std::bad_alloc&) {
    bye.error = "out of memory";
  } catch (const std::exception& error) {
    bye.error = error.what();
  }
  ranks.send(0, messages::pack(bye));
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (;;) {
    if (const auto letter = ranks.receive(handshake::kWait)) {
      const messages::Message message = messages::unpack(letter->bytes);
      if (const auto* quit = std::get_if<messages::Quit>(&message)) {
        ranks.finish();
        return quit->code;
      }
    }
    const auto now = std::chrono::steady_clock::now();
    if (cancel && !deadline) deadline = now + 2 * handshake::kPatience;
    if (deadline && now > *deadline) return std::nullopt;
  }
}

}  // namespace uaspl
