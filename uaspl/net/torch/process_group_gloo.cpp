// The group of processes by Gloo, see process_group_gloo.hpp: the processes meet at rank 0, and
// then each connects to every other.
#include "uaspl/net/torch/process_group_gloo.hpp"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

#include "uaspl/base/error.hpp"
#include "uaspl/net/meeting.hpp"

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

// Gloo takes the time to connect from the same place as the time to wait for others later.
class Processes final : public c10d::ProcessGroupGloo {
 public:
  using ProcessGroupGloo::ProcessGroupGloo;
  void wait_up_to(std::chrono::milliseconds longest) {
    for (const auto& context : contexts_) context->setTimeout(longest);
  }
};

class GlooGroup final : public ProcessGroup {
 public:
  GlooGroup(const ProcessPlace& place, c10::intrusive_ptr<Processes> processes)
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
  c10::intrusive_ptr<Processes> processes_;
};

// What Gloo needs of a store: each rank writes where it listens, and reads it of the others. The
// store of libtorch listens on all addresses, and is ended by one foreign connection.
class MeetingStore final : public c10d::Store {
 public:
  MeetingStore(std::shared_ptr<Meeting> meeting, std::string prefix, std::chrono::milliseconds wait)
      : Store(wait), meeting_(std::move(meeting)), prefix_(std::move(prefix)) {}

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    meeting_->set(prefix_ + key, {value.begin(), value.end()});
  }
  std::vector<std::uint8_t> get(const std::string& key) override {
    const std::string value = meeting_->get(prefix_ + key, timeout_);
    return {value.begin(), value.end()};
  }
  bool check(const std::vector<std::string>& keys) override {
    return std::ranges::all_of(
        keys, [&](const std::string& key) { return meeting_->has(prefix_ + key); });
  }
  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  // Waits for all that long: who is there sets what others need.
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    for (const std::string& key : keys) meeting_->get(prefix_ + key, timeout_);
  }

  std::int64_t add(const std::string&, std::int64_t) override { refuse(); }
  bool deleteKey(const std::string&) override { refuse(); }
  std::int64_t getNumKeys() override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw Error("the ranks' meeting only sets and gets"); }

  std::shared_ptr<Meeting> meeting_;
  std::string prefix_;
};

std::chrono::milliseconds patience(const ProcessPlace& place) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(place.seconds * 1000.0));
}

// Connects each rank with every other, and tries each connection.
std::unique_ptr<GlooGroup> connect_all(const ProcessPlace& place, const std::string& own,
                                       const std::shared_ptr<Meeting>& meeting,
                                       const std::string& attempt) {
  using std::chrono::milliseconds;
  const milliseconds wait = patience(place);
  // All ranks have met, so they answer soon. Gloo waits five times as long for a connection.
  const auto options = c10d::ProcessGroupGloo::Options::create(std::min(wait, milliseconds(2000)));
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(own));
  options->threads = 1;
  const auto processes = c10::make_intrusive<Processes>(
      c10::make_intrusive<MeetingStore>(meeting, attempt, wait), static_cast<int>(place.rank),
      static_cast<int>(place.size), options);
  processes->wait_up_to(std::min(wait, milliseconds(20'000)));
  auto group = std::make_unique<GlooGroup>(place, processes);
  any_of(*group, false);
  processes->wait_up_to(wait);
  return group;
}

// Gloo takes the first connection to a rank for that of the other one. So a foreign one can take
// its place, and then all ranks begin anew.
std::unique_ptr<ProcessGroup> connect(const ProcessPlace& place, const std::string& own,
                                      const std::shared_ptr<Meeting>& meeting) {
  constexpr int kAttempts = 3;
  const auto wait = patience(place) + std::chrono::minutes(2);  // an attempt may take a while
  std::string problem;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name = fmt::format("attempt {}/", attempt);
    std::unique_ptr<GlooGroup> group;
    std::string failed;
    try {
      group = connect_all(place, own, meeting, name);
    } catch (const std::exception& error) {
      failed = first_line(error.what());
    }
    meeting->set(fmt::format("{}failed {}", name, place.rank), failed);
    std::string other;
    for (std::size_t rank = 0; rank < place.size; ++rank)
      if (const std::string text = meeting->get(fmt::format("{}failed {}", name, rank), wait);
          !text.empty() && other.empty())
        other = fmt::format("rank {}: {}", rank, text);
    if (other.empty()) {
      meeting->leave();
      return group;
    }
    problem = other;
  }
  throw Error(fmt::format(
      "after {} attempts, {}; a connection that was of no rank may have taken the place of one",
      kAttempts, problem));
}

}  // namespace

std::unique_ptr<ProcessGroup> join_gloo(const ProcessPlace& place) {
  try {
    const std::string own = own_address(place.address, place.port);
    return connect(place, own, std::make_shared<Meeting>(place));
  } catch (const std::exception& error) {
    throw Error(fmt::format("rank {} of {} could not join the others at {}:{}: {}", place.rank,
                            place.size, place.address, place.port, first_line(error.what())));
  }
}

}  // namespace uaspl
