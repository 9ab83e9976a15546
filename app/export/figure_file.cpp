#include "app/export/figure_file.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <new>

#include "app/export/cairo_painter.h"
#include "app/export/embedded.h"
#include "app/export/figure_text.h"
#include "app/export/png_writer.h"
#include "app/export/svg_writer.h"
#include "engine/core/base64.h"
#include "engine/core/files.h"

namespace headlight::figures {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using Context = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

// A figure's point is a pixel of CSS, 1/96 inch; PDF counts in 1/72.
constexpr double kPointsPerInch = 96, kPdfScale = 72 / kPointsPerInch;

Error cairo_error(cairo_status_t status) {
  return {status == CAIRO_STATUS_NO_MEMORY ? ErrorKind::too_large : ErrorKind::internal,
          std::string("the picture could not be drawn: ") + cairo_status_to_string(status),
          {},
          "make it smaller"};
}

Result<std::string> png_of(const Figure& figure, const Theme& theme, const FileOptions& options) {
  if (options.dpi < kLeastDpi || options.dpi > kMostDpi) {
    return usage_error("the resolution " + std::to_string(options.dpi) + " is out of range", "--dpi",
                       "give a number from 72 to 1200");
  }
  const double scale = options.dpi / kPointsPerInch;
  const double wide = std::ceil(static_cast<double>(figure.width) * scale),
               high = std::ceil(static_cast<double>(figure.height) * scale);
  // Cairo's limit for a side; and 4 bytes a pixel, twice, have to fit in memory.
  constexpr double kMostSide = 32767, kMostPixels = 300e6;
  if (wide > kMostSide || high > kMostSide || wide * high > kMostPixels) {
    return Error{ErrorKind::too_large,
                 "a picture of " + std::to_string(static_cast<long>(wide)) + " x " + std::to_string(static_cast<long>(high)) +
                     " pixels is too large",
                 "--dpi", "give a lower resolution, a smaller size, or write SVG or PDF"};
  }
  Pixels pixels;
  pixels.width = std::max(1, static_cast<int>(wide));
  pixels.height = std::max(1, static_cast<int>(high));
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels.width, pixels.height), cairo_surface_destroy);
  {
    const Context cairo(cairo_create(surface.get()), cairo_destroy);
    cairo_scale(cairo.get(), scale, scale);
    paint(cairo.get(), figure, theme, scale);
    if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) return cairo_error(cairo_status(cairo.get()));
  }
  cairo_surface_flush(surface.get());
  pixels.rgba.resize(static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height) * 4);
  std::uint8_t* out = pixels.rgba.data();
  for (int y = 0; y < pixels.height; ++y) {
    const auto* row =
        reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(surface.get()) +
                                               static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(surface.get()));
    for (int x = 0; x < pixels.width; ++x) {
      const std::uint32_t p = row[x], a = p >> 24;
      for (const int shift : {16, 8, 0})
        *out++ = static_cast<std::uint8_t>(a == 0 ? 0 : std::min(255u, ((p >> shift & 255) * 255 + a / 2) / a));
      *out++ = static_cast<std::uint8_t>(a);
    }
  }
  return encode_png(pixels, {options.dpi, printable(figure.title), options.document});
}

cairo_status_t append(void* out, const unsigned char* data, unsigned size) {
  try {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

Result<std::string> pdf_of(const Figure& figure, const Theme& theme, const FileOptions& options) {
  std::string out;
  const Surface surface(
      cairo_pdf_surface_create_for_stream(append, &out, static_cast<double>(figure.width), static_cast<double>(figure.height)),
      cairo_surface_destroy);
  cairo_surface_t* pdf = surface.get();
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, printable(figure.title).c_str());
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "Headlight");
  // A fixed date, so that the same figure gives the same bytes.
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  if (!options.document.empty()) {
    const std::string keywords = std::string(kPdfDocumentMark) + to_base64(options.document);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_KEYWORDS, keywords.c_str());
  }
  {
    const Context cairo(cairo_create(pdf), cairo_destroy);
    cairo_scale(cairo.get(), kPdfScale, kPdfScale);
    paint(cairo.get(), figure, theme, 0);
    cairo_show_page(cairo.get());
    if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) return cairo_error(cairo_status(cairo.get()));
  }
  cairo_surface_finish(pdf);
  if (cairo_surface_status(pdf) != CAIRO_STATUS_SUCCESS) return cairo_error(cairo_surface_status(pdf));
  return out;
}

}  // namespace

std::optional<FileKind> file_kind(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".png") return FileKind::png;
  if (ending == ".svg") return FileKind::svg;
  if (ending == ".pdf") return FileKind::pdf;
  return {};
}

Result<std::string> encode_figure(const Figure& figure, FileKind kind, const Theme& theme, const FileOptions& options) {
  if (!(figure.width > 0) || !(figure.height > 0)) return invalid("the figure is empty", {}, "show something first");
  try {
    switch (kind) {
      case FileKind::png: return png_of(figure, theme, options);
      case FileKind::svg: return svg_of(figure, theme, options.document);
      case FileKind::pdf: return pdf_of(figure, theme, options);
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::too_large, "the picture does not fit in memory", {}, "give a lower resolution or a smaller size"};
  }
  return Error{ErrorKind::internal, "unknown kind of file", {}, {}};
}

Status save_figure(const std::filesystem::path& path, const Figure& figure, const Theme& theme, const FileOptions& options) {
  const std::optional<FileKind> kind = file_kind(path);
  if (!kind)
    return usage_error("the ending of the name says no kind of picture", path.string(), "end it with .png, .svg or .pdf");
  HL_ASSIGN(const std::string bytes, encode_figure(figure, *kind, theme, options));
  return write_file(path, bytes);
}

}  // namespace headlight::figures
