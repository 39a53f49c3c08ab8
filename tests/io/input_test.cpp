// Files and pipes: what arrives, in how much memory, and files that change while they are read.
#include "uaspl/io/input.hpp"

#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/clock.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMegabyte = 1 << 20;

// Bytes that are different at each place.
std::string some_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  Stream stream(1, "bytes");
  for (char& c : bytes) c = static_cast<char>('a' + stream.below(26));
  return bytes;
}

class InputTest : public ::testing::Test {
 protected:
  fs::path write(const std::string& bytes) const {
    std::ofstream(folder.path() / "file", std::ios::binary) << bytes;
    return folder.path() / "file";
  }

  // Everything, in pieces; the most that was in view goes to `widest`.
  static std::string all_of(Input& input, std::size_t& widest) {
    std::string all;
    input.pass([&](std::string_view bytes) {
      all += bytes;
      widest = std::max(widest, bytes.size());
    });
    return all;
  }

  static std::string error_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder;
};

TEST_F(InputTest, AFileOfAnyLengthNeedsLittleMemoryAndIsReadAgain) {
  const std::string bytes = some_bytes(5 * kMegabyte);
  Input input(write(bytes));
  std::size_t widest = 0;
  EXPECT_EQ(all_of(input, widest), bytes);
  EXPECT_EQ(all_of(input, widest), bytes);
  EXPECT_LE(widest, kMegabyte);
  input.read_all();
  EXPECT_EQ(input.view(), bytes);
  EXPECT_EQ(all_of(input, widest), bytes);
}

TEST_F(InputTest, EmptyFilesAndThoseOfTheSystem) {
  Input empty(write(""));
  empty.read_all();
  EXPECT_TRUE(empty.ended());
  EXPECT_EQ(empty.view(), "");
  Input system("/proc/self/cmdline");  // says that it has no bytes
  system.read_all();
  EXPECT_FALSE(system.view().empty());
}

TEST_F(InputTest, BytesThatWereNotPassedStay) {
  const std::string bytes = some_bytes(3 * kMegabyte);
  Input input(write(bytes));
  std::size_t place = 0;
  while (!input.ended()) {
    ASSERT_EQ(input.view(), bytes.substr(place, input.view().size()));
    place += input.more(input.view().size() - std::min<std::size_t>(input.view().size(), 1000));
  }
  EXPECT_EQ(place + input.view().size(), bytes.size());
}

TEST_F(InputTest, AFileThatIsCutOffIsAnError) {
  const fs::path path = write(some_bytes(3 * kMegabyte));
  const std::string expected = path.string() + ": changed while it was read";
  const auto read_on = [](Input& input) {
    return error_of([&] {
      while (!input.ended()) input.more(input.view().size());
    });
  };
  Input input(path);
  input.more(0);
  fs::resize_file(path, kMegabyte);
  EXPECT_EQ(read_on(input), expected);
  Input whole(path);
  fs::resize_file(path, 0);
  EXPECT_EQ(error_of([&] { whole.read_all(); }), expected);
}

TEST_F(InputTest, AFileThatChangesBetweenTwoPassesIsAnError) {
  const fs::path path = write(some_bytes(3 * kMegabyte));
  Input input(path);
  std::size_t widest = 0;
  all_of(input, widest);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
  EXPECT_EQ(error_of([&] { all_of(input, widest); }),
            path.string() + ": changed while it was read");
}

TEST_F(InputTest, AFolderIsNoFile) {
  EXPECT_EQ(error_of([&] { Input input(folder.path()); }),
            folder.path().string() + ": is a directory, expected a file");
}

// Each piece of a pipe is at most 64 KB. Reading one took a time that grew with the square of its
// length: a minute for this one, which takes half a second.
TEST_F(InputTest, ALongPipeIsReadInLinearTime) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string piece = some_bytes(kMegabyte);
  constexpr std::size_t kPieces = 400;
  std::thread writer([&] {
    for (std::size_t i = 0; i < kPieces; ++i)
      for (std::size_t at = 0; at < piece.size();) {
        const ssize_t put = ::write(ends[1], piece.data() + at, piece.size() - at);
        if (put <= 0) return;
        at += static_cast<std::size_t>(put);
      }
    ::close(ends[1]);
  });
  const auto start = Clock::now();
  Input input("/dev/fd/" + std::to_string(ends[0]));
  input.keep_rewindable();
  EXPECT_LT(seconds_since(start), 30.0);
  writer.join();
  ::close(ends[0]);
  std::size_t widest = 0;
  input.pass([&](std::string_view bytes) { widest = bytes.size(); });
  EXPECT_EQ(widest, kPieces * kMegabyte);
  EXPECT_EQ(input.view().substr(17 * kMegabyte, kMegabyte), piece);
}

}  // namespace
}  // namespace uaspl
