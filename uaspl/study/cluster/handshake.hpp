// Defines what rank 0 and the other ranks of a grid have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "uaspl/study/work_queue.hpp"

namespace uaspl::handshake {

constexpr std::chrono::milliseconds kWait{20};  // for a letter, before checking the rest
constexpr std::chrono::seconds kPatience{10};   // time for ranks that were told to give up

// Returns all that decides what a task means and what its result is.
std::vector<std::pair<std::string, std::string>> facts_of(const Grid& grid);

// Runs the jobs of this rank, while another thread talks to the other ranks.
class Background {
 public:
  Background(WorkSource& source, const Grid& grid, std::size_t jobs)
      : source_(source), thread_([this, &grid, jobs] {
          try {
            work_off(source_, grid, std::max<std::size_t>(1, jobs));
          } catch (...) {
            error_ = std::current_exception();
          }
          done_ = true;
        }) {}
  ~Background() { source_.stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  bool done() const { return done_; }
  std::exception_ptr error() const { return error_; }  // when done

 private:
  WorkSource& source_;
  std::exception_ptr error_;
  std::atomic<bool> done_{false};
  std::jthread thread_;  // the last member, because it uses the others
};

}  // namespace uaspl::handshake
