// Files that are there whole or not at all, and journals that stay.
#include "uaspl/io/file.hpp"

#include <filesystem>
#include <fstream>

#include "tests/support.hpp"
#include "uaspl/base/error.hpp"

namespace uaspl {
namespace {

namespace fs = std::filesystem;

TEST(AtomicFile, IsThereWholeOrNotAtAll) {
  const fs::path path = fs::temp_directory_path() / ("uaspl_file_" + std::to_string(::getpid()));
  {
    AtomicFile file(path);
    file.write("half");
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_FALSE(fs::exists(path.string() + ".part"));
  AtomicFile file(path);
  file.write("who");
  file.write("le");
  file.commit();
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "whole");
  EXPECT_FALSE(fs::exists(path.string() + ".part"));
  fs::remove(path);
  {
    Journal journal(path);
    journal.write("stays");
  }
  EXPECT_TRUE(fs::exists(path));
  fs::remove(path);
  EXPECT_THROW(AtomicFile("no/such/folder/file"), Error);
  EXPECT_THROW(AtomicFile{fs::temp_directory_path()}, Error);
}

}  // namespace
}  // namespace uaspl
