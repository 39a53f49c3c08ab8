// Reads JPEG files with libjpeg.
#include <fmt/format.h>

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>
// This must follow jpeglib.h, which it needs.
#include <jerror.h>

#include "uaspl/base/error.hpp"
#include "uaspl/data/image/picture.hpp"

namespace uaspl {
namespace {

// A scan of a progressive file costs a walk over the whole picture; real ones have about ten.
constexpr int kMostScans = 100;

// libjpeg leaves a call that fails by longjmp, so the calls are made in `guarded` work, in whose
// frames nothing has a destructor.
struct Jpeg {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf jump{};
  char problem[JMSG_LENGTH_MAX] = "";

  Jpeg() {
    jpeg.err = jpeg_std_error(&errors);
    jpeg.client_data = this;
    errors.error_exit = fail;
    errors.emit_message = take_message;
    progress.progress_monitor = watch_scans;
  }
  ~Jpeg() { jpeg_destroy_decompress(&jpeg); }
  Jpeg(const Jpeg&) = delete;
  Jpeg& operator=(const Jpeg&) = delete;

  template <typename Work>
  bool guarded(const Work& work) {
    if (setjmp(jump) != 0) return false;
    work();
    return true;
  }

  [[noreturn]] static void fail(j_common_ptr common) {
    auto* self = static_cast<Jpeg*>(common->client_data);
    common->err->format_message(common, self->problem);
    std::longjmp(self->jump, 1);
  }
  // Ignores only warnings that leave the picture whole.
  static void take_message(j_common_ptr common, int level) {
    const int code = common->err->msg_code;
    if (level < 0 && code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM &&
        code != JWRN_JFIF_MAJOR)
      fail(common);
  }
  static void watch_scans(j_common_ptr common) {
    auto* self = static_cast<Jpeg*>(common->client_data);
    if (self->jpeg.input_scan_number <= kMostScans) return;
    std::snprintf(self->problem, sizeof self->problem, "more than %d scans", kMostScans);
    std::longjmp(self->jump, 1);
  }
};

}  // namespace

Picture read_jpeg(std::string_view bytes, const std::string& name) {
  Jpeg state;
  jpeg_decompress_struct& jpeg = state.jpeg;
  const auto run = [&](const auto& work) {
    if (!state.guarded(work))
      throw Error(fmt::format("{}: damaged JPEG ({})", name, state.problem));
  };
  run([&] {
    jpeg_create_decompress(&jpeg);
    jpeg.progress = &state.progress;
    jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&jpeg, TRUE);
  });
  Picture picture{jpeg.image_height, jpeg.image_width, 0, {}};
  // A block of 8 x 8 pixels takes a bit or more, here even with four times coarser channels.
  if (picture.height * picture.width > kMostPicturePixels ||
      picture.height * picture.width / 4096 > bytes.size())
    throw Error(fmt::format("{}: JPEG of {} x {} pixels in {} bytes", name, picture.height,
                            picture.width, bytes.size()));
  if (jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK)
    throw Error(fmt::format("{}: JPEG in CMYK, expected grey or RGB", name));
  run([&] {
    jpeg.out_color_space = jpeg.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&jpeg);
  });
  picture.channels = static_cast<std::size_t>(jpeg.output_components);
  const std::size_t line = picture.width * picture.channels;
  picture.values.resize(picture.height * line);
  run([&] {
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = picture.values.data() + jpeg.output_scanline * line;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
  });
  return picture;
}

}  // namespace uaspl
