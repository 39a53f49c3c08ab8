// The group of processes by Gloo, see process_group_gloo.hpp: the processes meet at a store of rank
// 0, and then each connects to every other.
#include "uaspl/net/torch/process_group_gloo.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// Returns the message of libtorch or Gloo, without the place in their sources and the stack.
std::string first_line(const std::string& text) {
  const std::size_t begin = text.starts_with('[') ? text.find("] ") : std::string::npos;
  const std::size_t from = begin == std::string::npos ? 0 : begin + 2;
  std::string line = text.substr(from, text.find('\n', from) - from);
  const std::size_t advice = line.find(". This may indicate");
  return advice == std::string::npos ? line : line.substr(0, advice);
}

// Returns the numeric address by which this machine reaches the other: the name of a machine often
// stands for an address that the others cannot reach.
std::string own_address(const std::string& to, std::uint16_t port) {
  const addrinfo wanted{.ai_flags = 0,
                        .ai_family = AF_UNSPEC,
                        .ai_socktype = SOCK_DGRAM,
                        .ai_protocol = 0,
                        .ai_addrlen = 0,
                        .ai_addr = nullptr,
                        .ai_canonname = nullptr,
                        .ai_next = nullptr};
  addrinfo* found = nullptr;
  if (const int failed = ::getaddrinfo(to.c_str(), std::to_string(port).c_str(), &wanted, &found))
    throw Error(fmt::format("{}: no address of rank 0: {}", to, ::gai_strerror(failed)));
  std::string own;
  for (const addrinfo* one = found; one && own.empty(); one = one->ai_next) {
    const int descriptor = ::socket(one->ai_family, one->ai_socktype, 0);
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    char text[NI_MAXHOST];
    if (descriptor >= 0 && ::connect(descriptor, one->ai_addr, one->ai_addrlen) == 0 &&
        ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, text, sizeof text, nullptr, 0,
                      NI_NUMERICHOST) == 0)
      own = text;
    if (descriptor >= 0) ::close(descriptor);
  }
  ::freeaddrinfo(found);
  if (own.empty()) throw Error(fmt::format("{}: no way to rank 0", to));
  return own;
}

class GlooGroup final : public ProcessGroup {
 public:
  GlooGroup(const ProcessPlace& place, c10::intrusive_ptr<c10d::ProcessGroupGloo> processes)
      : place_(place), processes_(std::move(processes)) {}

  std::size_t rank() const override { return place_.rank; }
  std::size_t size() const override { return place_.size; }

  void sum(std::span<float> values) override {
    const c10::InferenceMode off(false);  // a thread of Gloo fills the tensors
    std::vector<at::Tensor> tensors = {
        at::from_blob(values.data(), {std::ssize(values)}, at::kFloat)};
    run([&] { return processes_->allreduce(tensors); });
  }

  void gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const c10::InferenceMode off(false);
    std::vector<at::Tensor> inputs = {
        at::from_blob(const_cast<std::byte*>(mine.data()), {std::ssize(mine)}, at::kByte)};
    std::vector<std::vector<at::Tensor>> outputs(1);
    for (std::size_t rank = 0; rank < place_.size; ++rank)
      outputs.front().push_back(
          at::from_blob(all.data() + rank * mine.size(), {std::ssize(mine)}, at::kByte));
    run([&] { return processes_->allgather(outputs, inputs); });
  }

 private:
  template <typename Call>
  void run(const Call& call) {
    try {
      call()->wait();
    } catch (const std::exception& error) {
      throw Error(fmt::format("lost the other ranks: {}", first_line(error.what())));
    }
  }

  ProcessPlace place_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> processes_;
};

}  // namespace

std::unique_ptr<ProcessGroup> join_gloo(const ProcessPlace& place) {
  const auto wait = std::chrono::milliseconds(static_cast<std::int64_t>(place.seconds * 1000.0));
  try {
    const std::string own = own_address(place.address, place.port);
    c10d::TCPStoreOptions meeting;
    meeting.port = place.port;
    meeting.isServer = place.rank == 0;
    meeting.numWorkers = place.size;
    meeting.timeout = wait;
    const auto store = c10::make_intrusive<c10d::TCPStore>(place.address, meeting);
    const auto options = c10d::ProcessGroupGloo::Options::create(wait);
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(own));
    options->threads = 1;
    return std::make_unique<GlooGroup>(
        place, c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                           static_cast<int>(place.size), options));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(fmt::format("rank {} of {} could not join the others at {}:{}: {}", place.rank,
                            place.size, place.address, place.port, first_line(error.what())));
  }
}

}  // namespace uaspl
