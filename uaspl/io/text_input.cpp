// Puts together what makes text of bytes, see text_input.hpp.
#include "uaspl/io/text_input.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "uaspl/base/text.hpp"
#include "uaspl/io/gunzip.hpp"
#include "uaspl/io/unpack.hpp"

namespace uaspl {
namespace {

// A record of a packed file may have so many bytes, or a few kilobytes could ask for any memory.
constexpr std::size_t kLongestPacked = std::size_t{1} << 24;

}  // namespace

// The bytes of an Input as a source. A file is read past the Input's own view, to where the bytes
// are wanted; those of a pipe go through it.
class TextInput::Bytes final : public ByteSource {
 public:
  explicit Bytes(Input& input) : input_(input) {}

  std::size_t read(char* to, std::size_t room) override {
    if (input_.is_file()) {
      const std::size_t got = input_.read_at(at_, to, room);
      at_ += got;
      return got;
    }
    if (at_ == input_.view().size()) at_ -= input_.more(keep_ ? 0 : at_);
    const std::size_t got = std::min(room, input_.view().size() - at_);
    if (got > 0) std::memcpy(to, input_.view().data() + at_, got);
    at_ += got;
    return got;
  }
  void rewind() override {
    at_ = 0;
    if (!input_.is_file()) input_.rewind();
  }
  void forget() { keep_ = false; }

 private:
  Input& input_;
  std::size_t at_ = 0;  // in the file, or in the view
  bool keep_ = true;
};

TextInput::TextInput(Input& bytes) : bytes_(bytes) {
  constexpr std::size_t kMagic = 2;  // bytes of gzip's
  while (bytes.view().size() < kMagic && !bytes.ended()) bytes.more(0);
  const bool packed = is_gzip(bytes.view());
  auto lowest = std::make_unique<Bytes>(bytes);
  lowest_ = lowest.get();
  std::unique_ptr<ByteSource> source = std::move(lowest);
  if (packed) source = std::make_unique<GunzipSource>(std::move(source), bytes.name());
  auto decoded = std::make_unique<TextSource>(std::move(source), bytes.name());
  // What is in memory and needs nothing is not copied.
  const bool as_it_is =
      !packed && bytes.ended() && wide_encoding(bytes.view()).empty() && is_utf8(bytes.view());
  if (as_it_is) return;
  decoded_ = decoded.get();
  own_ = std::make_unique<Input>(std::move(decoded), bytes.name(),
                                 packed ? kLongestPacked : static_cast<std::size_t>(-1));
}

TextInput::~TextInput() = default;

void TextInput::forget_bytes() {
  if (own_) lowest_->forget();
}

std::vector<std::string> TextInput::notes() const {
  return decoded_ ? decoded_->notes() : std::vector<std::string>();
}

}  // namespace uaspl
