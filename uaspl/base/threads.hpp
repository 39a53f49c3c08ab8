// A small pool of workers, for the rows of a step or the runs of a grid; which worker runs a task
// never changes a result. One user at a time.
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

  // Runs task 0..count-1, each once, and returns when all are done; they are started in the order
  // of their numbers. The first exception that a task throws is thrown here.
  void run(std::size_t count, const Task& task);

 private:
  void serve(std::size_t worker);
  void work(std::size_t worker);

  const Task* task_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::uint32_t> round_{0};   // raised to start a round
  std::atomic<std::uint32_t> active_{0};  // pool threads that have not finished the round
  std::atomic<bool> quit_{false};
  std::mutex error_mutex_;
  std::exception_ptr error_;
  std::vector<std::jthread> threads_;
};

// Lets the tasks of a round, which start in the order of their numbers, do a part of their work in
// that order too.
class Turns {
 public:
  bool is(std::uint32_t task) const { return now_.load(std::memory_order_acquire) == task; }
  void wait_for(std::uint32_t task) const;
  void end();

 private:
  std::atomic<std::uint32_t> now_{0};
};

}  // namespace uaspl
