// Reads the known image data sets from their files, see image_sets.hpp.
#include "uaspl/data/image/image_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image/image_files.hpp"
#include "uaspl/io/input.hpp"
#include "uaspl/io/md5.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPacked = ".gz";

std::string without_packed(std::string name) {
  if (name.ends_with(kPacked)) name.resize(name.size() - kPacked.size());
  return name;
}

// Reads the files of one set, and notes which of them are not the published ones.
class SetReader {
 public:
  SetReader(const KnownImages& set, std::vector<std::string>* notes) : set_(set), notes_(notes) {
    images_.name = set.name;
    images_.shape = set.shape;
    images_.classes = set.classes;
  }

  ImageSet read(const std::vector<fs::path>& files);

 private:
  // Returns what `read` makes of a file, and checks its sum or that of its unpacked bytes.
  template <typename Read>
  auto checked(const fs::path& path, const Read& read) {
    Input input(path);
    input.read_all();
    const std::string file = path.filename().string();
    const auto published = std::ranges::find(set_.files, file, &ImageFile::name);
    const bool named = published != set_.files.end();
    const bool check = notes_ && !(named && md5(input.view()) == published->md5);
    Unpacker bytes(input.view(), input.name());
    bytes.limit(most_bytes());
    Md5 sum;
    if (check) bytes.watch(&sum);
    auto result = read(input, bytes);
    const std::string_view unpacked = unpacked_md5(set_.name, without_packed(file));
    if (check && sum.digest() != unpacked)
      notes_->push_back(fmt::format("{}: {}", input.name(),
                                    named || !unpacked.empty()
                                        ? "not the published file, its MD5 differs"
                                        : "its MD5 is known only in its packed form"));
    return result;
  }

  // Returns how many bytes of images and labels a file may hold: somewhat more than the whole set.
  std::size_t most_bytes() const {
    return (set_.train + set_.test) * (set_.shape.size() + 1) / 2 * 3;
  }

  static LabelledImages read_batch(Unpacker& bytes) {
    LabelledImages batch = read_cifar(bytes);
    bytes.finish();
    return batch;
  }

  LabelledImages read_idx(const fs::path& images, const fs::path& labels) {
    LabelledImages part =
        checked(images, [](const Input&, Unpacker& bytes) { return read_idx_images(bytes); });
    part.labels = checked(labels, [&](const Input&, Unpacker& bytes) {
      return read_idx_labels(bytes, set_.classes.size());
    });
    const std::size_t count = part.pixels.size() / part.shape.size();
    if (part.labels.size() != count)
      throw Error(fmt::format("{}: {} labels, but {} has {} images", labels.string(),
                              part.labels.size(), images.string(), count));
    return part;
  }

  LabelledImages read_mat(const fs::path& file) {
    return checked(file, [&](const Input& input, Unpacker&) {
      return read_svhn(input.view(), input.name(), most_bytes());
    });
  }

  // Reads the archive, which is the only file and has its batches in any order.
  void read_archive(const fs::path& file) {
    auto batches =
        checked(file, [](const Input&, Unpacker& bytes) { return read_cifar_archive(bytes); });
    for (const std::string_view name : kCifarBatches) {
      if (name == kCifarBatches.back()) images_.train = images_.rows();
      if (const auto found = batches.find(name); found != batches.end())
        add(std::move(found->second), file.string());
    }
  }

  // Appends images to those that are there.
  void add(LabelledImages&& part, const std::string& file) {
    if (part.shape != set_.shape)
      throw Error(fmt::format("{}: images of {} x {} x {}, expected {} x {} x {}", file,
                              part.shape.channels, part.shape.height, part.shape.width,
                              set_.shape.channels, set_.shape.height, set_.shape.width));
    if (images_.labels.empty()) {
      images_.pixels = std::move(part.pixels);
      images_.labels = std::move(part.labels);
      return;
    }
    images_.pixels.insert(images_.pixels.end(), part.pixels.begin(), part.pixels.end());
    images_.labels.insert(images_.labels.end(), part.labels.begin(), part.labels.end());
    part.pixels = {};
  }

  void note_missing(std::string_view what, std::size_t here, std::size_t all) {
    if (notes_ && here != all)
      notes_->push_back(
          fmt::format("{}: {} {} images, the published set has {}", set_.name, here, what, all));
  }

  const KnownImages& set_;
  std::vector<std::string>* notes_;
  ImageSet images_;
};

ImageSet SetReader::read(const std::vector<fs::path>& files) {
  if (set_.format == ImageFormat::kIdx) {
    add(read_idx(files[0], files[1]), files[0].string());
    images_.train = images_.rows();
    add(read_idx(files[2], files[3]), files[2].string());
  } else if (set_.format == ImageFormat::kSvhn) {
    add(read_mat(files[0]), files[0].string());
    images_.train = images_.rows();
    add(read_mat(files[1]), files[1].string());
  } else if (files.size() == 1) {
    read_archive(files.front());
  } else {
    for (const fs::path& file : files) {
      if (file == files.back()) images_.train = images_.rows();
      add(checked(file, [](const Input&, Unpacker& bytes) { return read_batch(bytes); }),
          file.string());
    }
  }
  note_missing("training", images_.train, set_.train);
  note_missing("test", images_.rows() - images_.train, set_.test);
  return std::move(images_);
}

