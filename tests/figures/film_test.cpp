// Films: other programs read them, and every frame has the pixels and the duration it was given.
#include <cairo.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/export/color_palette.h"
#include "app/export/film_file.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/files/embedded.h"
#include "engine/core/files.h"
#include "tests/figures/figure_items.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

namespace fs = std::filesystem;

class Films : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headlight-films-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string output(const std::string& command) const {
    const fs::path file = folder / "output";
    return std::system((command + " > '" + file.string() + "' 2>/dev/null").c_str()) == 0 ? read_file(file).value() : "failed";
  }
  fs::path folder;
};

constexpr int kWidth = 61, kHeight = 37;

// A square that moves over a background of 100 colours.
Pixels frame(int index) {
  Pixels p;
  p.width = kWidth;
  p.height = kHeight;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool square = x >= 3 * index && x < 3 * index + 8 && y >= 5 && y < 13;
      const auto shade = static_cast<std::uint8_t>((x * 7 + y * 13) % 100);
      for (const std::uint8_t channel :
           {square ? std::uint8_t{255} : shade, square ? std::uint8_t{180} : std::uint8_t{40}, std::uint8_t{84}})
        p.rgba.push_back(channel);
      p.rgba.push_back(255);
    }
  return p;
}

constexpr double kSeconds[] = {0.1, 0.25, 0.5, 0.07};
constexpr int kShown[] = {0, 1, 1, 2, 5};  // the third is the same as the second

std::string film(FilmKind kind, const std::string& document) {
  FilmOptions options;
  options.width = kWidth;
  options.height = kHeight;
  options.title = "a film";
  options.document = document;
  auto writer = make_film_writer(kind, options);
  EXPECT_TRUE(writer.ok());
  const double seconds[] = {0.1, 0.1, 0.15, 0.5, 0.07};
  for (int i = 0; i < 5; ++i) EXPECT_TRUE((*writer)->add(frame(kShown[i]), seconds[i]).ok());
  auto bytes = (*writer)->finish();
  EXPECT_TRUE(bytes.ok());
  EXPECT_EQ((*writer)->frames(), 4);
  return *bytes;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at, std::size_t count = 4) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < count; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

TEST_F(Films, AnotherProgramReadsTheGif) {
  if (!can_write(FilmKind::gif).ok()) GTEST_SKIP() << "built without giflib";
  ASSERT_TRUE(write_file(folder / "f.gif", film(FilmKind::gif, "{}")).ok());
  if (std::system("identify -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ImageMagick is not installed";
  EXPECT_EQ(output("identify -format '%T ' '" + (folder / "f.gif").string() + "'"), "10 25 50 7 ");
  const std::string raw = output("convert '" + (folder / "f.gif").string() + "' -coalesce -depth 8 rgba:-");
  const std::size_t size = std::size_t{kWidth} * kHeight * 4;
  ASSERT_EQ(raw.size(), 4 * size);
  const int shown[] = {0, 1, 2, 5};
  for (std::size_t i = 0; i < 4; ++i) {
    const Pixels expected = frame(shown[i]);
    EXPECT_EQ(std::memcmp(raw.data() + i * size, expected.rgba.data(), size), 0) << "frame " << i;
  }
}

// One frame of an animated PNG as a PNG: its own size, and fdAT as IDAT.
struct Frame {
  std::uint32_t width, height, x, y;
  double seconds;
  int dispose, blend;
  std::string data;
};

std::string chunk(const std::string& type, const std::string& data) {
  std::string out;
  for (int i = 3; i >= 0; --i) out += static_cast<char>(data.size() >> (8 * i) & 255);
  out += type + data;
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(out.data() + 4), type.size() + data.size()));
  for (int i = 3; i >= 0; --i) out += static_cast<char>(crc >> (8 * i) & 255);
  return out;
}

