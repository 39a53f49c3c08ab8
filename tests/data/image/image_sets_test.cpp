// Image data sets: found by name, read from folders of pictures, and the real files where they are.
#include "uaspl/data/image/image_sets.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/data/image/image_bytes.hpp"
#include "tests/support.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/io/sha256.hpp"

namespace uaspl {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A folder of its own, removed at the end.
class ImageSets : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("uaspl_" + std::string(test->name()) + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const fs::path& name, const std::string& bytes) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void write_mnist(const std::string& set, std::uint32_t train, std::uint32_t test) const {
    const auto write_part = [&](const std::string& part, std::uint32_t count) {
      write(set + "/" + part + "-images-idx3-ubyte.gz",
            gzipped(idx_images(count, 28, 28, counting(count * 784))));
      write(set + "/" + part + "-labels-idx1-ubyte", idx_labels(counting(count)));
    };
    write_part("train", train);
    write_part("t10k", test);
  }
  std::string message(const std::string& name, const ImageOptions& options = {}) const {
    try {
      open_images(name, {folder_}, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(ImageSets, AKnownSetByItsName) {
  write_mnist("mnist", 5, 3);
  std::vector<std::string> notes;
  const ImageSet images = open_images("mnist", {folder_ / "nowhere", folder_}, {}, &notes);
  EXPECT_EQ(images.name, "mnist");
  EXPECT_EQ(images.rows(), 8U);
  EXPECT_EQ(images.train, 5U);
  EXPECT_EQ(images.classes.size(), 10U);
  EXPECT_EQ(images.labels, std::vector<int>({0, 1, 2, 3, 4, 0, 1, 2}));
  EXPECT_EQ(images.image(5)[0], 0);
  EXPECT_EQ(images.image(1)[0], 784 % 256);
  EXPECT_EQ(images.content, image_content(images));
  ASSERT_EQ(notes.size(), 6U);  // four files and two numbers
  EXPECT_TRUE(contains(notes[0], "not the published file")) << notes[0];
  EXPECT_TRUE(contains(notes[4], "5 training images, the published set has 60000")) << notes[4];
}

TEST_F(ImageSets, WhatCannotBeComparedIsNotCalledWrong) {
  write_mnist("fashion_mnist", 5, 3);
  fs::remove(folder_ / "fashion_mnist/t10k-images-idx3-ubyte.gz");
  write("fashion_mnist/t10k-images-idx3-ubyte", idx_images(3, 28, 28, counting(3 * 784)));
  std::vector<std::string> notes;
  open_images("fashion_mnist", {folder_}, {}, &notes);
  ASSERT_EQ(notes.size(), 6U);
  EXPECT_TRUE(contains(notes[0], "train-images-idx3-ubyte.gz: not the published file")) << notes[0];
  EXPECT_TRUE(contains(notes[1], "train-labels-idx1-ubyte: not the published file")) << notes[1];
  EXPECT_TRUE(contains(notes[2], "known only in its packed form")) << notes[2];
}

TEST_F(ImageSets, AFolderWithAPartOfTheFilesIsPassedOverWithANote) {
  write_mnist("mnist", 5, 3);
  write_mnist("part/mnist", 5, 3);
  fs::remove(folder_ / "part/mnist/t10k-labels-idx1-ubyte");
  std::vector<std::string> notes;
  open_images("mnist", {folder_ / "part", folder_}, {}, &notes);
  ASSERT_EQ(notes.size(), 7U);
  EXPECT_TRUE(contains(notes[0], "part/mnist: passed over, it has no t10k-labels")) << notes[0];
}

TEST_F(ImageSets, LimitsTakeTheFirst) {
  write_mnist("mnist", 5, 3);
  const ImageSet images = open_images("mnist", {folder_}, {.limit = 2, .test_limit = 1});
  EXPECT_EQ(images.train, 2U);
  EXPECT_EQ(images.labels, std::vector<int>({0, 1, 0}));
  EXPECT_EQ(images.pixels.size(), 3U * 784U);
  EXPECT_EQ(open_images("mnist", {folder_}, {.limit = 100}).rows(), 8U);
  EXPECT_EQ(open_images("mnist", {folder_}, {.test_limit = 2}).rows(), 7U);
}

TEST_F(ImageSets, ContentDependsOnAllParts) {
  write_mnist("mnist", 5, 3);
  const ImageSet images = open_images("mnist", {folder_});
  const auto changed = [&](const auto& change) {
    ImageSet other = images;
    change(other);
    return image_content(other);
  };
  EXPECT_EQ(changed([](ImageSet& set) { set.name = "other"; }), images.content);
  EXPECT_NE(changed([](ImageSet& set) { set.pixels[7] ^= 1; }), images.content);
  EXPECT_NE(changed([](ImageSet& set) { set.labels[7] = 9; }), images.content);
  EXPECT_NE(changed([](ImageSet& set) { set.train = 6; }), images.content);
  EXPECT_NE(changed([](ImageSet& set) { set.classes[0] = "nought"; }), images.content);
  EXPECT_NE(changed([](ImageSet& set) { set.shape = {1, 14, 56}; }), images.content);
}

TEST_F(ImageSets, WhatIsMissingIsSaid) {
  EXPECT_TRUE(contains(message("minst"), "known: mnist, fashion_mnist, cifar10, svhn"));
  write("mnist/train-images-idx3-ubyte", "");
  write("mnist/train-labels-idx1-ubyte.gz", "");
  const std::string text = message("mnist");
  EXPECT_TRUE(contains(text, (folder_ / "mnist").string() +
                                 " (no t10k-images-idx3-ubyte.gz, t10k-labels-idx1-ubyte.gz)"))
      << text;
  EXPECT_TRUE(contains(text, "`uaspl data pull mnist`")) << text;
  EXPECT_TRUE(contains(message("svhn"), (folder_ / "svhn").string()));
  EXPECT_TRUE(contains(message("/no/such/folder"), "/no/such/folder: no such folder"));
}

TEST_F(ImageSets, NumbersAndSizesMustAgree) {
  write_mnist("mnist", 5, 3);
  write("mnist/t10k-labels-idx1-ubyte", idx_labels(counting(4)));
  EXPECT_TRUE(contains(message("mnist"), "4 labels, but")) << message("mnist");
  write_mnist("mnist", 5, 3);
  write("mnist/t10k-images-idx3-ubyte.gz", idx_images(3, 14, 56, counting(3 * 784)));
  EXPECT_TRUE(contains(message("mnist"), "images of 1 x 14 x 56, expected 1 x 28 x 28"));
  EXPECT_TRUE(contains(message("mnist", {.grey = true}), "only pictures of a folder"));
}

TEST_F(ImageSets, AFileHoldsNotMuchMoreThanTheSet) {
  write_mnist("mnist", 5, 3);
  write("mnist/train-images-idx3-ubyte.gz",
        gzipped(idx_images(1'000'000, 28, 28, std::string(1 << 20, '\0'))));
  EXPECT_TRUE(contains(message("mnist"), "784000000 bytes from byte 16, and it may hold 82425000"))
      << message("mnist");
}

TEST_F(ImageSets, CifarFromBatchesFoldersAndTheArchive) {
  write("cifar10/data_batch_3.bin", cifar_record(3, 0));
  EXPECT_TRUE(contains(message("cifar10"), "no test_batch.bin"));
  write("cifar10/test_batch.bin.gz", gzipped(cifar_record(7, 0)));
  write("cifar10/data_batch_1.bin.gz", gzipped(cifar_record(1, 9)));
  EXPECT_EQ(open_images("cifar10", {folder_}).labels, std::vector<int>({1, 3, 7}));
  EXPECT_EQ(open_images("cifar10", {folder_}).train, 2U);
  // An archive is more than some of the batches, all batches are as good.
  std::string archive = tar_member("x/test_batch.bin", cifar_record(0, 0));
  for (int i = 5; i >= 1; --i)
    archive += tar_member("x/data_batch_" + std::to_string(i) + ".bin", cifar_record(i, 0));
  write("cifar10/cifar-10-binary.tar.gz", gzipped(archive));
  EXPECT_EQ(open_images("cifar10", {folder_}).labels, std::vector<int>({1, 2, 3, 4, 5, 0}));
  for (int i = 1; i <= 5; ++i)
    write("cifar10/cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
          cifar_record(9, 0));
  write("cifar10/cifar-10-batches-bin/test_batch.bin", cifar_record(8, 0));
  EXPECT_EQ(open_images("cifar10", {folder_}).labels, std::vector<int>({9, 9, 9, 9, 9, 8}));
}

TEST_F(ImageSets, SvhnFromMatlabFiles) {
  const auto write_part = [&](const std::string& part, const std::string& digits) {
    const auto count = static_cast<std::uint32_t>(digits.size());
    write("svhn/" + part + "_32x32.mat",
          mat_file(mat_packed(mat_matrix("X", 9, {32, 32, 3, count},
                                         mat_element(2, counting(3072 * count)))) +
                   mat_packed(mat_matrix("y", 9, {count, 1}, mat_element(2, digits)))));
  };
  write_part("train", "\12\1");
  write_part("test", "\5");
  const ImageSet images = open_images("svhn", {folder_});
  EXPECT_EQ(images.labels, std::vector<int>({0, 1, 5}));
  EXPECT_EQ(images.train, 2U);
  EXPECT_EQ(images.image(0)[1], 32);  // the second column
}

TEST_F(ImageSets, AFolderOfPictures) {
  const auto grey = [](int from) {
    return png_file({2, 2, 8, PNG_COLOR_TYPE_GRAY}, counting(4, static_cast<std::size_t>(from)));
  };
  write("own/train/dog/b.PNG", grey(10));
  write("own/train/dog/a.png", grey(20));
  write("own/train/cat/z.png", grey(30));
  write("own/train/cat/notes.txt", "no picture");
  write("own/train/.hidden/x.png", "no picture");
  write("own/test/dog/c.jpg", grey(40));  // what it is, its bytes say
  const std::string path = (folder_ / "own").string();
  const ImageSet images = open_images(path, {});
  EXPECT_EQ(images.name, path);
  EXPECT_EQ(images.classes, std::vector<std::string>({"cat", "dog"}));
  EXPECT_EQ(images.labels, std::vector<int>({0, 1, 1, 1}));
  EXPECT_EQ(images.train, 3U);
  EXPECT_EQ(images.shape, (ImageShape{1, 2, 2}));
  EXPECT_EQ(images.pixels, (std::vector<std::uint8_t>{30, 31, 32, 33, 20, 21, 22, 23, 10, 11, 12,
                                                      13, 40, 41, 42, 43}));
  EXPECT_FALSE(images.content.empty());
  EXPECT_EQ(open_images(path, {}, {.limit = 2}).labels, std::vector<int>({0, 1, 1}));

  const ImageSet all = open_images((folder_ / "own/train").string(), {});
  EXPECT_EQ(all.train, 3U);
  EXPECT_EQ(all.rows(), 3U);

  write("own/test/bird/x.png", grey(1));
  EXPECT_TRUE(contains(message(path), "bird: no class of this name"));
}

TEST_F(ImageSets, PicturesThatDifferAreMadeEqual) {
  write("own/a/1.png", png_file({2, 2, 8, PNG_COLOR_TYPE_GRAY}, counting(4)));
  write("own/a/2.png", png_file({2, 2, 8, PNG_COLOR_TYPE_GRAY}, counting(4)));
  write("own/b/3.png", png_file({4, 2}, std::string(24, '\x64')));
  write("own/b/4.jpeg", jpeg_file(9, 5, 3, std::string(135, '\x64')));
  const std::string path = (folder_ / "own").string();
  const std::string text = message(path);
  EXPECT_TRUE(contains(text, "1.png has 2 x 2 pixels, grey, but")) << text;
  EXPECT_TRUE(contains(text, "3.png has 4 x 2 pixels, RGB")) << text;
  const ImageSet images = open_images(path, {}, {.resize = ImageSize{3, 2}, .grey = true});
  EXPECT_EQ(images.shape, (ImageShape{1, 3, 2}));
  EXPECT_EQ(images.rows(), 4U);
  EXPECT_EQ(images.image(2)[0], 100);
  EXPECT_TRUE(contains(message(path, {.resize = ImageSize{0, 2}}), "cannot be resized to 0 x 2"));
  fs::create_directories(folder_ / "own/c");
  EXPECT_TRUE(contains(message(path), "c: no .png, .jpg or .jpeg files"));
  EXPECT_TRUE(contains(message((folder_ / "own/a").string()), "expected one for each class"));
  EXPECT_TRUE(contains(message((folder_ / "own/nosuch").string()), "no such folder"));
  fs::create_directories(folder_ / "own/\xff");
  EXPECT_TRUE(contains(message(path), "must be UTF-8"));
}

TEST(KnownImages, AreDescribedWhole) {
  for (const KnownImages& set : known_images()) {
    EXPECT_EQ(set.classes.size(), 10U) << set.name;
    EXPECT_EQ(set.transform.mean.size(), set.shape.channels);
    EXPECT_EQ(set.transform.deviation.size(), set.shape.channels);
    EXPECT_FALSE(set.sources.empty() || set.licence.empty() || set.citation.empty());
    for (const ImageFile& file : set.files) EXPECT_EQ(file.md5.size(), 32U);
  }
  EXPECT_EQ(find_known_images("cifar100"), nullptr);
}

// The real files, where they are.
class RealImages : public ::testing::Test {
 protected:
  ImageSet open(const std::string& name) {
    const auto folder = data_folder();
    if (!folder || !fs::exists(*folder / name)) return {};
    return open_images(name, {*folder}, {}, &notes_);
  }
  std::vector<std::string> notes_;
};

std::vector<int> first_labels(const ImageSet& images, std::size_t from) {
  return {images.labels.begin() + static_cast<std::ptrdiff_t>(from),
          images.labels.begin() + static_cast<std::ptrdiff_t>(from + 5)};
}

TEST_F(RealImages, Mnist) {
  ImageSet images = open("mnist");
  if (images.rows() == 0) GTEST_SKIP() << "needs UASPL_DATA with mnist/";
  EXPECT_EQ(images.train, 60000U);
  EXPECT_EQ(images.rows(), 70000U);
  EXPECT_EQ(first_labels(images, 0), std::vector<int>({5, 0, 4, 1, 9}));
  EXPECT_EQ(first_labels(images, 60000), std::vector<int>({7, 2, 1, 0, 4}));
  EXPECT_TRUE(notes_.empty()) << notes_[0];
  images.name = "other";  // so that mean and deviation are measured
  EXPECT_NEAR(transform_of(images).mean[0], 0.1307F, 5e-5F);
  EXPECT_NEAR(transform_of(images).deviation[0], 0.3081F, 5e-5F);
}

TEST_F(RealImages, FashionMnist) {
  ImageSet images = open("fashion_mnist");
  if (images.rows() == 0) GTEST_SKIP() << "needs UASPL_DATA with fashion_mnist/";
  EXPECT_EQ(images.train, 60000U);
  EXPECT_EQ(images.rows(), 70000U);
  EXPECT_EQ(first_labels(images, 0), std::vector<int>({9, 0, 0, 3, 0}));
  EXPECT_EQ(first_labels(images, 60000), std::vector<int>({9, 2, 1, 1, 6}));
  images.name = "other";
  EXPECT_NEAR(transform_of(images).mean[0], 0.286F, 2e-3F);
  EXPECT_NEAR(transform_of(images).deviation[0], 0.353F, 2e-3F);
}

TEST_F(RealImages, Cifar10) {
  ImageSet images = open("cifar10");
  if (images.rows() == 0) GTEST_SKIP() << "needs UASPL_DATA with cifar10/";
  EXPECT_EQ(images.train % 10000, 0U);
  EXPECT_EQ(images.rows() - images.train, 10000U);
  EXPECT_EQ(first_labels(images, 0), std::vector<int>({6, 9, 9, 4, 1}));
  EXPECT_EQ(first_labels(images, images.train), std::vector<int>({3, 8, 8, 0, 6}));
  // Batches or not, the content is the published one.
  for (const std::string& note : notes_) EXPECT_FALSE(contains(note, "MD5")) << note;
  images.name = "other";
  const std::vector<float> known = find_known_images("cifar10")->transform.mean;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(transform_of(images).mean[i], known[i], 3e-3F);
}

TEST_F(RealImages, Svhn) {
  ImageSet images = open("svhn");
  if (images.rows() == 0) GTEST_SKIP() << "needs UASPL_DATA with svhn/";
  EXPECT_GE(images.train, 10000U);
  EXPECT_EQ(first_labels(images, 0), std::vector<int>({1, 9, 2, 3, 2}));
  EXPECT_EQ(first_labels(images, images.train), std::vector<int>({5, 2, 1, 0, 6}));
  images.name = "other";
  const float known[] = {0.4377F, 0.4438F, 0.4728F};  // of all training images
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(transform_of(images).mean[i], known[i], 5e-3F);
}

}  // namespace
}  // namespace uaspl
