// Opens a text whatever its bytes are: packed by gzip or not, in UTF-8, UTF-16 or Windows-1252.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "uaspl/io/input.hpp"
#include "uaspl/io/text_source.hpp"

namespace uaspl {

class TextInput {
 public:
  // The bytes must outlive this, and nobody else may read them as long as text() is read, except
  // for Input::pass(). Throws an Error that says what the bytes are if they are no text.
  explicit TextInput(Input& bytes);
  ~TextInput();
  TextInput(const TextInput&) = delete;
  TextInput& operator=(const TextInput&) = delete;

  Input& text() { return own_ ? *own_ : bytes_; }  // in UTF-8

  // Until forget_bytes(), all bytes of a pipe are kept, and keep_rewindable() makes sure that
  // text() can be read again: a pipe is read into memory, as packed as it comes.
  void keep_rewindable() { bytes_.keep_rewindable(); }
  void forget_bytes();

  // What was done to the bytes, in sentences for people.
  std::vector<std::string> notes() const;

 private:
  class Bytes;
  Input& bytes_;
  Bytes* lowest_ = nullptr;  // they are owned by what reads them
  TextSource* decoded_ = nullptr;
  std::unique_ptr<Input> own_;  // none: the bytes are the text
};

}  // namespace uaspl