TEST_F(Films, AnAnimatedPngHoldsEveryFrameExactly) {
  const std::string png = film(FilmKind::apng, "{\"a\": 1}");
  ASSERT_EQ(png.substr(0, 8), std::string("\x89PNG\r\n\x1a\n", 8));
  std::vector<Frame> frames;
  std::string header;
  std::uint32_t sequence = 0, announced = 0;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t length = number_at(png, at);
    const std::string type = png.substr(at + 4, 4), data = png.substr(at + 8, length);
    ASSERT_EQ(chunk(type, data), png.substr(at, length + 12)) << "the check sum of " << type;
    if (type == "IHDR") header = data;
    if (type == "acTL") {
      EXPECT_TRUE(frames.empty()) << "before the first picture";
      announced = number_at(data, 0);
      EXPECT_EQ(number_at(data, 4), 0u) << "without end";
    }
    if (type == "fcTL") {
      EXPECT_EQ(number_at(data, 0), sequence++);
      frames.push_back({number_at(data, 4),
                        number_at(data, 8),
                        number_at(data, 12),
                        number_at(data, 16),
                        static_cast<double>(number_at(data, 20, 2)) / number_at(data, 22, 2),
                        data[24],
                        data[25],
                        {}});
    }
    if (type == "IDAT") frames.back().data += data;
    if (type == "fdAT") {
      EXPECT_EQ(number_at(data, 0), sequence++);
      frames.back().data += data.substr(4);
    }
    at += length + 12;
  }
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(announced, 4u);
  Pixels canvas = frame(0);
  const int shown[] = {0, 1, 2, 5};
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame& f = frames[i];
    EXPECT_NEAR(f.seconds, kSeconds[i], 1e-9);
    EXPECT_EQ(f.dispose, 0);
    EXPECT_EQ(f.blend, i == 0 ? 0 : 1);
    std::string ihdr = header;
    for (int b = 0; b < 4; ++b) {
      ihdr[static_cast<std::size_t>(b)] = static_cast<char>(f.width >> (24 - 8 * b) & 255);
      ihdr[static_cast<std::size_t>(4 + b)] = static_cast<char>(f.height >> (24 - 8 * b) & 255);
    }
    std::ofstream(folder / "one.png", std::ios::binary)
        << std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", ihdr) + chunk("IDAT", f.data) + chunk("IEND", {});
    const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> one(
        cairo_image_surface_create_from_png((folder / "one.png").c_str()), cairo_surface_destroy);
    ASSERT_EQ(cairo_surface_status(one.get()), CAIRO_STATUS_SUCCESS);
    ASSERT_EQ(cairo_image_surface_get_width(one.get()), static_cast<int>(f.width));
    for (std::uint32_t y = 0; y < f.height; ++y) {
      const auto* row = reinterpret_cast<const std::uint32_t*>(
          cairo_image_surface_get_data(one.get()) + static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(one.get()));
      for (std::uint32_t x = 0; x < f.width; ++x) {
        if (row[x] >> 24 == 0) continue;
        std::uint8_t* out = canvas.rgba.data() + ((f.y + y) * kWidth + f.x + x) * 4;
        for (int c = 0; c < 3; ++c) out[c] = static_cast<std::uint8_t>(row[x] >> (16 - 8 * c) & 255);
      }
    }
    EXPECT_EQ(canvas.rgba, frame(shown[i]).rgba) << "frame " << i;
    if (i > 0) {
      EXPECT_LT(f.width * f.height, static_cast<std::uint32_t>(kWidth * kHeight) / 3) << "only what changed";
    }
  }
}

TEST_F(Films, TheDocumentComesBack) {
  const std::string document = "{\"texts\": [\"注意力 <b> \\\" ]]>\"], \"long\": \"" + std::string(5000, 'x') + "\"}";
  for (const FilmKind kind : {FilmKind::gif, FilmKind::apng}) {
    if (!can_write(kind).ok()) continue;
    const std::string bytes = film(kind, document);
    ASSERT_TRUE(write_file(folder / "film", bytes).ok());
    EXPECT_TRUE(may_embed_document(folder / "film"));
    EXPECT_EQ(embedded_document(folder / "film").value(), document);
    for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 61 + 1) {
      std::ofstream(folder / "cut", std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(size));
      if (const auto back = embedded_document(folder / "cut"); back.ok()) {
        EXPECT_EQ(*back, document);
      }
    }
    ASSERT_TRUE(write_file(folder / "bare", film(kind, "")).ok());
    EXPECT_EQ(embedded_document(folder / "bare").error().kind, ErrorKind::not_found);
  }
}

Animation growing(int frames) {
  Animation animation;
  animation.title = "growing";
  animation.frames = frames;
  animation.seconds_per_frame = 0.2;
  animation.frame = [](int index, const TextMeasure&) {
    Figure figure;
    figure.width = 40;
    figure.height = 20.0f + static_cast<float>(index);
    figure.add(Rectangle{{0, 0, static_cast<float>(index + 1), 10}, dark().selected, {}, 0, 0, {}});
    return figure;
  };
  return animation;
}

