// Reads the bytes of a file: it is mapped if possible, and read if it is a pipe or standard input.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace uaspl {

// Reads from front to back. The view grows as bytes arrive; bytes that were passed may be dropped,
// so that a pipe of any length needs little memory.
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
  std::string_view view() const { return view_; }    // the bytes there now
  bool ended() const { return ended_; }              // no more bytes will come

  // Drops the first `passed` bytes of the view if that makes room, and adds more to its end.
  // Returns the number of bytes dropped.
  std::size_t more(std::size_t passed);

  // Reads all bytes, so that they can be passed more than once.
  void read_all();

 private:
  [[noreturn]] void fail(const char* what) const;
  void grow(std::size_t bytes);

  std::string name_;
  int descriptor_ = -1;
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string buffer_;  // bytes of a file that cannot be mapped
  std::string_view view_;
  bool ended_ = false;
};

}  // namespace uaspl
