// Rank 0 of a grid, see coordinator.hpp.
#include "uaspl/study/cluster/coordinator.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"
#include "uaspl/study/cluster/handshake.hpp"

namespace uaspl {

Coordinator::Coordinator(Ranks& ranks) : ranks_(ranks) {
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) there_.insert(rank);
}

std::size_t Coordinator::run(const Grid& grid, const GridCallbacks& callbacks,
                             const std::atomic<bool>& cancel) {
  facts_ = handshake::facts_of(grid);
  WorkQueue queue(grid, callbacks, cancel);
  std::exception_ptr own_error;
  {
    const handshake::Background own(queue, grid, callbacks.jobs);
    serve(&queue, [&] { return own.done(); });
    own_error = own.error();
  }
  if (own_error) std::rethrow_exception(own_error);
  if (error_) std::rethrow_exception(error_);
  if (interrupted_ && !cancel)
    throw Error("rank " + std::to_string(*interrupted_) + " was interrupted");
  return queue.total();
}

bool Coordinator::dismiss(int code) {
  if (!there_.empty() && !deadline_) {
    give_up();
    serve(nullptr, [] { return true; });
  }
  if (!there_.empty()) return false;
  tell_all(messages::Quit{code});
  ranks_.finish();
  return true;
}

// Serves until its own work is done and all other ranks have said Bye, or do not answer.
void Coordinator::serve(WorkQueue* queue, const std::function<bool()>& done) {
  while (!done() || !there_.empty()) {
    if (queue && queue->stopped() && !deadline_) give_up();
    if (deadline_ && Clock::now() > *deadline_ && done()) return;
    try {
      if (queue) answer(*queue);
      if (const auto letter = ranks_.receive(handshake::kWait)) take_in(*letter, queue);
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      if (queue) queue->stop();
    }
  }
}

void Coordinator::give_up() {
  deadline_ = Clock::now() + handshake::kPatience;
  tell_all(messages::GiveUp{});
}

void Coordinator::tell_all(const messages::Message& message) {
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank)
    ranks_.send(rank, messages::pack(message));
}

// Answers ranks that ask for work. If other processes have all remaining units, these ranks wait.
void Coordinator::answer(WorkQueue& queue) {
  while (!asking_.empty()) {
    std::optional<Task> task = queue.try_take();
    if (!task && !queue.empty()) return;
    const std::size_t rank = asking_.front();
    asking_.erase(asking_.begin());
    if (task) {
      in_hand_[task->unit] = rank;
      ranks_.send(rank, messages::pack(messages::Hand{std::move(*task)}));
    } else {
      ranks_.send(rank, messages::pack(messages::NoMore{}));
    }
  }
}

void Coordinator::take_in(const Ranks::Letter& letter, WorkQueue* queue) {
  messages::Message message = messages::unpack(letter.bytes);
  const std::size_t from = letter.from;
  if (const auto* bye = std::get_if<messages::Bye>(&message)) {
    there_.erase(from);
    if (bye->interrupted) interrupted_ = from;
    if (bye->interrupted && queue) queue->stop();
    if (!bye->error.empty()) throw Error("rank " + std::to_string(from) + ": " + bye->error);
    return;
  }
  if (!queue) return;  // the grid ended before it began
  if (const auto* hello = std::get_if<messages::Hello>(&message)) {
    greet(from, *hello);
    greeted_.insert(from);
  } else if (!greeted_.contains(from)) {
    return;  // its facts differ, and the grid is about to end
  } else if (std::holds_alternative<messages::Ask>(message)) {
    asking_.push_back(from);
  } else if (auto* result = std::get_if<messages::Result>(&message)) {
    expect_in_hand(from, result->unit);
    if (!queue->fits(result->unit, result->method, result->run))
      throw Error("rank " + std::to_string(from) + " sent another run than it was asked for");
    queue->finished(result->unit, result->method, std::move(result->run));
  } else if (const auto* back = std::get_if<messages::GiveBack>(&message)) {
    expect_in_hand(from, back->unit);
    in_hand_.erase(back->unit);
    queue->give_back(back->unit);
  } else {
    throw Error("rank " + std::to_string(from) + " sent what rank 0 does not expect");
  }
}

void Coordinator::greet(std::size_t rank, const messages::Hello& hello) const {
  const auto [here, there] = std::ranges::mismatch(facts_, hello.facts);
  const bool whole = here == facts_.end() && there == hello.facts.end();
  if (whole) return;
  const auto text = [](const auto& at, const auto& end) {
    return at == end ? std::string("nothing") : at->first + " (" + at->second + ")";
  };
  throw Error("rank " + std::to_string(rank) + " would compute something else: it has " +
              text(there, hello.facts.end()) + " where rank 0 has " + text(here, facts_.end()));
}

void Coordinator::expect_in_hand(std::size_t rank, const Unit& unit) const {
  const auto at = in_hand_.find(unit);
  if (at == in_hand_.end() || at->second != rank)
    throw Error("rank " + std::to_string(rank) + " sent a result that it was not asked for");
}

}  // namespace uaspl
