// Workers: rounds are started and ended through atomics, since a training step lasts well under 1
// ms.
#include "uaspl/base/threads.hpp"

#include <system_error>
#include <utility>

namespace uaspl {

Workers::Workers(std::size_t threads) {
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do the work, with the same result.
  }
}

Workers::~Workers() {
  quit_ = true;
  round_.fetch_add(1);
  round_.notify_all();
}

void Workers::run(std::size_t count, const Task& task) {
  task_ = &task;
  count_ = count;
  next_.store(0, std::memory_order_relaxed);
  active_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  work(0);
  for (auto left = active_.load(std::memory_order_acquire); left != 0;
       left = active_.load(std::memory_order_acquire))
    active_.wait(left, std::memory_order_acquire);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::serve(std::size_t worker) {
  std::uint32_t seen = 0;
  while (true) {
    round_.wait(seen, std::memory_order_acquire);
    seen = round_.load(std::memory_order_acquire);
    if (quit_) return;
    work(worker);
    active_.fetch_sub(1, std::memory_order_release);
    active_.notify_one();
  }
}

void Workers::work(std::size_t worker) {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
    try {
      (*task_)(i, worker);
    } catch (...) {
      const std::lock_guard lock(error_mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

}  // namespace uaspl
