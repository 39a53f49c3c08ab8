// The interface between a grid on several ranks and the transport of messages (MPI, or a test).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace uaspl {

class Ranks {
 public:
  struct Letter {
    std::size_t from;
    std::string bytes;
  };
  virtual ~Ranks() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // May be called from any thread, and never waits. Letters between two ranks arrive in order.
  virtual void send(std::size_t to, std::string bytes) = 0;
  // Must be called from the thread that made this object. Returns nothing if no letter arrives in
  // time. Also sends waiting letters.
  virtual std::optional<Letter> receive(std::chrono::milliseconds wait) = 0;
  // Must be called from the thread that made this object. Waits until all letters have left.
  virtual void finish() = 0;
  // Ends all ranks at once, if they cannot end by themselves.
  virtual void abort(int code) = 0;
};

// The function that a module exports under this name returns nothing for another version. The
// version is raised when Ranks changes.
constexpr int kRanksVersion = 1;
constexpr const char* kRanksFactory = "uaspl_make_ranks";
using RanksFactory = Ranks* (*)(int version);

}  // namespace uaspl
