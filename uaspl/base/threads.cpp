// Workers: rounds are started and ended through atomics, since a training step lasts well under 1
// ms; a waiting thread spins for a while before it sleeps, since waking up takes as long as a small
// step.
#include "uaspl/base/threads.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace uaspl {
namespace {

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Waits until the value is no longer `old`: some tens of microseconds awake, then asleep.
std::uint32_t wait_for_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  constexpr int kLooks = 2000;
  for (int i = 0; i < kLooks; ++i) {
    const std::uint32_t now = value.load(std::memory_order_acquire);
    if (now != old) return now;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

}  // namespace

std::size_t usual_threads(std::size_t rows) {
  return rows < kManyRows ? 1 : std::max(1U, std::thread::hardware_concurrency());
}

Workers::Workers(std::size_t threads)
    : begun_(std::max<std::size_t>(threads, 1)), seats_(begun_.size() - 1) {
  threads_.reserve(threads > 0 ? threads - 1 : 0);
  try {
    for (std::size_t i = 1; i < threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error&) {
    // The system gives no more threads: the existing ones do the work, with the same result.
  }
}

Workers::~Workers() {
  quit_ = true;
  for (Seat& seat : seats_) {
    seat.round.fetch_add(1);
    seat.round.notify_one();
  }
}

void Workers::run(std::size_t count, const Task& task) {
  std::atomic<std::size_t> next{0};
  round(std::clamp<std::size_t>(count, 1, size()), [&](std::size_t worker) {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(i, worker);
  });
}

void Workers::run_at_home(std::size_t count, const Task& task) {
  const std::uint32_t now = round_ + 1;
  round(count, [&](std::size_t worker) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = (worker + i) % count;
      if (begun_[number].exchange(now) != now) task(number, worker);
    }
  });
}

void Workers::round(std::size_t participants, const Body& body) {
  body_ = &body;
  active_.store(static_cast<std::uint32_t>(participants - 1), std::memory_order_relaxed);
  ++round_;
  for (std::size_t i = 0; i + 1 < participants; ++i) {
    seats_[i].round.store(round_, std::memory_order_release);
    seats_[i].round.notify_one();
  }
  work(0);
  for (auto left = active_.load(std::memory_order_acquire); left != 0;)
    left = wait_for_change(active_, left);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Workers::serve(std::size_t worker) {
  std::uint32_t seen = 0;
  while (true) {
    seen = wait_for_change(seats_[worker - 1].round, seen);
    if (quit_) return;
    work(worker);
    active_.fetch_sub(1, std::memory_order_release);
    active_.notify_one();
  }
}

void Workers::work(std::size_t worker) {
  try {
    (*body_)(worker);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace uaspl
