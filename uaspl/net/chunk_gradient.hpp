// The gradient of a step is the sum of its chunks' gradients in the order of the chunks, whoever
// computes them: the same bits for any number of threads.
#pragma once

#include <span>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/threads.hpp"

namespace uaspl {

// One chunk's part; has been added to the sum when this goes out of scope.
class ChunkGradient {
 public:
  // `own` is a buffer for a chunk that is ready before those ahead of it; `blocks` is how many
  // blocks the chunk has.
  ChunkGradient(Turns& turns, std::uint32_t chunk, std::size_t blocks, std::span<float> sum,
                AlignedVector<float>& own)
      : turns_(turns), chunk_(chunk), blocks_(blocks), sum_(sum), own_(own) {}

  ChunkGradient(const ChunkGradient&) = delete;
  ChunkGradient& operator=(const ChunkGradient&) = delete;

  ~ChunkGradient() {
    turns_.wait_for(chunk_);
    if (started_ && !direct_)
      for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += own_[i];
    turns_.end();
  }

  struct Target {
    float* data;
    bool add;  // to what is there; otherwise it is overwritten
  };

  // Where the gradient of the chunk's next block goes. A chunk of a single block whose turn it is
  // goes into the sum at once: one gradient that stays in the cache.
  Target next_block() {
    const bool first = !started_;
    if (first) {
      direct_ = chunk_ == 0 || (blocks_ == 1 && turns_.is(chunk_));
      if (!direct_) own_.resize(sum_.size());
      started_ = true;  // from here on there is something to add
    }
    if (direct_) return {sum_.data(), !first || chunk_ > 0};
    return {own_.data(), !first};
  }

 private:
  Turns& turns_;
  std::uint32_t chunk_;
  std::size_t blocks_;
  std::span<float> sum_;
  AlignedVector<float>& own_;
  bool started_ = false;
  bool direct_ = false;
};

}  // namespace uaspl
