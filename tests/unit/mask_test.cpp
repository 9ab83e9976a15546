// Masks: their broadcast shapes (S5) and every value against its definition. Positions against their formula.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "engine/attention/masks/combined.h"
#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"
#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

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
    bool widens = false;  // alone it has nothing to widen, so the part is checked
  };
  const Case cases[] = {
      {"padding", {2, 1, 1, 5}, [](auto b, auto, auto j) { return j < (b == 0 ? 5 : 3); }},
      {"causal", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j <= i; }},
      {"window:1", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i - j <= 1 && j - i <= 1; }},
      {"dilated:1/3", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i == j || i - j == 3 || j - i == 3; }},
      {"global:3+1", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i == 1 || i == 3 || j == 1 || j == 3; }, true},
      {"block:2", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i / 2 == j / 2; }},
      {"prefix:2", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j < 2 || j <= i; }},
      {"custom", {1, 1, 4, 5}, [](auto, auto i, auto j) { return i >= 2 || j >= 3 || (i == 0 && j != 1) || (i == 1 && j == 2); }},
      {"padding,causal", {2, 1, 4, 5}, [](auto b, auto i, auto j) { return j <= i && j < (b == 0 ? 5 : 3); }},
      {"causal,window:1", {1, 1, 4, 5}, [](auto, auto i, auto j) { return j <= i && i - j <= 1; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const masks::Combined combined = make(c.text, request(), &matrix);
    const Tensor& mask = c.widens ? combined.parts.at(0).mask : combined.mask;
    EXPECT_EQ(mask.shape(), c.shape);
    EXPECT_EQ(mask.axes(), (Axes{"batch", "head", "query", "key"}));
    expect_cells(mask, c.may);
  }
}

// What the registry says of each mask is tried on it: the example that stands beside it, its parameters' ranges, its shape.
TEST(Masks, EachMakesItsExampleWithinItsParameters) {
  const masks::Matrix matrix{2, 3, {1, 0, 1, 0, 0, 1}};
  masks::Request of_example = request();
  of_example.key_lengths = {3, 5};
  for (const masks::Entry& entry : masks::registry().entries()) {
    SCOPED_TRACE(entry.id);
    const auto made_with = [&](const std::string& values) {
      return make(entry.id + (values.empty() ? "" : ":" + values), of_example, &matrix).parts.at(0).mask;
    };
    const Tensor mask = made_with(entry.example.values);
    ASSERT_EQ(entry.example.rows.size(), 4u);
    const Tensor all = mask.broadcast_to({2, 1, 4, 5});
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::string& row = entry.example.rows[static_cast<std::size_t>(i)];
      ASSERT_EQ(row.size(), 5u);
      for (std::int64_t j = 0; j < 5; ++j)
        EXPECT_EQ(all.at({0, 0, i, j}), row[static_cast<std::size_t>(j)] - '0') << i << " " << j;
    }
    // No axis is there in vain: along each that has several places the example differs somewhere.
    for (int axis = 0; axis < 4; ++axis) {
      const std::int64_t size = mask.dim(axis);
      ASSERT_TRUE(size == 1 || size == (Shape{2, 1, 4, 5})[static_cast<std::size_t>(axis)]) << axis;
      bool differs = size == 1;
      for (std::int64_t at = 1; at < size; ++at)
        differs = differs || difference(mask.slice(axis, 0, 1), mask.slice(axis, at, at + 1)).max_abs > 0;
      EXPECT_TRUE(differs) << "axis " << axis;
    }
    for (const Parameter& parameter : entry.parameters) {
      SCOPED_TRACE(parameter.id);
      EXPECT_FALSE(parameter.help.empty());
      EXPECT_NE(masks::help().find(entry.id + ":"), std::string::npos);
      if (parameter.kind != Parameter::Kind::integer) continue;
      const auto with = [&](double value) {
        return masks::parse_list(entry.id + ":" + parameter.id + "=" + std::to_string(static_cast<std::int64_t>(value)));
      };
      EXPECT_FALSE(with(parameter.least - 1)) << "below its range";
      EXPECT_FALSE(with(parameter.most + 1)) << "above its range";
      for (const double value : {parameter.least, parameter.most}) {
        ASSERT_TRUE(with(value));
        const auto combined = masks::combine(*with(value), of_example, &matrix);
        ASSERT_TRUE(combined) << combined.error().sentence();
        EXPECT_EQ(combined->parts.at(0).mask.shape(), mask.shape());
      }
    }
    EXPECT_NE(masks::help().find(entry.id), std::string::npos);
  }
}

