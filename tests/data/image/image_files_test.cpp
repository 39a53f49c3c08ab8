// Image files: what is in them, and any damage gives an error.
#include "uaspl/data/image/image_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/data/image/image_bytes.hpp"
#include "uaspl/base/error.hpp"
#include "uaspl/data/image/picture.hpp"
#include "uaspl/io/md5.hpp"
#include "uaspl/io/tar.hpp"

namespace uaspl {
namespace {

using namespace testing;

using Bytes = std::vector<std::uint8_t>;

void expect_error(const std::string& text, const std::function<void()>& work) {
  try {
    work();
    ADD_FAILURE() << "no error; expected one with: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

// Each beginning of the bytes, but for the whole, is an error.
void expect_errors_when_cut(const std::string& bytes,
                            const std::function<void(const std::string&)>& read) {
  EXPECT_NO_THROW(read(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(read(bytes.substr(0, size)), Error) << size << " of " << bytes.size();
}

LabelledImages images_of(const std::string& bytes) {
  Unpacker unpacker(bytes, "images");
  return read_idx_images(unpacker);
}
std::vector<int> labels_of(const std::string& bytes) {
  Unpacker unpacker(bytes, "labels");
  return read_idx_labels(unpacker, 10);
}
LabelledImages batch_of(const std::string& bytes) {
  Unpacker unpacker(bytes, "batch");
  return read_cifar(unpacker);
}
CifarBatches archive_of(const std::string& bytes) {
  Unpacker unpacker(bytes, "archive");
  return read_cifar_archive(unpacker);
}

TEST(Md5, VectorsOfRfc1321) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(md5("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(md5("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(md5("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, PiecesOfAnyLength) {
  const std::string text = counting(300);
  for (std::size_t piece = 1; piece < 200; ++piece) {
    Md5 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) sum.add(text.substr(at, piece));
    EXPECT_EQ(sum.digest(), md5(text)) << piece;
  }
}

TEST(Unpacker, PlainAndPackedBytesAreTheSame) {
  const std::string text = counting(100000);
  // gzip files may be joined.
  const std::string joined = gzipped(text.substr(0, 777)) + gzipped(text.substr(777));
  for (const std::string& bytes : {text, gzipped(text), joined}) {
    Unpacker unpacker(bytes, "text");
    Md5 sum;
    unpacker.watch(&sum);
    Bytes first(10);
    unpacker.read(first.data(), first.size());
    EXPECT_EQ(first, Bytes({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    unpacker.skip(90000);
    EXPECT_EQ(unpacker.position(), 90010U);
    EXPECT_EQ(unpacker.read(9990).back(), static_cast<std::uint8_t>(99999));
    unpacker.finish();
    EXPECT_EQ(sum.digest(), md5(text));
  }
}

TEST(Unpacker, DamageIsFound) {
  const std::string bytes = gzipped(counting(5000));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i >= 4 && i < 10) continue;  // time and system, which mean nothing
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const auto read_all = [&] {
      Unpacker unpacker(damaged, "damaged");
      const Bytes got = unpacker.read(5000);
      unpacker.finish();
      if (!std::equal(got.begin(), got.end(), counting(5000).begin(),
                      [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }))
        FAIL() << "wrong bytes at " << i;
    };
    EXPECT_THROW(read_all(), Error) << i;
  }
  const std::string followed = bytes + "zip garbage";
  Unpacker unpacker(followed, "followed");
  unpacker.skip(5000);
  expect_error("11 bytes follow", [&] { unpacker.finish(); });
}

TEST(Unpacker, NoMoreThanItsLimitIsUnpacked) {
  const std::string bomb = gzipped(std::string(1 << 20, '\0'));
  const auto limited = [&](const auto& read) {
    Unpacker unpacker(bomb, "bomb");
    unpacker.limit(1000);
    read(unpacker);
    EXPECT_LE(unpacker.position(), 1000U);
  };
  limited([](Unpacker& bytes) { bytes.skip(1000); });
  for (const std::size_t count : {1001U, 1U << 19})
    expect_error("it may hold 1000", [&] { limited([&](Unpacker& bytes) { bytes.read(count); }); });
  expect_error("it may hold 1000", [&] { limited([](Unpacker& bytes) { bytes.skip(1 << 19); }); });
  expect_error("more than the 1000", [&] { limited([](Unpacker& bytes) { bytes.drain(); }); });
}

TEST(Unpacker, ADemandThatCannotBeMetTakesNoMemory) {
  for (const std::string& bytes : {counting(1000), gzipped(counting(1000))}) {
    Unpacker unpacker(bytes, "short");
    expect_error("cannot hold", [&] { unpacker.read(std::size_t{1} << 40); });
  }
}

TEST(Idx, ImagesAndLabels) {
  const std::string file = idx_images(2, 2, 3, counting(12, 7));
  for (const std::string& bytes : {file, gzipped(file)}) {
    const LabelledImages images = images_of(bytes);
    EXPECT_EQ(images.shape, (ImageShape{1, 2, 3}));
    EXPECT_EQ(images.pixels, Bytes({7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}));
    expect_errors_when_cut(bytes, images_of);
  }
  EXPECT_EQ(labels_of(idx_labels(counting(10))), std::vector<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  expect_errors_when_cut(gzipped(idx_labels(counting(10))), labels_of);
}

TEST(Idx, HostileFiles) {
  expect_error("expected 00 00 08 03", [] { images_of(idx_labels(counting(100))); });
  expect_error("expected 00 00 08 01", [] { labels_of(idx_images(2, 2, 3, counting(12))); });
  expect_error("label 10 of image 11", [] { labels_of(idx_labels(counting(11))); });
  expect_error("goes on after byte 28", [] { images_of(idx_images(2, 2, 3, counting(13))); });
  expect_error("goes on", [] { images_of(gzipped(idx_images(2, 2, 3, counting(100000)))); });
  expect_error("cannot hold", [] { images_of(idx_images(0, 2, 3, "")); });
  for (const std::uint32_t absurd : {0x7FFFFFFFU, 0xFFFFFFFFU, 1U << 16}) {
    const std::string one = idx_images(absurd, absurd, absurd, counting(12));
    expect_error("cannot hold", [&] { images_of(one); });
    expect_error("cannot hold", [&] { images_of(gzipped(one)); });
    expect_error("cannot hold", [&] { images_of(idx_images(absurd, 28, 28, counting(12))); });
    std::string labels = idx_labels(counting(3));
    labels.replace(4, 4, big_endian(absurd));
    expect_error("cannot hold", [&] { labels_of(labels); });
  }
}

TEST(Cifar, RecordsAndArchives) {
  const std::string two = cifar_record(3, 1) + cifar_record(9, 5);
  for (const std::string& bytes : {two, gzipped(two)}) {
    const LabelledImages batch = batch_of(bytes);
    EXPECT_EQ(batch.labels, std::vector<int>({3, 9}));
    EXPECT_EQ(batch.shape, (ImageShape{3, 32, 32}));
    ASSERT_EQ(batch.pixels.size(), 2U * 3072U);
    EXPECT_EQ(batch.pixels[0], 1);
    EXPECT_EQ(batch.pixels[3072], 5);
  }
  expect_error("label 10 of image 2", [&] { batch_of(two.substr(0, 3073) + cifar_record(10, 0)); });
  expect_error("within record 2", [&] { batch_of(two.substr(0, 6000)); });
  expect_error("no records", [] { batch_of(""); });

  // No more is unpacked than was asked for.
  const std::string bomb = gzipped(std::string(3073 * 1000, '\0'));
  EXPECT_LT(bomb.size(), 4000U);
  Unpacker unpacker(bomb, "bomb");
  EXPECT_EQ(read_cifar(unpacker, 3073 * 7).labels.size(), 7U);
  expect_error("goes on after byte 21511", [&] { unpacker.finish(); });

  const std::string end(1024, '\0');
  const std::string archive =
      tar_member("cifar-10-batches-bin/", "", '5') +
      tar_member("cifar-10-batches-bin/test_batch.bin", cifar_record(1, 0)) +
      tar_member("cifar-10-batches-bin/readme.html", "text") +
      tar_member("cifar-10-batches-bin/data_batch_2.bin", two) + end;
  for (const std::string& bytes : {archive, gzipped(archive)}) {
    const CifarBatches batches = archive_of(bytes);
    ASSERT_EQ(batches.size(), 2U);
    EXPECT_EQ(batches.at("test_batch.bin").labels, std::vector<int>({1}));
    EXPECT_EQ(batches.at("data_batch_2.bin").labels, std::vector<int>({3, 9}));
  }
  expect_errors_when_cut(gzipped(archive), archive_of);
}

TEST(Cifar, HostileArchives) {
  const std::string one = cifar_record(1, 0);
  const std::string test = tar_member("test_batch.bin", one);
  expect_error("lacks", [&] { archive_of(test); });
  expect_error("there twice", [&] { archive_of(test + test); });
  expect_error("within record 1", [&] { archive_of(tar_member("data_batch_1.bin", "short")); });
  std::string huge = test;
  huge.replace(124, 11, "77777777777");
  expect_error("sum is wrong", [&] { archive_of(huge); });
  std::string claims = tar_member("data_batch_1.bin", std::string(512, '\0'));
  const auto with_size = [&](const std::string& size) {  // and the right sum
    std::string member = claims;
    int change = 0;
    for (std::size_t i = 0; i < size.size(); ++i) change += size[i] - member[124 + i];
    member.replace(124, size.size(), size);
    char sum[8];
    std::snprintf(sum, sizeof sum, "%06lo", std::stoul(member.substr(148, 6), nullptr, 8) + change);
    return member.replace(148, 6, sum);
  };
  expect_error("too large", [&] { archive_of(with_size("77777777777")); });
  expect_error("within record 1", [&] { archive_of(with_size("00000100000")); });
  expect_error("no octal number", [&] { archive_of(with_size("0000x")); });
  // What is passed over is unpacked too.
  claims = tar_member("readme.html", std::string(512, '\0'));
  const std::string passed_over = gzipped(with_size("17777777777") + std::string(1 << 20, '\0'));
  Unpacker bytes(passed_over, "archive");
  bytes.limit(1 << 16);
  expect_error("it may hold 65536", [&] { read_cifar_archive(bytes); });
}

std::string svhn_images(std::uint32_t count) {
  std::string pixels;
  for (std::uint32_t i = 0; i < count; ++i) pixels += counting(2 * 3 * 3, 18 * i);
  return mat_matrix("X", 9, {2, 3, 3, count}, mat_element(2, pixels));
}

TEST(Mat5, ImagesAndDigits) {
  const std::string x = svhn_images(2);
  const std::string small = little_endian(2U | 2U << 16) + std::string("\12\1\0\0", 4);
  const std::string y = mat_matrix("y", 6, {2, 1}, small);  // doubles that were stored as bytes
  for (const std::string& bytes :
       {mat_file(x + y), mat_file(mat_packed(x) + mat_packed(y)),
        mat_file(mat_matrix("z", 6, {1, 1}, small) + mat_packed(y) + x)}) {
    const LabelledImages images = read_svhn(bytes, "mat");
    EXPECT_EQ(images.shape, (ImageShape{3, 2, 3}));
    EXPECT_EQ(images.labels, std::vector<int>({0, 1}));
    ASSERT_EQ(images.pixels.size(), 36U);
    // Columns became rows.
    EXPECT_EQ(Bytes(images.pixels.begin(), images.pixels.begin() + 12),
              Bytes({0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11}));
    EXPECT_EQ(images.pixels[18], 18);
    expect_errors_when_cut(bytes, [](const std::string& cut) { read_svhn(cut, "cut"); });
  }
}

template <typename Number>
std::string numbers(std::vector<double> values) {
  std::string text;
  for (const double value : values) {
    const auto number = static_cast<Number>(value);
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return text;
}

TEST(Mat5, DigitsOfAnyType) {
  const std::vector<double> digits = {10, 9, 1};
  const std::vector<std::pair<std::uint32_t, std::string>> forms = {
      {1, numbers<std::int8_t>(digits)},   {2, numbers<std::uint8_t>(digits)},
      {3, numbers<std::int16_t>(digits)},  {4, numbers<std::uint16_t>(digits)},
      {5, numbers<std::int32_t>(digits)},  {6, numbers<std::uint32_t>(digits)},
      {7, numbers<float>(digits)},         {9, numbers<double>(digits)},
      {12, numbers<std::int64_t>(digits)}, {13, numbers<std::uint64_t>(digits)}};
  for (const auto& [type, data] : forms) {
    const std::string y = mat_matrix("y", 6, {1, 3}, mat_element(type, data));
    EXPECT_EQ(read_svhn(mat_file(svhn_images(3) + y), "mat").labels, std::vector<int>({0, 9, 1}))
        << type;
  }
}

TEST(Mat5, HostileFiles) {
  const auto digits = [](std::vector<double> values) {
    return mat_matrix("y", 6, {static_cast<std::uint32_t>(values.size()), 1},
                      mat_element(9, numbers<double>(values)));
  };
  const std::string x = svhn_images(2);
  const auto fails = [](const std::string& text, const std::string& elements) {
    expect_error(text, [&] { read_svhn(mat_file(elements), "mat"); });
  };
  fails("2 images and 3 labels", x + digits({1, 2, 3}));
  fails("label 11 of image 2", x + digits({1, 11}));
  fails("label 0.5 of image 1", x + digits({0.5, 1}));
  fails("label nan of image 1", x + digits({std::nan(""), 1}));
  fails("label 0 of image 1", x + digits({0, 1}));
  fails("has no X", digits({1, 2}));
  fails("has no y", x);
  fails("X for a second time", x + x);
  fails("expected rows x columns", mat_matrix("X", 6, {2, 3, 3, 1}, mat_element(2, counting(18))));
  fails("expected rows x columns", mat_matrix("X", 9, {18, 1}, mat_element(2, counting(18))));
  fails("expected grey or RGB", mat_matrix("X", 9, {2, 3, 2, 1}, mat_element(2, counting(12))));
  fails("expected grey or RGB", mat_matrix("X", 9, {2, 3, 3, 2}, mat_element(2, counting(18))));
  fails("a dimension of -1",
        mat_matrix("X", 9, {0xFFFFFFFFU, 3, 3, 1}, mat_element(2, counting(18))));
  const std::uint32_t large = 1U << 15;
  const std::string claim =
      mat_matrix("X", 9, {large, large, 3, 1}, little_endian(2) + little_endian(3U << 30));
  fails("cannot hold", claim);
  fails("cannot hold", mat_packed(claim));
  fails("damaged", little_endian(15) + little_endian(20) + counting(20));
  expect_error("version 5", [] { read_svhn(std::string(500, 'x'), "mat"); });
  // Others than X and y are unpacked to check them; together they have a limit.
  const std::string bomb = zlibbed(std::string(40'000, '\0'));
  const std::string element =
      little_endian(15) + little_endian(static_cast<std::uint32_t>(bomb.size())) + bomb;
  const std::string bombs = mat_file(svhn_images(3) + element + element);
  expect_error("more than the", [&] { read_svhn(bombs, "mat", 60'000); });
}

TEST(Pictures, PngOfAllKinds) {
  const auto read = [](const std::string& bytes) { return read_picture(bytes, "png").values; };
  const std::string rgb = counting(2 * 3 * 3);
  const Bytes same(rgb.begin(), rgb.end());
  EXPECT_EQ(read(png_file({2, 3}, rgb)), same);
  EXPECT_EQ(read(png_file({2, 3, 8, PNG_COLOR_TYPE_RGB, true}, rgb)), same);
  const Picture grey = read_png(png_file({2, 9, 8, PNG_COLOR_TYPE_GRAY}, rgb), "grey");
  EXPECT_EQ(grey.shape(), (ImageShape{1, 2, 9}));
  EXPECT_EQ(grey.values, same);
  // One bit: black and white.
  EXPECT_EQ(read(png_file({1, 3, 1, PNG_COLOR_TYPE_GRAY}, "\xA0")), Bytes({255, 0, 255}));
  // 16 bits, rounded: 0x80FF / 257 = 128.49.
  EXPECT_EQ(read(png_file({1, 2, 16, PNG_COLOR_TYPE_GRAY}, std::string("\x80\xFF\xFF\xFF", 4))),
            Bytes({128, 255}));
  // A palette, and one with a half transparent colour.
  const std::vector<png_color> palette = {{1, 2, 3}, {200, 100, 50}};
  const std::string places("\0\1", 2);
  EXPECT_EQ(read(png_file({1, 2, 8, PNG_COLOR_TYPE_PALETTE}, places, palette)),
            Bytes({1, 2, 3, 200, 100, 50}));
  EXPECT_EQ(read(png_file({1, 2, 8, PNG_COLOR_TYPE_PALETTE}, places, palette, {0, 128})),
            Bytes({0, 0, 0, 100, 50, 25}));
  EXPECT_EQ(read(png_file({1, 2, 8, PNG_COLOR_TYPE_GRAY_ALPHA}, "\x64\xFF\x64\x80")),
            Bytes({100, 50}));
  EXPECT_EQ(
      read_png(png_file({1, 1, 8, PNG_COLOR_TYPE_RGB_ALPHA}, "\x64\x32\x0A\x80"), "a").shape(),
      (ImageShape{3, 1, 1}));
}

TEST(Pictures, Jpeg) {
  const std::string even(16 * 24 * 3, '\x64');
  for (const bool progressive : {false, true}) {
    const Picture picture = read_picture(jpeg_file(16, 24, 3, even, progressive), "jpeg");
    EXPECT_EQ(picture.shape(), (ImageShape{3, 16, 24}));
    for (const std::uint8_t value : picture.values) EXPECT_NEAR(value, 100, 1);
    EXPECT_EQ(read_jpeg(jpeg_file(4, 6, 1, even, progressive), "grey").shape(),
              (ImageShape{1, 4, 6}));
  }
  expect_error("CMYK", [&] { read_jpeg(jpeg_file(8, 8, 4, even, false, true), "cmyk"); });
}

TEST(Pictures, HostileFiles) {
  const auto read = [](const std::string& bytes) { read_picture(bytes, "picture"); };
  expect_errors_when_cut(png_file({5, 4}, counting(60)), read);
  expect_errors_when_cut(png_file({5, 4, 8, PNG_COLOR_TYPE_RGB, true}, counting(60)), read);
  // The last two bytes only say that it ends, but a file without them is not whole.
  expect_errors_when_cut(jpeg_file(16, 16, 3, counting(768)), read);
  expect_errors_when_cut(jpeg_file(16, 16, 1, counting(256), true), read);
  expect_error("neither", [&] { read("GIF89a"); });
  std::string absurd = png_file({5, 4, 8, PNG_COLOR_TYPE_GRAY}, counting(20));
  absurd.replace(16, 8, big_endian(8000) + big_endian(8000));
  absurd.replace(29, 4,
                 big_endian(static_cast<std::uint32_t>(
                     crc32(0, reinterpret_cast<const Bytef*>(absurd.data()) + 12, 17))));
  expect_error("8000 x 8000 pixels in", [&] { read(absurd); });
  std::string jpeg = jpeg_file(16, 16, 1, counting(256));
  const std::size_t frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");
  expect_error("65500 x 65500 pixels in", [&] { read(jpeg); });
}

TEST(Pictures, GreyValues) {
  const Picture picture{1, 4, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9}};
  EXPECT_EQ(to_grey(picture).values, Bytes({76, 150, 29, 9}));
}

// By the definition: for each new pixel the weighed mean of all old ones.
double slow_pixel(const Picture& picture, std::size_t height, std::size_t width, std::size_t row,
                  std::size_t column) {
  const auto weight = [](std::size_t from, std::size_t to, std::size_t i, std::size_t x) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double distance = static_cast<double>(x) + 0.5 - (static_cast<double>(i) + 0.5) * scale;
    return std::max(0.0, 1.0 - std::abs(distance) / std::max(scale, 1.0));
  };
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t y = 0; y < picture.height; ++y)
    for (std::size_t x = 0; x < picture.width; ++x) {
      const double w =
          weight(picture.height, height, row, y) * weight(picture.width, width, column, x);
      sum += w * picture.values[y * picture.width + x];
      weights += w;
    }
  return sum / weights;
}

TEST(Pictures, Resizing) {
  Picture picture{7, 10, 1, {}};
  for (std::size_t i = 0; i < 70; ++i)
    picture.values.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  EXPECT_EQ(resized(picture, 7, 10).values, picture.values);
  const std::pair<std::size_t, std::size_t> sizes[] = {{3, 4}, {7, 3}, {20, 10}, {1, 1}, {13, 29}};
  for (const auto& [height, width] : sizes) {
    const Picture small = resized(picture, height, width);
    ASSERT_EQ(small.shape(), (ImageShape{1, height, width}));
    for (std::size_t i = 0; i < small.values.size(); ++i)
      EXPECT_NEAR(small.values[i], slow_pixel(picture, height, width, i / width, i % width), 0.501);
  }
  const Picture even{4, 4, 3, Bytes(48, 255)};
  for (const std::uint8_t value : resized(even, 9, 3).values) EXPECT_EQ(value, 255);
  std::vector<std::uint8_t> planes = {99};
  append_planes({1, 2, 3, {1, 2, 3, 4, 5, 6}}, planes);
  EXPECT_EQ(planes, Bytes({99, 1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace uaspl
