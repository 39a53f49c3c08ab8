// Reads the bytes of a file, a pipe, standard input or of another source from front to back. Files
// are not mapped: one that is cut off meanwhile would end the program.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace uaspl {

// Bytes that are no file's own: unpacked or converted ones, made while they are read.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Waits for at least one byte and returns how many there are; 0 means that there are no more.
  virtual std::size_t read(char* to, std::size_t room) = 0;

  // Begins again from the first byte.
  virtual void rewind() = 0;
};

// The view grows as bytes arrive; bytes that were passed may be dropped, so that a file or a pipe
// of any length needs little memory.
class Input {
 public:
  // "-" is standard input.
  explicit Input(const std::filesystem::path& path);
  // Text in memory, which must outlive this.
  Input(std::string_view text, std::string name)
      : name_(std::move(name)), view_(text), ended_(true) {}
  // Bytes of a source. A record that needs more than `longest` of them in the view is an Error: a
  // few packed bytes may claim any number.
  Input(std::unique_ptr<ByteSource> source, std::string name,
        std::size_t longest = static_cast<std::size_t>(-1))
      : name_(std::move(name)), source_(std::move(source)), longest_(longest) {}
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  const std::string& name() const { return name_; }  // for messages
  std::string_view view() const { return view_; }    // the bytes there now
  bool ended() const { return ended_; }              // no more bytes will come

  // Drops the first `passed` bytes of the view, and adds more to its end; as many as are left, if
  // these are many, so that a record of any length is read in linear time. Returns the number of
  // bytes dropped. Throws an Error if the file is no longer what it was when it was opened.
  std::size_t more(std::size_t passed);

  // Reads all bytes, which stay in the view.
  void read_all();

  // Begins again from the first byte; allowed after keep_rewindable() or as long as nothing was
  // dropped.
  void rewind();

  // Makes sure that rewind() is possible: a pipe is read into memory, a file can be read again, and
  // so can a source.
  void keep_rewindable();

  // Reads bytes of a file that can be read again from any place, whatever the view shows. Returns 0
  // behind its end.
  bool is_file() const { return stamp_.has_value(); }
  std::size_t read_at(std::size_t place, char* to, std::size_t room) const;

  // Hands all bytes to `take`, from the first on and piece by piece, and begins again.
  template <typename Take>
  void pass(Take take) {
    rewind();
    for (take(view_); !ended_; take(view_)) more(view_.size());
    rewind();
  }

 private:
  // What is known of a file that can be read again; it must not change.
  struct Stamp {
    off_t bytes;
    std::timespec modified;
  };
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };

  [[noreturn]] void fail(const char* what) const;
  void reserve(std::size_t bytes);
  void read_some();
  std::size_t read_pipe(char* to, std::size_t room) const;
  void check_unchanged() const;

  std::string name_;
  std::unique_ptr<ByteSource> source_;  // none: a file, a pipe or text in memory
  std::size_t longest_ = static_cast<std::size_t>(-1);
  int descriptor_ = -1;
  std::optional<Stamp> stamp_;            // none: a pipe
  std::unique_ptr<char[], Free> buffer_;  // of a file; not filled with zeros when it grows
  std::size_t capacity_ = 0;              // of the buffer
  std::size_t dropped_ = 0;               // bytes before the view
  std::string_view view_;
  bool ended_ = false;
};

}  // namespace uaspl