TEST_F(Films, FramesOfSeveralSizesShareTheLargest) {
  FilmFileOptions options;
  options.dpi = 96;
  std::vector<double> shares;
  options.progress = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(save_film(folder / "f.apng", growing(4), dark(), options).ok());
  const std::string png = read_file(folder / "f.apng").value();
  EXPECT_EQ(number_at(png, 16), 40u);
  EXPECT_EQ(number_at(png, 20), 23u);
  EXPECT_EQ(shares.size(), 8u);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
}

TEST_F(Films, WhatCannotBeIsSaidAndLeavesNothing) {
  EXPECT_EQ(save_film(folder / "f.mp4", growing(3), dark(), {}).error().kind, ErrorKind::usage);
  EXPECT_FALSE(save_film(folder / "f.png", Animation(), dark(), {}).ok());
  CancelSource stop;
  FilmFileOptions options;
  options.cancel = stop.token();
  options.progress = [&](double share) {
    if (share > 0.5) stop.cancel();
  };
  EXPECT_EQ(save_film(folder / "f.png", growing(10), dark(), options).error().kind, ErrorKind::cancelled);
  options = {};
  options.dpi = 5000;
  EXPECT_FALSE(save_film(folder / "f.png", growing(10), dark(), options).ok());
  EXPECT_EQ(save_film(folder / "none" / "f.png", growing(2), dark(), {}).error().kind, ErrorKind::io);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(Palette, ManyColoursBecomeFewAndTheGroundStaysExact) {
  Pixels p;
  p.width = 200;
  p.height = 200;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const bool ground = x >= 100;
      p.rgba.push_back(ground ? 14 : static_cast<std::uint8_t>(x * 2));
      p.rgba.push_back(ground ? 16 : static_cast<std::uint8_t>(y));
      p.rgba.push_back(ground ? 20 : static_cast<std::uint8_t>(255 - x));
      p.rgba.push_back(255);
    }
  const Indexed image = to_palette(p, 64);
  EXPECT_EQ(image.palette.size(), 64u);
  EXPECT_FALSE(image.has_transparent);
  EXPECT_EQ(image.palette[image.indices[150]], 0x0e1014u);
  double worst = 0;
  for (std::size_t i = 0; i < image.indices.size(); ++i)
    for (int c = 0; c < 3; ++c) {
      const int had = p.rgba[i * 4 + static_cast<std::size_t>(c)];
      const int has = static_cast<int>(image.palette[image.indices[i]] >> (16 - 8 * c) & 255);
      worst = std::max(worst, std::abs(static_cast<double>(had - has)));
    }
  EXPECT_LT(worst, 40);  // 20,000 colours on a plane of 200 x 200 x 100 in 64 boxes
}

// A film whose frames show NaN counts it below them: the line is a part of every frame.
TEST_F(Films, FramesCountTheirCellsWithoutANumber) {
  const auto film_of = [](float value) {
    Animation film;
    film.frames = 2;
    film.frame = [value](int index, const TextMeasure&) {
      Figure figure;
      figure.width = 300;
      figure.height = 100;
      Cells cells;
      cells.box = {8, 8, 84, 84};
      cells.rows = cells.columns = 6;
      cells.values = Tensor(DType::f32, {6, 6});
      cells.values.data<float>()[index] = value;
      figure.add(std::move(cells));
      return figure;
    };
    return film;
  };
  const Theme& theme = *themes().find("light");
  const auto bytes = encode_film(film_of(std::nanf("")), FilmKind::apng, theme, {});
  ASSERT_TRUE(bytes.ok()) << bytes.error().sentence();
  const std::uint32_t finite = number_at(*encode_film(film_of(1), FilmKind::apng, theme, {}), 20),
                      counted = number_at(*bytes, 20);
  EXPECT_EQ(finite, 100u);
  EXPECT_GT(counted, finite + 10) << "the line that counts takes room";
  const Figure frame = with_counted_cells(film_of(std::nanf("")).frame(1, measure()), theme, measure());
  EXPECT_EQ(frame.remarks, std::vector<std::string>{"1 of 36 cells is not a number"});
  EXPECT_EQ(counted, static_cast<std::uint32_t>(std::ceil(frame.height)));
}

}  // namespace
}  // namespace headlight::figures