// The rule at the head of mask.h, in loops of its own.
TEST(Masks, GlobalTokensTakeBackWhatSparsePatternsForbidAndNothingElse) {
  masks::Request r = request();
  r.queries = r.keys = 9;
  r.key_lengths = {9, 6};
  const std::int64_t length[] = {9, 6};
  struct Case {
    const char* text;
    bool (*sparse)(std::int64_t i, std::int64_t j);  // null: no sparse pattern
    bool causal, padding;
    std::vector<std::int64_t> globals;
  };
  const auto near = [](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= 1; };
  const auto holes = [](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= 4 && std::abs(i - j) % 2 == 0; };
  const auto both = [](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= 4 && (i - j) % 2 == 0 && i / 3 == j / 3; };
  const Case cases[] = {
      {"global:0,window:1", near, false, false, {0}},
      {"causal,window:1,global:0", near, true, false, {0}},
      {"global:2+7,padding,dilated:2/2,causal", holes, true, true, {2, 7}},
      {"dilated:2/2,block:3,global:4,padding", both, false, true, {4}},
      {"causal,global:8", nullptr, true, false, {}},
      {"global:5", nullptr, false, false, {}},
      {"window:1,global:40", near, false, false, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const masks::Combined combined = make(c.text, r);
    const Tensor all = combined.mask.broadcast_to({2, 1, 9, 9});
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t i = 0; i < 9; ++i)
        for (std::int64_t j = 0; j < 9; ++j) {
          bool may = !c.sparse || c.sparse(i, j);
          for (const std::int64_t g : c.globals) may = may || i == g || j == g;
          if (c.causal && j > i) may = false;
          if (c.padding && j >= length[b]) may = false;
          ASSERT_EQ(all.at({b, 0, i, j}), may ? 1 : 0) << b << " " << i << " " << j;
        }
  }
}

TEST(Masks, ADilationOfOneIsTheSlidingWindow) {
  masks::Request r = request();
  r.queries = 11;
  r.keys = 8;
  for (const char* size : {"1", "2", "3"})
    EXPECT_EQ(difference(make(std::string("window:") + size, r).mask.as(DType::f32),
                         make(std::string("dilated:") + size + "/1", r).mask.as(DType::f32))
                  .max_abs,
              0);
}

TEST(Masks, SizesThatHideEverythingAreRefusedWithWhatThereIs) {
  for (const char* wrong : {"window:0", "window:-1", "window:x", "dilated:0/2", "dilated:2/0", "block:0", "prefix:-1"}) {
    const auto list = masks::parse_list(wrong);
    ASSERT_FALSE(list) << wrong;
    EXPECT_NE(list.error().mend.english().find("give a whole number from "), std::string::npos)
        << wrong << ": " << list.error().sentence();
  }
  EXPECT_EQ(masks::parse_list("window:0").error().mend, "give a whole number from 1 to 1000000");
}

TEST(Masks, PositionsAreReadInOrderAndEachOnce) {
  EXPECT_EQ(*masks::positions_from_text("7+0+7+3"), (std::vector<std::int64_t>{0, 3, 7}));
  EXPECT_TRUE(masks::positions_from_text("")->empty());
  for (const char* wrong : {"a", "1+", "+1", "-1", "1 2", "0x1", "1.5", "9999999999999999999999"}) {
    EXPECT_FALSE(masks::positions_from_text(wrong)) << wrong;
    const auto list = masks::parse_list(std::string("global:") + wrong);
    ASSERT_FALSE(list) << wrong;
    EXPECT_NE(list.error().mend.english().find("0+3"), std::string::npos) << list.error().sentence();
    EXPECT_NE(list.error().where.english().find("global positions"), std::string::npos) << list.error().sentence();
  }
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
  const auto sparse = masks::parse_list("dilated:3/4,global:2+0");
  ASSERT_TRUE(sparse);
  EXPECT_EQ(masks::to_text(*sparse), "dilated:dilation=4/size=3,global:positions=2+0");
  EXPECT_EQ(*masks::parse_list(masks::to_text(*sparse)), *sparse);
  EXPECT_EQ(*masks::parse_list("dilated:size=3/4"), *masks::parse_list("dilated:3/4")) << "values without a name go in order";
  EXPECT_FALSE(masks::parse_list("dilated:1/2/3"));
}

