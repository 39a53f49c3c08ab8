// Processes that train one network together, each on its part of every batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

constexpr std::uint16_t kProcessGroupPort = 29417;  // where nothing else is said

// One process among them.
struct ProcessPlace {
  std::size_t rank = 0;
  std::size_t size = 1;
  std::string address = "127.0.0.1";       // of rank 0, as all of them reach it
  std::uint16_t port = kProcessGroupPort;  // on which rank 0 listens
  double seconds = 300.0;                  // that a rank waits for the others, to join and later
};

// What carries the numbers. All ranks call the same functions in the same order; an Error where
// another one is gone or does not answer in time.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Of all ranks, element by element; the same bits on each of them.
  virtual void sum(std::span<float> values) = 0;
  // As many bytes of each rank, in the order of the ranks.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
};

// Waits until all ranks are there. Opens the module of the networks for images; says what is
// missing where it is not there or was built without Gloo.
std::shared_ptr<ProcessGroup> join_process_group(const ProcessPlace& place);

// What the module exports under this name; nothing for another version than kImageModuleVersion.
constexpr const char* kProcessGroupFactory = "uaspl_join_group";
using ProcessGroupFactory = ProcessGroup* (*)(int version, const ProcessPlace& place);

// The rows of a rank: one after the other, as many as the others have or one more.
struct Part {
  std::size_t first;
  std::size_t count;
};
Part part_of(std::size_t rows, std::size_t rank, std::size_t size);

// Each rank has filled in its part of the rows; afterwards all have all of them. `what` stands for
// what is being done: an Error where a rank does something else.
void share_rows(ProcessGroup& group, Matrix& rows, std::uint64_t what);

// Whether some rank says so.
bool any_of(ProcessGroup& group, bool mine);

// The texts of all ranks.
std::vector<std::string> gather_texts(ProcessGroup& group, const std::string& text);

}  // namespace uaspl
