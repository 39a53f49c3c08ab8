// Small image files of all kinds, made in memory.
#pragma once

#include <cstdio>

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace uaspl::testing {

inline std::string packed(const std::string& bytes, int window) {
  z_stream z{};
  if (deflateInit2(&z, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}
inline std::string gzipped(const std::string& bytes) { return packed(bytes, MAX_WBITS + 16); }
inline std::string zlibbed(const std::string& bytes) { return packed(bytes, MAX_WBITS); }

inline std::string big_endian(std::uint32_t number) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xFF);
  return text;
}
inline std::string little_endian(std::uint32_t number) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(number >> shift & 0xFF);
  return text;
}

// Bytes 0, 1, 2, ... from some number on.
inline std::string counting(std::size_t count, std::size_t from = 0) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(from + i);
  return text;
}

inline std::string idx_images(std::uint32_t count, std::uint32_t height, std::uint32_t width,
                              const std::string& pixels) {
  return std::string("\0\0\10\3", 4) + big_endian(count) + big_endian(height) + big_endian(width) +
         pixels;
}
inline std::string idx_labels(const std::string& labels) {
  return std::string("\0\0\10\1", 4) + big_endian(static_cast<std::uint32_t>(labels.size())) +
         labels;
}

inline std::string cifar_record(int label, std::size_t from) {
  return std::string(1, static_cast<char>(label)) + counting(3072, from);
}

inline std::string tar_member(const std::string& name, const std::string& bytes, char kind = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) {
    header.replace(at, text.size(), text);
  };
  char number[16];
  put(0, name);
  std::snprintf(number, sizeof number, "%011zo", bytes.size());
  put(124, number);
  put(148, "        ");
  header[156] = kind;
  put(257, "ustar");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(number, sizeof number, "%06o", sum);
  put(148, std::string(number) + '\0' + ' ');
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

// An element of a MAT file, padded to eight bytes.
inline std::string mat_element(std::uint32_t type, const std::string& bytes) {
  return little_endian(type) + little_endian(static_cast<std::uint32_t>(bytes.size())) + bytes +
         std::string((8 - bytes.size() % 8) % 8, '\0');
}
inline std::string mat_matrix(const std::string& name, std::uint32_t matrix_class,
                              const std::vector<std::uint32_t>& lengths, const std::string& data) {
  std::string dimensions;
  for (const std::uint32_t length : lengths) dimensions += little_endian(length);
  std::string small_name = little_endian(1U | static_cast<std::uint32_t>(name.size()) << 16) + name;
  small_name.resize(8);
  return mat_element(14, mat_element(6, little_endian(matrix_class) + little_endian(0)) +
                             mat_element(5, dimensions) + small_name + data);
}
inline std::string mat_packed(const std::string& element) {
  const std::string bytes = zlibbed(element);
  return little_endian(15) + little_endian(static_cast<std::uint32_t>(bytes.size())) + bytes;
}
inline std::string mat_file(const std::string& elements) {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\0\1IM", 4) + elements;
}

// `colour` and `depth` as in PNG's header; `values` as they are stored there.
struct PngForm {
  std::uint32_t height;
  std::uint32_t width;
  int depth = 8;
  int colour = PNG_COLOR_TYPE_RGB;
  bool interlaced = false;
};
inline std::string png_file(const PngForm& form, const std::string& values,
                            const std::vector<png_color>& palette = {},
                            const std::vector<png_byte>& opaque = {}) {
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &out,
      [](png_structp p, png_bytep bytes, png_size_t count) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(bytes), count);
      },
      nullptr);
  png_set_IHDR(png, info, form.width, form.height, form.depth, form.colour,
               form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  if (!opaque.empty())
    png_set_tRNS(png, info, opaque.data(), static_cast<int>(opaque.size()), nullptr);
  png_write_info(png, info);
  const std::size_t line = png_get_rowbytes(png, info);
  std::string copy = values;
  copy.resize(line * form.height);
  std::vector<png_bytep> rows;
  for (std::size_t i = 0; i < form.height; ++i)
    rows.push_back(reinterpret_cast<png_bytep>(copy.data()) + i * line);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

inline std::string jpeg_file(unsigned height, unsigned width, int channels, std::string values,
                             bool progressive = false, bool cmyk = false) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_height = height;
  jpeg.image_width = width;
  jpeg.input_components = channels;
  jpeg.in_color_space = cmyk ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  jpeg_start_compress(&jpeg, TRUE);
  for (unsigned row = 0; row < height; ++row) {
    auto* line = reinterpret_cast<JSAMPROW>(values.data()) +
                 static_cast<std::size_t>(row) * width * static_cast<std::size_t>(channels);
    jpeg_write_scanlines(&jpeg, &line, 1);
  }
  jpeg_finish_compress(&jpeg);
  std::string out(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&jpeg);
  std::free(bytes);
  return out;
}

}  // namespace uaspl::testing