// Every kind in a whole run: the backend agrees with the plain loops in double, and masked cells weigh exactly 0.
TEST(Masks, EveryKindComputesAlikeOnTheCpuAndTheReference) {
  for (const masks::Entry& entry : masks::registry().entries()) {
    SCOPED_TRACE(entry.id);
    Document document;
    document.texts = {"a fluffy blue creature", "man"};
    document.tokenizer = "characters";
    document.d_model = 16;
    document.heads = 2;
    document.layers = 1;
    document.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 3, {1, 0, 1, 0, 0, 1}});
    document.masks = *masks::parse_list(entry.role == masks::Role::widens ? "window:2," + entry.id : entry.id);
    Tensor weights[2];
    for (const bool plain : {false, true}) {
      document.backend = plain ? "reference" : "cpu";
      const auto backend = backends::open(document.backend);
      ASSERT_TRUE(backend.ok());
      const auto trace = run(document, **backend, {});
      ASSERT_TRUE(trace.ok()) << trace.error().sentence();
      weights[plain] = *(*trace)->values("layer.0.weights");
      const AttentionSite& site = (*trace)->sites().front();
      const Tensor may = site.mask.mask.broadcast_to({2, 1, site.queries, site.keys});
      std::int64_t masked = 0;
      for (std::int64_t b = 0; b < 2; ++b)
        for (std::int64_t i = 0; i < site.queries; ++i)
          for (std::int64_t j = 0; j < site.keys; ++j)
            if (may.at({b, 0, i, j}) == 0) {
              ++masked;
              ASSERT_EQ(weights[plain].at({b, 1, i, j}), 0.0) << b << " " << i << " " << j;
            }
      EXPECT_GT(masked, 0);
    }
    // float32 against double: rounding of weights up to 1.
    EXPECT_LE(difference(weights[0].as(DType::f64), weights[1]).max_abs, 2e-5);
  }
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

// The lecture's table of 8 positions in 3 digits, and what stands behind it.
TEST(Positions, BinaryIsTheDigitsOfThePosition) {
  const positions::Entry& binary = *positions::registry().find("binary");
  const Tensor table = binary.make(8, 5, 0);
  const std::vector<std::string> rows{"00000", "00100", "01000", "01100", "10000", "10100", "11000", "11100"};
  for (std::int64_t pos = 0; pos < 8; ++pos)
    for (std::int64_t c = 0; c < 5; ++c)
      EXPECT_EQ(table.at({pos, c}), rows[static_cast<std::size_t>(pos)][static_cast<std::size_t>(c)] - '0') << pos << " " << c;
  EXPECT_EQ(binary.used(8, 5), 3);
  EXPECT_EQ(binary.used(9, 5), 4);
  EXPECT_EQ(binary.used(1, 5), 1);
  // Too narrow for all digits: the lowest are kept, so that neighbours differ.
  EXPECT_EQ(binary.used(256, 2), 2);
  EXPECT_EQ(binary.make(256, 2, 0).at({6, 0}), 1);
  EXPECT_EQ(binary.make(256, 2, 0).at({6, 1}), 0);
}

TEST(Positions, LearnedIsDrawnBySeedAndRowsDoNotDependOnTheLength) {
  const auto make_table = positions::registry().find("learned")->make;
  const Tensor a = make_table(10, 8, 1), b = make_table(30, 8, 1), c = make_table(10, 8, 2);
  EXPECT_EQ(difference(a, b.slice(0, 0, 10).compact()).max_abs, 0);
  EXPECT_GT(difference(a, c).max_abs, 0.1);
  EXPECT_EQ(positions::registry().find("none")->make, nullptr);
}

// The shape is known without the mask; each of the lists at sizes of 1 and more.
TEST(Mask, TheCombinedShapeIsTheOneThatIsMade) {
  const masks::Matrix own{2, 2, {1, 0, 1, 1}};
  int made = 0;
  for (const char* text : {"", "padding", "causal", "causal,padding", "window:2", "window:1,global:3", "global:2",
                           "block:2,padding", "dilated:1/2,global:0+5,causal", "prefix:3", "custom", "custom,padding"})
    for (const masks::Site site : {masks::Site::encoder_self, masks::Site::decoder_self, masks::Site::cross})
      for (const auto& [batch, queries, keys] : {std::tuple{1, 7, 7}, {3, 7, 7}, {2, 1, 9}, {2, 5, 1}, {4, 6, 11}}) {
        masks::Request request;
        request.site = site;
        request.batch = batch;
        request.queries = queries;
        request.keys = keys;
        request.key_lengths.assign(static_cast<std::size_t>(batch), keys);
        const auto choices = masks::parse_list(text);
        ASSERT_TRUE(choices.ok());
        const auto shape = masks::combined_shape(*choices, request, &own);
        const auto whole = masks::combine(*choices, request, &own);
        ASSERT_TRUE(shape.ok() && whole.ok()) << text;
        EXPECT_EQ(*shape, whole->mask.empty() ? Shape{} : whole->mask.shape())
            << text << " " << batch << " " << queries << " " << keys;
        made += !shape->empty();
      }
  EXPECT_GT(made, 60);
}

}  // namespace
}  // namespace headlight
