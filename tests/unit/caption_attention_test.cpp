// A caption's words over a picture's regions. Expectations are computed by plain loops.
#include "engine/images/caption_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"

namespace headlight::images {
namespace {

// 5 rows of 7 patches of 2 x 2 pixels, every pixel of another colour.
PatchAttention patches_of(std::int64_t d, std::int64_t heads) {
  Picture picture;
  picture.width = 14;
  picture.height = 10;
  for (std::int64_t i = 0; i < picture.width * picture.height * 3; ++i)
    picture.rgb.push_back(static_cast<std::uint8_t>(i * 37 % 256));
  PatchModel model;
  model.side = 2;
  model.d_model = d;
  model.heads = heads;
  auto made = attend_patches(picture, model);
  EXPECT_TRUE(made.ok());
  return std::move(made).value();
}

const std::vector<std::string> kWords = {"a", "boat", "on", "a", "lake"};

TEST(Caption, WordsArePartedByWhiteSpace) {
  EXPECT_EQ(caption_words(" a boat\ton\n a  lake "), kWords);
  EXPECT_TRUE(caption_words(" \n").empty());
}

TEST(Caption, RegionsAreTheMeansOfTheirPatchesAlsoWhereTheyAreCutOff) {
  const PatchAttention picture = patches_of(8, 2);
  const auto made = attend_caption(picture, kWords, {3, 2, 0});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  ASSERT_EQ(made->rows, 2);
  ASSERT_EQ(made->columns, 3);
  for (std::int64_t region = 0; region < 6; ++region)
    for (std::int64_t c = 0; c < 8; ++c) {
      double sum = 0;
      int patches = 0;
      for (std::int64_t n = 0; n < 35; ++n)
        if (n / 7 / 3 == region / 3 && n % 7 / 3 == region % 3) {
          sum += picture.norm.at({n, c});
          ++patches;
        }
      EXPECT_NEAR(made->regions.at({region, c}), sum / patches, 1e-12);
    }
}

TEST(Caption, AttendsAsPlainLoopsDo) {
  const auto made = attend_caption(patches_of(12, 3), kWords, {2, 3, 7});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  const CaptionAttention& a = *made;
  const std::int64_t words = 5, regions = a.rows * a.columns, d = 12, d_k = 4;
  ASSERT_EQ(regions, 12);
  for (std::int64_t t = 0; t < words; ++t) {
    double mean = 0, variance = 0;
    std::vector<double> input;
    for (std::int64_t c = 0; c < d; ++c) {
      const double angle = static_cast<double>(t) / std::pow(10000.0, static_cast<double>(c / 2 * 2) / static_cast<double>(d));
      EXPECT_NEAR(a.positions.at({t, c}), c % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-12);
      input.push_back(a.words.at({t, c}) + a.positions.at({t, c}));
      mean += input.back() / 12;
    }
    for (const double x : input) variance += (x - mean) * (x - mean) / 12;
    for (std::int64_t c = 0; c < d; ++c) {
      EXPECT_NEAR(a.norm.at({t, c}), (input[static_cast<std::size_t>(c)] - mean) / std::sqrt(variance + 1e-5), 1e-12);
      double q = 0;
      for (std::int64_t i = 0; i < d; ++i) q += a.norm.at({t, i}) * a.wq.at({i, c});
      EXPECT_NEAR(a.q.at({t, c}), q, 1e-12);
    }
  }
  for (std::int64_t r = 0; r < regions; ++r)
    for (std::int64_t c = 0; c < d; ++c) {
      double k = 0, v = 0;
      for (std::int64_t i = 0; i < d; ++i) {
        k += a.regions.at({r, i}) * a.wk.at({i, c});
        v += a.regions.at({r, i}) * a.wv.at({i, c});
      }
      EXPECT_NEAR(a.k.at({r, c}), k, 1e-12);
      EXPECT_NEAR(a.v.at({r, c}), v, 1e-12);
    }
  for (std::int64_t h = 0; h < 3; ++h)
    for (std::int64_t t = 0; t < words; ++t) {
      double total = 0;
      std::vector<double> scores;
      for (std::int64_t r = 0; r < regions; ++r) {
        double dot = 0;
        for (std::int64_t c = h * d_k; c < (h + 1) * d_k; ++c) dot += a.q.at({t, c}) * a.k.at({r, c});
        scores.push_back(dot / 2);
        EXPECT_NEAR(a.scores.at({h, t, r}), scores.back(), 1e-12);
        total += std::exp(scores.back());
      }
      for (std::int64_t r = 0; r < regions; ++r)
        EXPECT_NEAR(a.weights.at({h, t, r}), std::exp(scores[static_cast<std::size_t>(r)]) / total, 1e-12);
      for (std::int64_t c = h * d_k; c < (h + 1) * d_k; ++c) {
        double out = 0;
        for (std::int64_t r = 0; r < regions; ++r) out += a.weights.at({h, t, r}) * a.v.at({r, c});
        EXPECT_NEAR(a.output.at({t, c}), out, 1e-12);
      }
    }
}

TEST(Caption, AWordHasOneVectorWhereverItStandsAndAnotherSeedAnotherOne) {
  const PatchAttention picture = patches_of(8, 2);
  const auto made = attend_caption(picture, kWords, {1, 2, 0}), other = attend_caption(picture, kWords, {1, 2, 1});
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(other.ok());
  for (std::int64_t c = 0; c < 8; ++c) {
    EXPECT_EQ(made->words.at({0, c}), made->words.at({3, c}));
    EXPECT_NE(made->words.at({0, c}), made->words.at({1, c}));
    EXPECT_NE(made->words.at({0, c}), other->words.at({0, c}));
  }
}

TEST(Caption, RefusesWhatDoesNotFit) {
  const PatchAttention picture = patches_of(8, 2);
  EXPECT_EQ(attend_caption(picture, {}, {1, 2, 0}).error().what, "the caption has no word");
  EXPECT_EQ(attend_caption(picture, kWords, {0, 2, 0}).error().what, "regions of 0 patches a side do not fit into 5 x 7 patches");
  EXPECT_EQ(attend_caption(picture, kWords, {6, 2, 0}).error().what, "regions of 6 patches a side do not fit into 5 x 7 patches");
  EXPECT_EQ(attend_caption(picture, kWords, {1, 3, 0}).error().what, "d_model 8 cannot be divided among 3 heads");
  EXPECT_EQ(attend_caption(picture, std::vector<std::string>(257, "a"), {1, 2, 0}).error().kind, ErrorKind::too_large);
  CancelSource source;
  source.cancel();
  EXPECT_EQ(attend_caption(picture, kWords, {1, 2, 0}, source.token()).error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace headlight::images
