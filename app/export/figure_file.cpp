#include "app/export/figure_file.h"

#include <cairo-pdf.h>
#include <cairo.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <new>

#include "app/export/cairo_painter.h"
#include "app/export/figure_text.h"
#include "app/export/png_writer.h"
#include "app/export/raster.h"
#include "app/export/svg_writer.h"
#include "app/files/embedded.h"
#include "app/files/picture_name.h"
#include "engine/core/base64.h"
#include "engine/core/files.h"

namespace headlight::figures {
namespace {

using PdfSurface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using PdfContext = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

// A figure's point is a CSS pixel, 1/96 inch; PDF's is 1/72 inch.
constexpr double kPdfScale = 72.0 / 96;

Result<std::string> png_of(const Figure& figure, const Theme& theme, const FileOptions& options) {
  if (options.dpi < kLeastDpi || options.dpi > kMostDpi) {
    return usage_error("the resolution {} is out of range", options.dpi).at("--dpi").mend("give a number from 72 to 1200");
  }
  HL_ASSIGN(const Pixels pixels, rasterise(figure, theme, options.dpi, 0, 0, options.unit != Length::none));
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

Result<std::string> pdf_of(const std::vector<const Figure*>& pages, const Theme& theme, const FileOptions& options) {
  const Figure& figure = *pages.front();
  std::string out;
  const PdfSurface surface(
      cairo_pdf_surface_create_for_stream(append, &out, static_cast<double>(figure.width), static_cast<double>(figure.height)),
      cairo_surface_destroy);
  cairo_surface_t* pdf = surface.get();
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, printable(figure.title).c_str());
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "Headlight");
  // The date is fixed, so that the same figure gives the same bytes.
  cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  if (!options.document.empty()) {
    const std::string keywords = std::string(kDocumentMark) + to_base64(options.document);
    cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_KEYWORDS, keywords.c_str());
  }
  {
    const PdfContext cairo(cairo_create(pdf), cairo_destroy);
    for (const Figure* page : pages) {
      cairo_pdf_surface_set_size(pdf, static_cast<double>(page->width) * kPdfScale,
                                 static_cast<double>(page->height) * kPdfScale);
      cairo_save(cairo.get());
      cairo_scale(cairo.get(), kPdfScale, kPdfScale);
      paint(cairo.get(), *page, theme, 0);
      cairo_restore(cairo.get());
      cairo_show_page(cairo.get());
    }
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
  if (!(figure.width > 0) || !(figure.height > 0)) return invalid("the figure is empty").mend("show something first");
  try {
    switch (kind) {
      case FileKind::png: return png_of(figure, theme, options);
      case FileKind::svg: return svg_of(figure, theme, options.document, options.unit);
      case FileKind::pdf: return pdf_of({&figure}, theme, options);
    }
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "the picture does not fit in memory").mend("give a lower resolution or a smaller size");
  }
  return failure(ErrorKind::internal, "unknown kind of file");
}

Result<std::string> encode_pages(const std::vector<Figure>& pages, const Theme& theme, const FileOptions& options) {
  if (pages.empty()) return invalid("there are no pages").mend("show something first");
  std::vector<const Figure*> list;
  for (const Figure& page : pages) list.push_back(&page);
  try {
    return pdf_of(list, theme, options);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "the pages do not fit in memory").mend("give a shorter text");
  }
}

Status save_figure(const std::filesystem::path& path, const Figure& figure, const Theme& theme, const FileOptions& options) {
  const std::optional<FileKind> kind = file_kind(path);
  HL_TRY(check_picture_name(path));
  if (!kind)
    return usage_error("the ending of the name says no kind of picture").at(path.string()).mend("end it with .png, .svg or .pdf");
  HL_ASSIGN(const std::string bytes, encode_figure(figure, *kind, theme, options));
  return write_file(path, bytes);
}

}  // namespace headlight::figures