// Keeps the first ones of both parts.
void cut(ImageSet& images, const ImageOptions& options) {
  const auto kept = [](std::size_t limit, std::size_t all) {
    return limit == 0 ? all : std::min(limit, all);
  };
  const std::size_t train = kept(options.limit, images.train);
  const std::size_t test = kept(options.test_limit, images.rows() - images.train);
  const auto keep = [&](auto& values, std::size_t width) {
    const auto place = [&](std::size_t row) {
      return values.begin() + static_cast<std::ptrdiff_t>(row * width);
    };
    values.erase(place(images.train + test), values.end());
    values.erase(place(train), place(images.train));
    values.shrink_to_fit();
  };
  keep(images.pixels, images.shape.size());
  keep(images.labels, 1);
  images.train = train;
}

std::string described(std::span<const FolderWithout> folders) {
  std::vector<std::string> texts;
  for (const auto& [folder, missing] : folders)
    texts.push_back(missing.empty()
                        ? folder.string()
                        : fmt::format("{} (no {})", folder.string(), fmt::join(missing, ", ")));
  return texts.empty() ? "no folder" : fmt::format("{}", fmt::join(texts, ", "));
}

ImageSet open_known(const KnownImages& set, const DataFolders& folders, const ImageOptions& options,
                    std::vector<std::string>* notes) {
  if (options.resize || options.grey)
    throw UsageError(
        fmt::format("{}: only pictures of a folder can be resized or made grey", set.name));
  std::vector<FolderWithout> passed_over;
  const auto files = image_set_files(set, folders, &passed_over);
  if (files.empty())
    throw Error(fmt::format("{}: not here; looked in {}; `uaspl data pull {}` fetches it", set.name,
                            described(passed_over), set.name));
  if (notes)
    for (const auto& [folder, missing] : passed_over)
      if (!missing.empty())
        notes->push_back(fmt::format("{}: passed over, it has no {}", folder.string(),
                                     fmt::join(missing, ", ")));
  ImageSet images = SetReader(set, notes).read(files);
  if (options.limit != 0 || options.test_limit != 0) cut(images, options);
  return images;
}

}  // namespace

ImageSet open_images(const std::string& name, const DataFolders& folders,
                     const ImageOptions& options, std::vector<std::string>* notes) {
  ImageSet images;
  std::error_code failed;
  if (const KnownImages* set = find_known_images(name)) {
    images = open_known(*set, folders, options, notes);
  } else if (name.find('/') != std::string::npos || fs::is_directory(name, failed)) {
    images = read_image_folder(name, options);
  } else {
    std::vector<std::string_view> known;
    for (const KnownImages& entry : known_images()) known.push_back(entry.name);
    throw UnknownName(fmt::format("unknown image data set '{}'; known: {}, and folders of pictures",
                                  name, fmt::join(known, ", ")));
  }
  images.content = image_content(images);
  return images;
}

std::string image_content(const ImageSet& images) {
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof values[0]);
  };
  std::string parts = fmt::format("{} {} {} {}", images.shape.channels, images.shape.height,
                                  images.shape.width, images.train);
  parts += sha256(bytes(images.pixels)) + sha256(bytes(images.labels));
  for (const std::string& name : images.classes) parts += sha256(name);
  return sha256(parts);
}

ImageTransform transform_of(const ImageSet& images) {
  if (const KnownImages* set = find_known_images(images.name)) return set->transform;
  ImageTransform transform;
  const std::size_t plane = images.shape.height * images.shape.width;
  for (std::size_t channel = 0; channel < images.shape.channels; ++channel) {
    std::vector<std::size_t> counts(256);
    for (std::size_t row = 0; row < images.train; ++row)
      for (const std::uint8_t value : images.image(row).subspan(channel * plane, plane))
        ++counts[value];
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t value = 0; value < 256; ++value) {
      const double x = static_cast<double>(value) / 255.0;
      sum += x * static_cast<double>(counts[value]);
      squares += x * x * static_cast<double>(counts[value]);
    }
    const auto pixels = static_cast<double>(std::max<std::size_t>(images.train * plane, 1));
    const double mean = sum / pixels;
    const double variance = squares / pixels - mean * mean;
    transform.mean.push_back(static_cast<float>(mean));
    // The deviation must not be 0: images of one colour become zero.
    transform.deviation.push_back(variance > 1e-12 ? static_cast<float>(std::sqrt(variance))
                                                   : 1.0F);
  }
  return transform;
}

}  // namespace uaspl
