// A small pool of workers, for the rows of a step or the runs of a grid; which worker runs a task
// never changes a result. A pool has one user at a time; users that share one must claim it first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace uaspl {

// From this number of rows on, several threads are much faster than one.
constexpr std::size_t kManyRows = 400;
// Returns all cores for many rows, and one thread for few, as more would only keep cores from other
// work.
std::size_t usual_threads(std::size_t rows);

class Workers {
 public:
  using Task = std::function<void(std::size_t task, std::size_t worker)>;

  // The calling thread is worker 0; up to `threads - 1` more are started, as the system
  // allows.
  explicit Workers(std::size_t threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  std::size_t size() const { return threads_.size() + 1; }

  // The right to use the pool, until the claim is destroyed. It is empty if another user has the
  // pool: a caller that cannot wait then does the work alone.
  class Claim {
   public:
    Claim() = default;
    explicit Claim(std::atomic_flag& flag)
        : flag_(flag.test_and_set(std::memory_order_acquire) ? nullptr : &flag) {}
    ~Claim() {
      if (flag_) flag_->clear(std::memory_order_release);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    explicit operator bool() const { return flag_ != nullptr; }

   private:
    std::atomic_flag* flag_ = nullptr;
  };
  Claim try_claim() { return Claim(claimed_); }

  // Runs task 0..count-1, each once, and returns when all are done; they are started in the order
  // of their numbers. The first exception that a task throws is thrown here, and the worker that
  // threw it starts no other.
  void run(std::size_t count, const Task& task);

  // Does the same for at most size() tasks. Task i is run by worker i unless that one comes too
  // late, so that a task finds its data in that core's cache from round to round.
  void run_at_home(std::size_t count, const Task& task);

 private:
  using Body = std::function<void(std::size_t worker)>;
  void round(std::size_t participants, const Body& body);
  void serve(std::size_t worker);
  void work(std::size_t worker);

  // Raised to start a round for one thread of the pool: threads without a part in it sleep on.
  struct alignas(64) Seat {
    std::atomic<std::uint32_t> round{0};
  };

  std::atomic_flag claimed_;
  const Body* body_ = nullptr;
  std::vector<std::atomic<std::uint32_t>> begun_;  // by task: the last round that began it
  std::uint32_t round_ = 0;
  std::vector<Seat> seats_;               // one for each thread of the pool
  std::atomic<std::uint32_t> active_{0};  // threads that have not finished the round
  std::atomic<bool> quit_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

}  // namespace uaspl
