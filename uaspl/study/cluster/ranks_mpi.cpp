// Implements ranks over MPI, in a module that is only opened if a process is one of several ranks,
// so that MPI is not needed otherwise.
#include <mpi.h>

#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "uaspl/study/cluster/ranks.hpp"

namespace uaspl {
namespace {

constexpr int kTag = 1;

// Only the thread that made this object talks to MPI; the others leave their letters in
// `outgoing_`.
class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  ~MpiRanks() override { MPI_Finalize(); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  void send(std::size_t to, std::string bytes) override {
    const std::lock_guard lock(mutex_);
    outgoing_.emplace_back(to, std::move(bytes));
  }

  std::optional<Letter> receive(std::chrono::milliseconds wait) override {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    for (;;) {
      let_out();
      if (auto letter = take_in()) return letter;
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
      // MPI itself would wait in a busy loop, on a core that the work needs.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  void finish() override {
    let_out();
    for (Sending& one : sending_) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    sending_.clear();
  }

  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  struct Sending {
    std::string bytes;
    MPI_Request request;
  };

  // Sends letters without waiting: two ranks that wait for each other's large letters would wait
  // forever.
  void let_out() {
    std::vector<std::pair<std::size_t, std::string>> letters;
    {
      const std::lock_guard lock(mutex_);
      letters.swap(outgoing_);
    }
    for (auto& [to, bytes] : letters) {
      Sending& one = sending_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
      MPI_Isend(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE,
                static_cast<int>(to), kTag, MPI_COMM_WORLD, &one.request);
    }
    sending_.remove_if([](Sending& one) {
      int done = 0;
      MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }

  std::optional<Letter> take_in() {
    int there = 0;
    MPI_Message message{};
    MPI_Status status{};
    MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &message, &status);
    if (!there) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Letter letter{static_cast<std::size_t>(status.MPI_SOURCE),
                  std::string(static_cast<std::size_t>(size), '\0')};
    MPI_Mrecv(letter.bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return letter;
  }

  int rank_ = 0;
  int size_ = 1;
  std::mutex mutex_;
  std::vector<std::pair<std::size_t, std::string>> outgoing_;
  std::list<Sending> sending_;  // MPI reads the bytes until the request is done
};

}  // namespace
}  // namespace uaspl

extern "C" __attribute__((visibility("default"))) uaspl::Ranks* uaspl_make_ranks(int version) {
  if (version != uaspl::kRanksVersion) return nullptr;
  return new uaspl::MpiRanks();
}
