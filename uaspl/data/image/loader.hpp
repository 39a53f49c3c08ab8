// Turns the rows of a batch into numbers, ahead of time on a thread of its own if it was told which
// rows come next.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "uaspl/base/aligned.hpp"
#include "uaspl/base/view.hpp"
#include "uaspl/data/image/images.hpp"
#include "uaspl/data/image/transform.hpp"

namespace uaspl {

using Pixels = AlignedVector<float>;  // image by image, channel by channel

// Only one thread may call it at a time.
class ImageLoader {
 public:
  explicit ImageLoader(Images images);
  ~ImageLoader();
  ImageLoader(const ImageLoader&) = delete;
  ImageLoader& operator=(const ImageLoader&) = delete;

  // Announces the rows of a later take(), which are prepared meanwhile. The first call starts the
  // thread.
  void expect(std::span<const int> rows, const View& view);
  // Returns the rows, which were prepared already or are prepared now.
  Pixels take(std::span<const int> rows, const View& view);
  // Gives memory back for further batches.
  void give_back(Pixels&& pixels);

  const Images& images() const { return images_; }
  const ImageShape& shape() const { return images_.set->shape; }

 private:
  struct Job {
    std::vector<int> rows;
    View view;
    Pixels pixels;
    bool begun = false;
    bool done = false;
    std::exception_ptr error;
  };
  void check(std::span<const int> rows) const;
  void see(std::span<const int> rows, const View& view, Pixels& pixels) const;
  void serve();
  std::shared_ptr<Job> next_job() const;  // under the lock
  Pixels spare();                         // under the lock

  Images images_;
  ImageLens lens_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> jobs_;
  std::vector<Pixels> spare_;
  bool quit_ = false;
  std::thread thread_;
};

}  // namespace uaspl
