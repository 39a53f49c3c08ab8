// Reads PNG files with libpng.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image/picture.hpp"

namespace uaspl {
namespace {

// libpng leaves a call that fails by longjmp, so the calls are made in `guarded` work, in whose
// frames nothing has a destructor.
struct Png {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view rest;
  char problem[128] = "";

  explicit Png(std::string_view bytes) : rest(bytes) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    if (png) info = png_create_info_struct(png);
    if (!info) {
      png_destroy_read_struct(&png, nullptr, nullptr);
      throw Error("libpng could not be started");
    }
    png_set_read_fn(png, this, read);
  }
  ~Png() { png_destroy_read_struct(&png, &info, nullptr); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  template <typename Work>
  bool guarded(const Work& work) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    work();
    return true;
  }

  static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<Png*>(png_get_error_ptr(png));
    std::strncpy(self->problem, message, sizeof self->problem - 1);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep to, png_size_t count) {
    auto* self = static_cast<Png*>(png_get_io_ptr(png));
    if (count > self->rest.size()) png_error(png, "it ends too early");
    std::memcpy(to, self->rest.data(), count);
    self->rest.remove_prefix(count);
  }
};

// Asks libpng for bytes in 1 to 4 channels, whatever the file has.
void ask_for_bytes(Png& png) {
  png_set_expand(png.png);  // palettes, less than 8 bits, one transparent colour
  png_set_scale_16(png.png);
  png_set_interlace_handling(png.png);
  png_read_update_info(png.png, png.info);
}

// Removes the last channel, the opacity, by laying grey or RGB over black.
void lay_over_black(Picture& picture) {
  const std::size_t colours = picture.channels - 1;
  const std::size_t pixels = picture.values.size() / picture.channels;
  std::uint8_t* to = picture.values.data();
  const std::uint8_t* from = to;
  for (std::size_t i = 0; i < pixels; ++i, from += colours + 1) {
    const unsigned opaque = from[colours];
    for (std::size_t channel = 0; channel < colours; ++channel)
      *to++ = static_cast<std::uint8_t>((from[channel] * opaque + 127U) / 255U);
  }
  picture.channels = colours;
  picture.values.resize(pixels * colours);
}

}  // namespace

Picture read_png(std::string_view bytes, const std::string& name) {
  Png png(bytes);
  const auto run = [&](const auto& work) {
    if (!png.guarded(work)) throw Error(fmt::format("{}: damaged PNG ({})", name, png.problem));
  };
  run([&] {
    png_set_user_limits(png.png, 1 << 15, 1 << 15);
    png_set_chunk_cache_max(png.png, 100);
    png_set_chunk_malloc_max(png.png, 1 << 24);
    png_read_info(png.png, png.info);
  });
  Picture picture;
  picture.height = png_get_image_height(png.png, png.info);
  picture.width = png_get_image_width(png.png, png.info);
  // Packed data hold at most 1032 times their size.
  if (picture.height * picture.width > kMostPicturePixels ||
      picture.height * png_get_rowbytes(png.png, png.info) / 1032 > bytes.size())
    throw Error(fmt::format("{}: PNG of {} x {} pixels in {} bytes", name, picture.height,
                            picture.width, bytes.size()));
  run([&] { ask_for_bytes(png); });
  picture.channels = png_get_channels(png.png, png.info);
  const std::size_t line = png_get_rowbytes(png.png, png.info);
  picture.values.resize(picture.height * line);
  std::vector<png_bytep> rows(picture.height);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = picture.values.data() + i * line;
  run([&] {
    png_read_image(png.png, rows.data());
    png_read_end(png.png, nullptr);
  });
  if (picture.channels % 2 == 0) lay_over_black(picture);
  return picture;
}

}  // namespace uaspl
