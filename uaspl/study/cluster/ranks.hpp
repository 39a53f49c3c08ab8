// The seam between a grid on several ranks and what carries their messages (MPI, or a test).
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
  // From any thread, never waits. Letters between two ranks arrive in their order.
  virtual void send(std::size_t to, std::string bytes) = 0;
  // From the thread that made it; nothing where nothing comes in so long. Also lets letters out.
  virtual std::optional<Letter> receive(std::chrono::milliseconds wait) = 0;
  // From the thread that made it: waits until all that was sent has left.
  virtual void finish() = 0;
  // Ends all ranks at once, where they cannot come to an end by themselves.
  virtual void abort(int code) = 0;
};

// What a module with an implementation exports under this name; nothing for another version. Raised
// when Ranks changes.
constexpr int kRanksVersion = 1;
constexpr const char* kRanksFactory = "uaspl_make_ranks";
using RanksFactory = Ranks* (*)(int version);

}  // namespace uaspl
