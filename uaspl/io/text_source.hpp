// Makes UTF-8 of a text while it is read: of UTF-16, and of single bytes that only Windows-1252
// (which Latin-1 is a part of) explains.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "uaspl/io/input.hpp"

namespace uaspl {

// What comes out is UTF-8. A file that is UTF-8 passes without being copied. Where nothing else
// says so, the encoding is found byte by byte: what is not UTF-8 is Windows-1252. So a stream needs
// no second look, and what was joined from files of both kinds is read rightly.
class TextSource final : public ByteSource {
 public:
  // Looks at the first bytes. Throws an Error that says what they are if they are no text; `name`
  // is for messages.
  TextSource(std::unique_ptr<ByteSource> bytes, std::string name);
  std::size_t read(char* to, std::size_t room) override;
  void rewind() override;

  // What was done, in sentences for people.
  std::vector<std::string> notes() const;

 private:
  enum class Encoding { kUtf8, kUtf16Little, kUtf16Big };
  void look();
  void fill(std::size_t enough);
  std::size_t read_in_place(char* to, std::size_t room);
  void convert(std::string_view bytes);
  void convert_byte(std::string_view bytes, std::size_t at, std::size_t place);
  void convert_wide();
  [[noreturn]] void fail_at(std::size_t place, std::string_view what) const;

  std::unique_ptr<ByteSource> bytes_;
  std::string name_;
  Encoding encoding_ = Encoding::kUtf8;
  std::string held_;         // bytes that were read and not looked at, or are no whole character
  bool ended_ = false;       // there are no bytes after those
  std::size_t place_ = 0;    // of the first byte that is held
  std::string converted_;    // text that is to be handed out
  std::size_t handed_ = 0;   // so much of it was
  std::size_t strange_ = 0;  // bytes that were not UTF-8
  std::size_t counted_ = 0;  // they are counted up to this place
  std::string example_;      // the word around the first of them
};

}  // namespace uaspl
