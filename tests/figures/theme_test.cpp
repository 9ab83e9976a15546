#include "app/figures/base/theme.h"

#include <gtest/gtest.h>

#include <limits>

namespace headlight::figures {
namespace {

std::uint32_t hex(Color c) {
  const auto channel = [](float x) { return static_cast<std::uint32_t>(x * 255 + 0.5f); };
  return channel(c.r) << 16 | channel(c.g) << 8 | channel(c.b);
}

TEST(Theme, TextReadsOnEveryBackground) {
  for (const Theme& t : themes().entries()) {
    for (const Color behind : {t.background, t.panel, t.raised}) {
      const std::pair<const char*, Color> inks[] = {{"text", t.text},         {"secondary", t.secondary}, {"faint", t.faint},
                                                    {"selected", t.selected}, {"info", t.info},           {"good", t.good},
                                                    {"wrong", t.wrong}};
      for (const auto& [name, ink] : inks) EXPECT_GE(contrast(ink, behind), 4.5) << t.id << " " << name << " on " << hex(behind);
      for (const Color hue : t.hues)
        EXPECT_GE(contrast(hue, behind), 4.5) << t.id << " hue " << hex(hue) << " on " << hex(behind);
    }
    for (const Colormap& map : colormaps().entries()) {
      for (int i = 0; i <= 100; ++i) {
        const Color cell = map.at(static_cast<float>(i) / 100, t);
        EXPECT_GE(contrast(ink_on(cell), cell), 4.5) << t.id << " " << map.id << " at " << i;
      }
    }
  }
}

TEST(Theme, ContrastIsThatOfWcag) {
  EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21, 1e-9);
  EXPECT_NEAR(contrast(rgb(0x777777), rgb(0xffffff)), 4.478, 5e-4);  // the well-known grey that just fails
  EXPECT_EQ(contrast(rgb(0x123456), rgb(0x123456)), 1);
}

TEST(Colormaps, AgreeWithThePublishedTables) {
  struct Known {
    const char* map;
    float t;
    std::uint32_t color;
  };
  // matplotlib 3.11.2: colormaps[name](i), rounded to 8 bits.
  for (const Known& k : {Known{"viridis", 0, 0x440154},
                         {"viridis", 64, 0x3b528b},
                         {"viridis", 128, 0x21918c},
                         {"viridis", 200, 0x70cf57},
                         {"viridis", 255, 0xfde725},
                         {"magma", 0, 0x000004},
                         {"magma", 64, 0x51127c},
                         {"magma", 128, 0xb73779},
                         {"magma", 255, 0xfcfdbf},
                         {"cividis", 0, 0x00224e},
                         {"cividis", 128, 0x7d7c78},
                         {"cividis", 255, 0xfee838}}) {
    EXPECT_EQ(hex(colormaps().find(k.map)->at(k.t / 255, themes().entries()[0])), k.color) << k.map << " " << k.t;
  }
  EXPECT_TRUE(colormaps().duplicate().empty());
  EXPECT_TRUE(themes().duplicate().empty());
}

TEST(Colormaps, GrowLighterAndClampAtTheEnds) {
  const Theme& theme = *themes().find("dark");
  for (const Colormap& map : colormaps().entries()) {
    EXPECT_EQ(map.at(-3, theme), map.at(0, theme));
    EXPECT_EQ(map.at(7, theme), map.at(1, theme));
    EXPECT_EQ(map.at(std::numeric_limits<float>::infinity(), theme), map.at(1, theme));
    EXPECT_EQ(map.at(std::numeric_limits<float>::quiet_NaN(), theme), theme.faint);
    if (map.is_signed) {
      EXPECT_EQ(map.at(0.5f, theme), theme.signed_middle);
      continue;
    }
    const Color black = rgb(0);
    for (int i = 1; i < 256; ++i) {
      // One step of 8 bits in a channel changes the contrast against black by less than 0.02 here.
      EXPECT_GT(contrast(map.at(static_cast<float>(i) / 255, theme), black),
                contrast(map.at(static_cast<float>(i - 1) / 255, theme), black) - 0.02)
          << map.id << " " << i;
    }
  }
}

}  // namespace
}  // namespace headlight::figures
