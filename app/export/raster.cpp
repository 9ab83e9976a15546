#include "app/export/raster.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/export/cairo_painter.h"

namespace headlight::figures {
namespace {

using RasterSurface = std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)>;
using RasterContext = std::unique_ptr<cairo_t, void (*)(cairo_t*)>;

constexpr double kPointsPerInch = 96;

}  // namespace

Result<Pixels> rasterise(const Figure& figure, const Theme& theme, int dpi, int width, int height, bool nearest) {
  const double scale = dpi / kPointsPerInch;
  const auto whole = [&](float points) {
    const double pixels = static_cast<double>(points) * scale;
    return nearest ? std::round(pixels) : std::ceil(pixels);
  };
  const double wide = whole(figure.width), high = whole(figure.height);
  // Cairo's limit for a side; and two copies of 4 bytes a pixel must fit in memory.
  constexpr double kMostSide = 32767, kMostPixels = 300e6;
  if (wide > kMostSide || high > kMostSide || wide * high > kMostPixels) {
    return failure(ErrorKind::too_large, "a picture of {} x {} pixels is too large", static_cast<long>(wide),
                   static_cast<long>(high))
        .at("--dpi")
        .mend("give a lower resolution, a smaller size, or write SVG or PDF");
  }
  Pixels pixels;
  pixels.width = width > 0 ? width : std::max(1, static_cast<int>(wide));
  pixels.height = height > 0 ? height : std::max(1, static_cast<int>(high));
  const RasterSurface surface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, pixels.width, pixels.height),
                              cairo_surface_destroy);
  {
    const RasterContext cairo(cairo_create(surface.get()), cairo_destroy);
    if (width > 0) {  // a film's frames are opaque
      const Color ground = figure.background.a > 0 ? figure.background : theme.background;
      cairo_set_source_rgb(cairo.get(), static_cast<double>(ground.r), static_cast<double>(ground.g),
                           static_cast<double>(ground.b));
      cairo_paint(cairo.get());
    }
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
  return pixels;
}

}  // namespace headlight::figures
