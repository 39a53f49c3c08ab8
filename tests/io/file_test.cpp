// Files that are there whole or not at all, and files that stay under a known name.
#include "uaspl/io/file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "uaspl_file_XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }
  static std::string read(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static mode_t mode(const fs::path& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.push_back(entry.path().filename());
    std::ranges::sort(all);
    return all;
  }
  using Names = std::vector<std::string>;
  fs::path folder_;
};

void replace(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

using AtomicFiles = Files;
using KeptFiles = Files;

TEST_F(AtomicFiles, AreThereWholeOrNotAtAll) {
  {
    AtomicFile file(path("a"));
    file.write("half");
    EXPECT_FALSE(fs::exists(path("a")));
    EXPECT_EQ(names().size(), 1u);
  }
  EXPECT_EQ(names(), Names{});
  AtomicFile file(path("a"));
  file.write("who");
  file.write("le");
  file.commit();
  EXPECT_EQ(read(path("a")), "whole");
  EXPECT_EQ(names(), Names{"a"});
}

TEST_F(AtomicFiles, LeaveFilesOfOthersAlone) {
  write(path("m.part"), "mine");
  write(path("victim"), "precious");
  fs::create_symlink("victim", path("n.part"));
  replace(path("m"), "new");
  replace(path("n"), "new");
  EXPECT_EQ(read(path("m.part")), "mine");
  EXPECT_EQ(read(path("victim")), "precious");
  EXPECT_FALSE(fs::is_symlink(path("n")));
  EXPECT_EQ(names(), (Names{"m", "m.part", "n", "n.part", "victim"}));
}

TEST_F(AtomicFiles, KeepTheModeOfWhatTheyReplace) {
  for (const mode_t kept : {0600, 0640, 0664, 0444}) {
    write(path("a"), "old");
    fs::permissions(path("a"), fs::perms(kept));
    replace(path("a"), "new");
    EXPECT_EQ(mode(path("a")), kept);
    EXPECT_EQ(read(path("a")), "new");
    fs::remove(path("a"));
  }
  write(path("usual"), "");  // a new file gets what any new file gets
  replace(path("new"), "");
  EXPECT_EQ(mode(path("new")), mode(path("usual")));
}

TEST_F(AtomicFiles, AreNotReadableByOthersWhileTheyAreWritten) {
  write(path("a"), "old");
  fs::permissions(path("a"), fs::perms(0600));
  const AtomicFile file(path("a"));
  for (const std::string& name : names()) EXPECT_EQ(mode(path(name)), 0600u) << name;
}

TEST_F(AtomicFiles, FollowALinkToItsPlace) {
  fs::create_directory(path("deep"));
  fs::create_symlink("deep/target", path("link"));  // the target is not there yet
  fs::create_symlink("link", path("far"));
  replace(path("far"), "one");
  EXPECT_EQ(read(path("deep/target")), "one");
  replace(path("link"), "two");
  EXPECT_EQ(read(path("deep/target")), "two");
  EXPECT_TRUE(fs::is_symlink(path("link")) && fs::is_symlink(path("far")));
  fs::create_symlink("round", path("round"));
  EXPECT_NE(error_of([&] { AtomicFile(path("round")); }).find("round: cannot be written"),
            std::string::npos);
  AtomicFile device("/dev/null");
  device.write("gone");
  device.commit();
}

TEST_F(AtomicFiles, CanHaveTheLongestName) {
  const std::string longest = std::string(252, 'x') + "\xe2\x82\xac";  // 255 bytes
  replace(path(longest), "text");
  EXPECT_EQ(names(), Names{longest});
  EXPECT_NE(error_of([&] { AtomicFile(path(longest + "x")); }).find("cannot be written"),
            std::string::npos);
  EXPECT_THROW(AtomicFile("no/such/folder/file"), Error);
  EXPECT_THROW(AtomicFile{folder_}, Error);
  EXPECT_THROW(AtomicFile(path("new/")), Error);
  EXPECT_THROW(AtomicFile(""), Error);
}

TEST_F(AtomicFiles, OfTwoWritersOneWins) {
  const auto text = [](char letter) { return std::string(100'000, letter); };
  for (int i = 0; i < 30; ++i) {
    const auto writer = [&](char letter) {
      AtomicFile file(path("a"));
      for (int k = 0; k < 100; ++k) file.write(std::string(1000, letter));
      file.commit();
    };
    std::thread other(writer, 'b');
    writer('a');
    other.join();
    const std::string whole = read(path("a"));
    EXPECT_TRUE(whole == text('a') || whole == text('b'));
    EXPECT_EQ(names(), Names{"a"});
  }
}

// Runs `work` in a child process, which ends without destructors, as by a signal.
void in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(AtomicFiles, AreRemovedWhenASignalEndsTheProgram) {
  std::vector<std::unique_ptr<AtomicFile>> more;
  in_child([&] {
    for (int i = 0; i < 20; ++i)
      more.push_back(std::make_unique<AtomicFile>(path("f" + std::to_string(i))));
    replace(path("done"), "stays");
    remove_temporary_files();
    remove_temporary_files();
  });
  EXPECT_EQ(names(), Names{"done"});
  AtomicFile mine(path("mine"));  // not the child's
  in_child([] { remove_temporary_files(); });
  mine.commit();
  EXPECT_EQ(names(), (Names{"done", "mine"}));
}

TEST_F(AtomicFiles, MoreThanTheListHasRoomFor) {
  {
    std::vector<std::unique_ptr<AtomicFile>> all;
    for (int i = 0; i < 100; ++i)
      all.push_back(std::make_unique<AtomicFile>(path("f" + std::to_string(i))));
    for (int i = 0; i < 50; ++i) all[static_cast<std::size_t>(i)]->commit();
  }
  EXPECT_EQ(names().size(), 50u);
}

TEST_F(KeptFiles, StayAndAreTakenUpAgain) {
  {
    KeptFile file(path("j"), KeptFile::Begin::kNew);
    file.write("one");
  }
  EXPECT_NE(error_of([&] { KeptFile(path("j"), KeptFile::Begin::kNew); }).find("is already there"),
            std::string::npos);
  {
    KeptFile file(path("j"), KeptFile::Begin::kAppend);
    EXPECT_EQ(file.size(), 3u);
    EXPECT_EQ(file.read_all(), "one");
    file.write("two more");
    EXPECT_EQ(file.read_all(), "onetwo more");
    file.cut(6);
  }
  EXPECT_EQ(read(path("j")), "onetwo");
  KeptFile file(path("j"), KeptFile::Begin::kEmpty);
  EXPECT_EQ(file.size(), 0u);
  file.write("wrong");
  file.empty();
  file.write("three");
  file.put_in_place(path("final"));
  EXPECT_EQ(read(path("final")), "three");
  EXPECT_EQ(names(), Names{"final"});
}

TEST_F(KeptFiles, AreNeverSomethingElse) {
  write(path("victim"), "precious");
  fs::create_symlink("victim", path("link"));
  fs::create_symlink("nowhere", path("dangling"));
  fs::create_hard_link(path("victim"), path("hard"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_directory(path("folder"));
  for (const auto begin :
       {KeptFile::Begin::kNew, KeptFile::Begin::kAppend, KeptFile::Begin::kEmpty})
    for (const char* name : {"link", "dangling", "hard", "pipe", "folder"})
      EXPECT_NE(error_of([&] { KeptFile(path(name), begin); }).find(name), std::string::npos);
  EXPECT_NE(error_of([&] { KeptFile(path("link"), KeptFile::Begin::kEmpty); }).find("is a link"),
            std::string::npos);
  EXPECT_NE(error_of([&] { KeptFile(path("hard"), KeptFile::Begin::kEmpty); }).find("second name"),
            std::string::npos);
  EXPECT_EQ(read(path("victim")), "precious");
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

TEST_F(KeptFiles, HaveOneWriter) {
  {
    KeptFile file(path("part"), KeptFile::Begin::kAppend);
    file.write("mine");
    const std::string error = error_of([&] { KeptFile(path("part"), KeptFile::Begin::kEmpty); });
    EXPECT_NE(error.find("another program is writing it"), std::string::npos) << error;
  }
  EXPECT_EQ(read(path("part")), "mine");
  KeptFile(path("part"), KeptFile::Begin::kAppend).remove();
  EXPECT_EQ(names(), Names{});
}

}  // namespace
}  // namespace uaspl
