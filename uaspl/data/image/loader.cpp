// Prepares batches ahead of time, see loader.hpp.
#include "uaspl/data/image/loader.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

// Two jobs of training and two of evaluation; expected batches that were never taken are dropped.
constexpr std::size_t kMostJobs = 4;

bool same_view(const View& a, const View& b) {
  return a.augmented == b.augmented && (!a.augmented || a.seed == b.seed);
}

}  // namespace

ImageLoader::ImageLoader(Images images)
    : images_(std::move(images)), lens_(*images_.set, images_.transform) {}

ImageLoader::~ImageLoader() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ImageLoader::check(std::span<const int> rows) const {
  const std::size_t count = images_.set->rows();
  const auto bad = std::ranges::find_if(
      rows, [&](int row) { return row < 0 || static_cast<std::size_t>(row) >= count; });
  if (bad != rows.end())
    throw Error("images: no image " + std::to_string(*bad) + ", there are " +
                std::to_string(count));
}

void ImageLoader::see(std::span<const int> rows, const View& view, Pixels& pixels) const {
  const std::size_t size = shape().size();
  pixels.resize(rows.size() * size);
  for (std::size_t i = 0; i < rows.size(); ++i) lens_.see(rows[i], view, pixels.data() + i * size);
}

void ImageLoader::expect(std::span<const int> rows, const View& view) {
  check(rows);
  auto job = std::make_shared<Job>();
  job->rows.assign(rows.begin(), rows.end());
  job->view = view;
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    return;  // no thread is available: take() prepares the batch
  }
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() == kMostJobs) jobs_.pop_front();
    job->pixels = spare();
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

Pixels ImageLoader::take(std::span<const int> rows, const View& view) {
  std::unique_lock lock(mutex_);
  const auto found = std::ranges::find_if(jobs_, [&](const auto& job) {
    return same_view(job->view, view) && std::ranges::equal(job->rows, rows);
  });
  if (found == jobs_.end()) {
    Pixels pixels = spare();
    lock.unlock();
    check(rows);
    see(rows, view, pixels);
    return pixels;
  }
  const std::shared_ptr<Job> job = *found;
  changed_.wait(lock, [&] { return job->done; });
  std::erase(jobs_, job);
  if (job->error) std::rethrow_exception(job->error);
  return std::move(job->pixels);
}

void ImageLoader::give_back(Pixels&& pixels) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() < kMostJobs) spare_.push_back(std::move(pixels));
}

Pixels ImageLoader::spare() {
  if (spare_.empty()) return {};
  Pixels pixels = std::move(spare_.back());
  spare_.pop_back();
  return pixels;
}

std::shared_ptr<ImageLoader::Job> ImageLoader::next_job() const {
  const auto found = std::ranges::find_if(jobs_, [](const auto& job) { return !job->begun; });
  return found == jobs_.end() ? nullptr : *found;
}

void ImageLoader::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::shared_ptr<Job> job;
    changed_.wait(lock, [&] { return quit_ || (job = next_job()); });
    if (quit_) return;
    job->begun = true;
    lock.unlock();
    try {
      see(job->rows, job->view, job->pixels);
    } catch (...) {
      job->error = std::current_exception();
    }
    lock.lock();
    job->done = true;
    changed_.notify_all();
  }
}

}  // namespace uaspl
