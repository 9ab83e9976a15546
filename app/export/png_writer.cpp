#include "app/export/png_writer.h"

#include <png.h>

#include <cmath>
#include <csetjmp>

namespace headlight::figures {
namespace {

void append_png(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}
void flush(png_structp) {}
void warn(png_structp, png_const_charp) {}  // warnings about metadata are not printed

// libpng reports errors by longjmp: no object with a destructor may be created here after setjmp.
bool write(std::string& out, png_bytepp rows, int width, int height, bool alpha, int dpi, png_textp texts, int text_count) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, warn);
  if (!png) return false;
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &out, append_png, flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), 8,
               alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level(png, 6);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (dpi > 0) {
    const auto per_metre = static_cast<png_uint_32>(std::lround(dpi / 0.0254));
    png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
  }
  if (text_count > 0) png_set_text(png, info, texts, text_count);
  png_write_info(png, info);
  if (!alpha) png_set_filler(png, 0, PNG_FILLER_AFTER);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

Result<std::string> encode_png(const Pixels& pixels, const PngText& text) {
  bool alpha = text.always_alpha;
  for (std::size_t i = 3; i < pixels.rgba.size() && !alpha; i += 4) alpha = pixels.rgba[i] != 255;
  std::vector<png_bytep> rows;
  rows.reserve(static_cast<std::size_t>(pixels.height));
  for (int y = 0; y < pixels.height; ++y)
    rows.push_back(
        const_cast<png_bytep>(pixels.rgba.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) * 4));
  std::vector<png_text> texts;
  char title_key[] = "Title", software_key[] = "Software", software[] = "Headlight", document_key[] = "headlight";
  const auto say = [&](char* key, const std::string& value, int compression) {
    png_text t{};
    t.compression = compression;
    t.key = key;
    t.text = const_cast<char*>(value.c_str());
    t.itxt_length = value.size();
    texts.push_back(t);
  };
  const std::string by = software;
  if (!text.title.empty()) say(title_key, text.title, PNG_ITXT_COMPRESSION_NONE);
  if (text.dpi > 0) say(software_key, by, PNG_ITXT_COMPRESSION_NONE);
  if (!text.document.empty()) say(document_key, text.document, PNG_ITXT_COMPRESSION_zTXt);
  std::string out;
  if (!write(out, rows.data(), pixels.width, pixels.height, alpha, text.dpi, texts.data(), static_cast<int>(texts.size()))) {
    return failure(ErrorKind::too_large, "the picture could not be packed as PNG").mend("make it smaller");
  }
  return out;
}

}  // namespace headlight::figures
