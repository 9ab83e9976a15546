// The ledger's sum as arrows: the chain begins at E before and ends at E after, whatever the plane leaves out.
#include "app/views/values/ledger_plane_picture.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/figures/layout_check.h"

namespace headlight::figures {
namespace {

LedgerInput a_ledger(std::size_t heads, std::uint64_t seed = 1) {
  LedgerInput input;
  const std::size_t d = 16;
  std::vector<float> sum(d, 0);
  const auto add = [&](const char* sign, const std::string& name, bool total, const std::vector<float>& vector) {
    LedgerInput::Row row;
    row.sign = sign;
    row.name = name;
    row.total = total;
    row.vector = vector;
    double length = 0;
    for (const float x : vector) length += static_cast<double>(x) * static_cast<double>(x);
    row.length = std::sqrt(length);
    if (sign != std::string("=") && sign != std::string("Σ"))
      for (std::size_t i = 0; i < d; ++i) sum[i] += vector[i];
    input.rows.push_back(std::move(row));
  };
  std::uint64_t state = seed;
  const auto numbers = [&](float size) {
    std::vector<float> out(d);
    for (float& x : out) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      x = size * (static_cast<float>(state >> 40) / static_cast<float>(1 << 23) - 1);
    }
    return out;
  };
  add("", "E before", true, numbers(1));
  for (std::size_t h = 0; h < heads; ++h) add("+", "head " + std::to_string(h), false, numbers(0.3f));
  add("Σ", "attention", true, numbers(1));
  add("+", "feed-forward", false, numbers(0.6f));
  add("=", "E after", true, sum);
  return input;
}

TEST(LedgerPlane, TheChainEndsAtEAfter) {
  for (const std::size_t heads : {1u, 4u, 12u}) {
    const LedgerInput input = a_ledger(heads);
    const LedgerPlane plane = ledger_plane_of(input);
    ASSERT_EQ(plane.arrows.size(), heads + 3) << "E before, the heads, feed-forward, E after; no sum of parts";
    const PlaneArrow &first = plane.arrows.front(), &last = plane.arrows.back(), &end = plane.arrows[heads + 1];
    EXPECT_TRUE(first.total && last.total);
    EXPECT_NEAR(std::hypot(first.x1, first.y1), input.rows.front().length, 1e-4) << "E lies in the plane whole";
    EXPECT_NEAR(std::hypot(last.x1, last.y1), input.rows.back().length, 1e-4);
    EXPECT_NEAR(end.x1, last.x1, 1e-4);
    EXPECT_NEAR(end.y1, last.y1, 1e-4);
    for (std::size_t i = 1; i + 1 < plane.arrows.size(); ++i) {
      EXPECT_EQ(plane.arrows[i].x0, plane.arrows[i - 1].x1);
      EXPECT_LE(std::hypot(plane.arrows[i].x1 - plane.arrows[i].x0, plane.arrows[i].y1 - plane.arrows[i].y0),
                input.rows[plane.arrows[i].row].length + 1e-5)
          << "a projection makes nothing longer";
    }
    EXPECT_GT(plane.share, 0);
    EXPECT_LE(plane.share, 1);
  }
}

TEST(LedgerPlane, WithoutASumThereIsNoChain) {
  LedgerInput input = a_ledger(2);
  input.rows[1].sign = "−";
  EXPECT_TRUE(ledger_plane_of(input).arrows.empty());
  EXPECT_TRUE(ledger_plane_of({}).arrows.empty());
  const Figure figure = ledger_plane(input, 400, 300, dark(), measure());
  EXPECT_EQ(figure.items.size(), 1u) << "the words that say so";
}

TEST(LedgerPlane, NamesAreInsideAndNoneStandsOnAnother) {
  for (std::uint64_t seed = 1; seed < 30; ++seed)
    for (const auto& [width, height] : {std::pair{320.0f, 240.0f}, {480.0f, 420.0f}, {900.0f, 600.0f}}) {
      const Figure figure = ledger_plane(a_ledger(8, seed), width, height, dark(), measure());
      std::vector<Box> boxes;
      std::vector<std::string> names;
      for (const Item& item : figure.items)
        if (const auto* text = std::get_if<Text>(&item)) {
          const float w =
              std::min(text->max_width > 0 ? text->max_width : 1e6f, measure().width(text->text, text->size, text->font));
          const Box box{text->at.x, text->at.y - 5, w, 10};
          EXPECT_GE(box.x, -0.5f) << text->text;
          EXPECT_LE(box.x + box.w, width + 0.5f) << text->text;
          EXPECT_LE(box.y + box.h, height + 0.5f) << text->text;
          for (const Box& other : boxes)
            EXPECT_FALSE(box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h &&
                         other.y < box.y + box.h)
                << text->text;
          boxes.push_back(box);
          names.push_back(text->text);
        }
      EXPECT_NE(std::find(names.begin(), names.end(), "E before"), names.end());
      EXPECT_NE(std::find(names.begin(), names.end(), "E after"), names.end());
    }
}

}  // namespace
}  // namespace headlight::figures
