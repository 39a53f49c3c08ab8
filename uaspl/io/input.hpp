// The bytes of a file: mapped where that is possible, read where it is a pipe or standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace uaspl {

// Reads from front to back. The view grows as bytes arrive; bytes that were passed may be given
// back, so that a pipe of any length needs little memory.
class Input {
 public:
  // "-" is standard input.
  explicit Input(const std::filesystem::path& path);
  // Text in memory, which must outlive this.
  Input(std::string_view text, std::string name)
      : name_(std::move(name)), view_(text), ended_(true) {}
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }  // for messages
  std::string_view view() const { return view_; }    // what is there now
  bool ended() const { return ended_; }              // there is no more to come

  // Drops the first `passed` bytes of the view if that makes room, and adds more to its end.
  // Returns the number of bytes dropped.
  std::size_t more(std::size_t passed);

  // All bytes at once, so that they can be read more than once.
  void read_all();

 private:
  [[noreturn]] void fail(const char* what) const;
  void grow(std::size_t bytes);

  std::string name_;
  int descriptor_ = -1;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string buffer_;  // of what cannot be mapped
  std::string_view view_;
  bool ended_ = false;
};

}  // namespace uaspl
