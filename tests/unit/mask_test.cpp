// Masks: their broadcast shapes (MATERIAL.md S5) and every value against its definition. Positions against their formula.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"

namespace headlight {
namespace {

masks::Request request(masks::Site site = masks::Site::decoder_self) {
  masks::Request r;
  r.site = site;
  r.batch = 2;
  r.queries = 4;
  r.keys = 5;
  r.key_lengths = {5, 3};
  return r;
}

masks::Combined make(const std::string& text, const masks::Request& r = request(), const masks::Matrix* custom = nullptr) {
  const auto choices = masks::parse_list(text);
  EXPECT_TRUE(choices) << choices.error().sentence();
  auto combined = masks::combine(*choices, r, custom);
  EXPECT_TRUE(combined) << combined.error().sentence();
  return std::move(combined).value();
}

template <class May>
void expect_cells(const Tensor& mask, May may) {
  const Tensor all = mask.broadcast_to({2, 1, 4, 5});
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 5; ++j) EXPECT_EQ(all.at({b, 0, i, j}), may(b, i, j) ? 1 : 0) << b << " " << i << " " << j;
}

TEST(Masks, RegistryHasNoDuplicates) {
  EXPECT_EQ(masks::registry().duplicate(), "");
  EXPECT_EQ(positions::registry().duplicate(), "");
}

TEST(Masks, EachHasItsSmallestShapeAndTheDefinedValues) {
  const masks::Matrix matrix{2, 3, {1, 0, 1, 0, 0, 1}};
  struct Case {
    const char* text;
    Shape shape;
    bool (*may)(std::int64_t b, std::int64_t i, std::int64_t j);
  };
  const Case cases[] = {
      {"padding", {2, 1, 1, 5}, [](auto b, auto, auto j) { return j < (b == 0 ? 5 : 3); }},
      {"causal", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j <= i; }},
      {"window:1", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i - j <= 1 && j - i <= 1; }},
      {"block:2", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i / 2 == j / 2; }},
      {"prefix:2", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j < 2 || j <= i; }},
      {"custom", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i >= 2 || j >= 3 || (i == 0 && j != 1) || (i == 1 && j == 2); }},
      {"padding,causal", {2, 1, 4, 5}, [](auto b, auto i, auto j) { return j <= i && j < (b == 0 ? 5 : 3); }},
      {"causal,window:1", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j <= i && i - j <= 1; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const masks::Combined combined = make(c.text, request(), &matrix);
    EXPECT_EQ(combined.mask.shape(), c.shape);
    EXPECT_EQ(combined.mask.axes(), (Axes{"batch", "head", "query", "key"}));
    expect_cells(combined.mask, c.may);
  }
  EXPECT_EQ(std::size(cases) - 2, masks::registry().entries().size()) << "a mask without a case";
}

TEST(Masks, ApplyWhereTheyMakeSense) {
  EXPECT_EQ(make("padding,causal,window:1", request(masks::Site::encoder_self)).parts.size(), 2u);
  EXPECT_EQ(make("padding,causal,window:1", request(masks::Site::cross)).parts.size(), 1u);
  EXPECT_EQ(make("padding,causal", request(masks::Site::cross)).mask.shape(), (Shape{2, 1, 1, 5}));
  EXPECT_TRUE(make("causal", request(masks::Site::cross)).mask.empty());
  EXPECT_TRUE(make("").mask.empty());
  EXPECT_TRUE(make("none").mask.empty());
}

TEST(Masks, TextComesBack) {
  const auto choices = masks::parse_list("causal,window:size=3,prefix:2");
  ASSERT_TRUE(choices);
  EXPECT_EQ(masks::to_text(*choices), "causal,window:size=3,prefix:length=2");
  EXPECT_EQ(*masks::parse_list(masks::to_text(*choices)), *choices);
}

TEST(Positions, SinusoidalFollowsTheFormula) {
  for (const std::int64_t d : {1, 6, 7}) {
    const Tensor table = positions::registry().find("sinusoidal")->make(50, d, 0);
    for (std::int64_t pos = 0; pos < 50; ++pos)
      for (std::int64_t j = 0; j < d; ++j) {
        const double w = std::pow(10000.0, -2.0 * static_cast<double>(j / 2) / static_cast<double>(d));
        const double angle = static_cast<double>(pos) * w;
        // exp(-2i ln(10000)/d) and the power differ in the last bits, times pos <= 49.
        EXPECT_NEAR(table.at({pos, j}), j % 2 ? std::cos(angle) : std::sin(angle), 1e-13);
      }
  }
}

TEST(Positions, LearnedIsDrawnBySeedAndRowsDoNotDependOnTheLength) {
  const auto make_table = positions::registry().find("learned")->make;
  const Tensor a = make_table(10, 8, 1), b = make_table(30, 8, 1), c = make_table(10, 8, 2);
  EXPECT_EQ(difference(a, b.slice(0, 0, 10).compact()).max_abs, 0);
  EXPECT_GT(difference(a, c).max_abs, 0.1);
  EXPECT_EQ(positions::registry().find("none")->make, nullptr);
}

}  // namespace
}  // namespace headlight
