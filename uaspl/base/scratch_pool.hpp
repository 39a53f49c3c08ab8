// Keeps scratch memory that calls from any thread borrow and give back: a const function can then
// be called from many threads at once, and still rarely allocates memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace uaspl {

// Each thread looks first where it left its scratch the last time, so threads do not wait for each
// other. Results must not depend on what borrowed scratch was used for before.
template <typename T>
class ScratchPool {
 public:
  ScratchPool() = default;
  ScratchPool(const ScratchPool&) {}  // a copy of its owner begins without scratch
  ScratchPool& operator=(const ScratchPool&) = delete;
  ~ScratchPool() {
    for (Slot& slot : slots_) delete slot.kept.load(std::memory_order_acquire);
  }

  class Loan {
   public:
    Loan(ScratchPool& pool, std::unique_ptr<T> scratch)
        : pool_(pool), scratch_(std::move(scratch)) {}
    ~Loan() { pool_.take_back(std::move(scratch_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    T& operator*() const { return *scratch_; }
    T* operator->() const { return scratch_.get(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<T> scratch_;
  };

  // Lends kept scratch, or else new scratch, which `make` returns as a std::unique_ptr.
  template <typename Make>
  Loan borrow(const Make& make) {
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<T*>& kept = slots_[(home() + i) % kSlots].kept;
      if (!kept.load(std::memory_order_relaxed)) continue;
      if (T* found = kept.exchange(nullptr, std::memory_order_acquire))
        return Loan(*this, std::unique_ptr<T>(found));
    }
    return Loan(*this, make());
  }

 private:
  static constexpr std::size_t kSlots = 16;
  struct alignas(64) Slot {
    std::atomic<T*> kept{nullptr};
  };

  static std::size_t home() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t kMine = threads.fetch_add(1, std::memory_order_relaxed);
    return kMine % kSlots;
  }

  void take_back(std::unique_ptr<T> scratch) {
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<T*>& kept = slots_[(home() + i) % kSlots].kept;
      T* empty = nullptr;
      if (kept.compare_exchange_strong(empty, scratch.get(), std::memory_order_release,
                                       std::memory_order_relaxed)) {
        static_cast<void>(scratch.release());
        return;
      }
    }
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace uaspl
