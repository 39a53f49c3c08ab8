// Defines rank 0 of a grid on several ranks: it keeps the queue and the results, and works too.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "uaspl/study/cluster/messages.hpp"
#include "uaspl/study/cluster/ranks.hpp"
#include "uaspl/study/work_queue.hpp"

namespace uaspl {

class Coordinator {
 public:
  explicit Coordinator(Ranks& ranks);

  // Runs a grid like run_grid, but with the other ranks. An error of another rank ends the grid and
  // names the rank.
  std::size_t run(const Grid& grid, const GridCallbacks& callbacks,
                  const std::atomic<bool>& cancel);
  // Must be called once at the end, even after an error: lets the other ranks go and tells them the
  // code. Returns false if some do not answer; only abort() ends these.
  bool dismiss(int code);

 private:
  using Clock = std::chrono::steady_clock;
  void serve(WorkQueue* queue, const std::function<bool()>& done);
  void answer(WorkQueue& queue);
  void give_up();
  void take_in(const Ranks::Letter& letter, WorkQueue* queue);
  void greet(std::size_t rank, const messages::Hello& hello) const;
  void expect_in_hand(std::size_t rank, const Unit& unit) const;
  void tell_all(const messages::Message& message);

  Ranks& ranks_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::set<std::size_t> there_;                // ranks that have not said Bye
  std::set<std::size_t> greeted_;              // ranks whose facts are the same
  std::vector<std::size_t> asking_;            // ranks that wait for a task, once a job
  std::map<Unit, std::size_t> in_hand_;        // units handed out, and the rank that has them
  std::optional<Clock::time_point> deadline_;  // set when the others are told to give up
  std::optional<std::size_t> interrupted_;     // a rank that was interrupted
  std::exception_ptr error_;
};

}  // namespace uaspl
