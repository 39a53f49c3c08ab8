// Connects processes that train one network together, each on its part of every batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "uaspl/base/matrix.hpp"

namespace uaspl {

constexpr std::uint16_t kProcessGroupPort = 29417;  // the default

// One process of a group.
struct ProcessPlace {
  std::size_t rank = 0;
  std::size_t size = 1;
  std::string address = "127.0.0.1";       // of rank 0, as all ranks reach it
  std::uint16_t port = kProcessGroupPort;  // on which rank 0 listens
  double seconds = 300.0;                  // a rank waits so long for the others
};

// Exchanges numbers between ranks. All ranks call the same functions in the same order; they throw
// an Error if another rank is gone or does not answer in time.
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;
  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // Adds up the values of all ranks, element by element; each rank gets the same bits.
  virtual void sum(std::span<float> values) = 0;
  // Collects equally many bytes of each rank, in the order of the ranks.
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
};

// Waits until all ranks are there. Opens the module of the networks for images, and throws if it is
// missing or was built without Gloo.
std::shared_ptr<ProcessGroup> join_process_group(const ProcessPlace& place);

// The function that the module exports under this name returns nothing for another version than
// kImageModuleVersion.
constexpr const char* kProcessGroupFactory = "uaspl_join_group";
using ProcessGroupFactory = ProcessGroup* (*)(int version, const ProcessPlace& place);

// The rows of a rank: consecutive ones; some ranks have one row more than the others.
struct Part {
  std::size_t first;
  std::size_t count;
};
Part part_of(std::size_t rows, std::size_t rank, std::size_t size);

// Shares rows of which each rank has filled in its part; afterwards all ranks have all rows. `what`
// identifies the operation: throws an Error if another rank does something else.
void share_rows(ProcessGroup& group, Matrix& rows, std::uint64_t what);

// Says whether `mine` is true on any rank.
bool any_of(ProcessGroup& group, bool mine);

// Collects the texts of all ranks.
std::vector<std::string> gather_texts(ProcessGroup& group, const std::string& text);

}  // namespace uaspl
