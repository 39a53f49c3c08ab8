// Rank 0 of a grid, see lead.hpp.
#include "uaspl/run/lead.hpp"

#include <algorithm>

#include "uaspl/base/error.hpp"
#include "uaspl/run/team.hpp"

namespace uaspl {

Lead::Lead(Ranks& ranks) : ranks_(ranks) {
  for (std::size_t rank = 1; rank < ranks.size(); ++rank) there_.insert(rank);
}

std::size_t Lead::run(const Grid& grid, const GridWork& work, const std::atomic<bool>& cancel) {
  facts_ = team::facts_of(grid);
  Desk desk(grid, work, cancel);
  std::exception_ptr own_error;
  {
    const team::Background own(desk, grid, work.jobs);
    serve(&desk, [&] { return own.done(); });
    own_error = own.error();
  }
  if (own_error) std::rethrow_exception(own_error);
  if (error_) std::rethrow_exception(error_);
  if (interrupted_ && !cancel)
    throw Error("rank " + std::to_string(*interrupted_) + " was interrupted");
  return desk.total();
}

bool Lead::dismiss(int code) {
  if (!there_.empty() && !deadline_) {
    give_up();
    serve(nullptr, [] { return true; });
  }
  if (!there_.empty()) return false;
  tell_all(wire::Quit{code});
  ranks_.finish();
  return true;
}

// Until the own work is done and all others have said Bye, or do not answer.
void Lead::serve(Desk* desk, const std::function<bool()>& done) {
  while (!done() || !there_.empty()) {
    if (desk && desk->stopped() && !deadline_) give_up();
    if (deadline_ && Clock::now() > *deadline_ && done()) return;
    try {
      if (desk) answer(*desk);
      if (const auto letter = ranks_.receive(team::kWait)) take_in(*letter, desk);
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      if (desk) desk->stop();
    }
  }
}

void Lead::give_up() {
  deadline_ = Clock::now() + team::kPatience;
  tell_all(wire::GiveUp{});
}

void Lead::tell_all(const wire::Message& message) {
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, wire::pack(message));
}

// Where other processes have all that is left, those who ask wait for it.
void Lead::answer(Desk& desk) {
  while (!asking_.empty()) {
    std::optional<Task> task = desk.try_take();
    if (!task && !desk.empty()) return;
    const std::size_t rank = asking_.front();
    asking_.erase(asking_.begin());
    if (task) {
      in_hand_[task->unit] = rank;
      ranks_.send(rank, wire::pack(wire::Hand{std::move(*task)}));
    } else {
      ranks_.send(rank, wire::pack(wire::NoMore{}));
    }
  }
}

void Lead::take_in(const Ranks::Letter& letter, Desk* desk) {
  wire::Message message = wire::unpack(letter.bytes);
  const std::size_t from = letter.from;
  if (const auto* bye = std::get_if<wire::Bye>(&message)) {
    there_.erase(from);
    if (bye->interrupted) interrupted_ = from;
    if (bye->interrupted && desk) desk->stop();
    if (!bye->error.empty()) throw Error("rank " + std::to_string(from) + ": " + bye->error);
    return;
  }
  if (!desk) return;  // it ended before it began
  if (const auto* hello = std::get_if<wire::Hello>(&message)) {
    greet(from, *hello);
    greeted_.insert(from);
  } else if (!greeted_.contains(from)) {
    return;  // its facts differ, and the grid is about to end
  } else if (std::holds_alternative<wire::Ask>(message)) {
    asking_.push_back(from);
  } else if (auto* result = std::get_if<wire::Result>(&message)) {
    expect_in_hand(from, result->unit);
    if (!desk->fits(result->unit, result->method, result->run))
      throw Error("rank " + std::to_string(from) + " sent another run than it was asked for");
    desk->finished(result->unit, result->method, std::move(result->run));
  } else if (const auto* back = std::get_if<wire::GiveBack>(&message)) {
    expect_in_hand(from, back->unit);
    in_hand_.erase(back->unit);
    desk->give_back(back->unit);
  } else {
    throw Error("rank " + std::to_string(from) + " sent what rank 0 does not expect");
  }
}

void Lead::greet(std::size_t rank, const wire::Hello& hello) const {
  const auto [here, there] = std::ranges::mismatch(facts_, hello.facts);
  const bool whole = here == facts_.end() && there == hello.facts.end();
  if (whole) return;
  const auto text = [](const auto& at, const auto& end) {
    return at == end ? std::string("nothing") : at->first + " (" + at->second + ")";
  };
  throw Error("rank " + std::to_string(rank) + " would compute something else: it has " +
              text(there, hello.facts.end()) + " where rank 0 has " + text(here, facts_.end()));
}

void Lead::expect_in_hand(std::size_t rank, const Unit& unit) const {
  const auto at = in_hand_.find(unit);
  if (at == in_hand_.end() || at->second != rank)
    throw Error("rank " + std::to_string(rank) + " sent a result that it was not asked for");
}

}  // namespace uaspl
