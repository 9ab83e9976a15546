// The written-out computation as a picture: it shows what is copied, each link shows the number at its address, and nothing is
// cut off at any width.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "app/figures/explanation/explanation_figure.h"
#include "app/text/language.h"
#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"
#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

// Every code point is 0.6 of the size wide, as in a monospaced font.
struct Even final : TextMeasure {
  float width(std::string_view text, float size, Font) const override {
    std::size_t n = 0;
    for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return 0.6f * size * static_cast<float>(n);
  }
  float line_height(float size, Font) const override { return size * 1.3f; }
};

std::shared_ptr<const Trace> small_trace() {
  Document document;
  document.texts = {"a fluffy blue creature", "man 我爱 😀"};
  document.tokenizer = "characters";
  document.d_model = 24;
  document.heads = 3;
  document.layers = 1;
  document.masks = {{"causal", {}}, {"padding", {}}};
  auto backend = backends::open("cpu");
  auto trace = run(document, **backend, {});
  EXPECT_TRUE(trace.ok());
  return *trace;
}

std::string joined(const std::string& text) {  // without spaces: lines break at them
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\n') out += c;
  return out;
}

std::vector<const Text*> texts_of(const Figure& figure) {
  std::vector<const Text*> texts;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item)) texts.push_back(text);
  return texts;
}

void expect_inside(const WrittenFigure& page, float width, const Even& measure) {
  float last = 0;
  for (const Text* text : texts_of(page.figure)) {
    const float w = text->max_width > 0 ? std::min(text->max_width, measure.width(text->text, text->size, text->font))
                                        : measure.width(text->text, text->size, text->font);
    const float left = text->horizontal == Align::end      ? text->at.x - w
                       : text->horizontal == Align::middle ? text->at.x - w / 2
                                                           : text->at.x;
    EXPECT_GE(left, -1) << text->text << " at width " << width;
    EXPECT_LE(left + w, width + 1) << text->text << " at width " << width;
    EXPECT_GE(text->size, 12) << text->text;
    last = std::max(last, text->at.y);
  }
  EXPECT_LT(last, page.figure.height);
}

// No two texts of one line overlap.
void expect_apart(const WrittenFigure& page, const Even& measure, float width) {
  const auto texts = texts_of(page.figure);
  const auto box = [&](const Text* t) {
    float w = measure.width(t->text, t->size, t->font);
    if (t->max_width > 0) w = std::min(w, t->max_width);
    return Box{t->horizontal == Align::end      ? t->at.x - w
               : t->horizontal == Align::middle ? t->at.x - w / 2
                                                : t->at.x,
               t->at.y, w, 0};
  };
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      if (std::abs(texts[i]->at.y - texts[j]->at.y) > 6) continue;
      const Box a = box(texts[i]), b = box(texts[j]);
      EXPECT_TRUE(a.x + a.w <= b.x + 0.6f || b.x + b.w <= a.x + 0.6f)
          << "'" << texts[i]->text << "' lies over '" << texts[j]->text << "' at width " << width;
    }
}

// Each link shows the number at its address; powers show its exponent.
void expect_links(const Trace& trace, const WrittenFigure& page) {
  std::set<std::int64_t> seen;
  for (const Text* text : texts_of(page.figure)) {
    if (text->tag.kind != Tag::link) continue;
    ASSERT_LT(text->tag.a, static_cast<std::int64_t>(page.links.size()));
    EXPECT_TRUE(seen.insert(text->tag.a).second) << "a link is drawn once";
    const ValueAddress& at = page.links[static_cast<std::size_t>(text->tag.a)];
    ASSERT_TRUE(has_value(trace, at)) << at.step;
    std::string shown = text->text;
    if (shown == "masked" || shown.starts_with("e^")) continue;
    if (shown.front() == '(') shown = shown.substr(1, shown.size() - 2);
    const double there = trace.values(at.step)->at(std::span<const std::int64_t>(at.index));
    if (shown == "-∞") {
      EXPECT_EQ(there, -INFINITY);
      continue;
    }
    // Printed with four decimals; a softmax or a dot product in double may differ from the trace's float32 in the last one.
    EXPECT_NEAR(std::stod(shown), there, 1.1e-4) << at.step;
  }
  EXPECT_EQ(seen.size(), page.links.size());
}

// Every line that is copied is in the picture, in order; a row of a table number by number.
void expect_text(const std::vector<ExplainSection>& sections, const WrittenFigure& page) {
  std::string drawn;
  for (const Text* text : texts_of(page.figure)) drawn += joined(text->text) + "|";
  std::string run;
  for (const Text* text : texts_of(page.figure)) run += joined(text->text);
  std::size_t numbers = 0;
  for (const ExplainSection& section : sections)
    for (const ExplainLine& line : section.lines) {
      if (line.kind == ExplainLine::Kind::term) {
        for (const ExplainSpan& span : line.spans) {
          EXPECT_NE(drawn.find(joined(span.text) + "|"), std::string::npos) << line.text;
          EXPECT_NE(line.text.find(span.text), std::string::npos) << line.text;
          ++numbers;
        }
      } else if (line.kind == ExplainLine::Kind::line || line.kind == ExplainLine::Kind::rest) {
        EXPECT_NE(run.find(joined(line.text)), std::string::npos) << line.text;
      }
    }
  const std::string copied = to_text(sections);
  for (const Text* text : texts_of(page.figure))
    if (text->tag.kind == Tag::link) {
      EXPECT_NE(copied.find(text->text), std::string::npos) << text->text;
    }
}

class Explanations : public testing::Test {
 protected:
  void SetUp() override { speak(nullptr); }
  const std::shared_ptr<const Trace> trace_ = small_trace();
  const Theme& theme_ = themes().entries().front();
  const Even measure_;

  template <class Explained>
  void check(const Explained& explained) {
    for (const float width : {196.0f, 330.0f, 480.0f}) {
      const WrittenFigure page = explanation(explained, "layer 0 · random weights, seed 0", width, theme_, measure_);
      expect_inside(page, width, measure_);
      expect_apart(page, measure_, width);
      expect_links(*trace_, page);
      expect_text(explained.sections, page);
    }
  }
};

TEST_F(Explanations, EveryStepIsDrawnAsItIsCopied) {
  for (const Step& step : trace_->steps())
    for (const std::int64_t share : {1, 2, 3}) {
      SCOPED_TRACE(step.name);
      ValueAddress at{step.name, {}};
      for (const std::int64_t size : step.shape) at.index.push_back(size * share / 4);
      const auto e = explain_value(*trace_, at);
      ASSERT_TRUE(e.ok()) << e.error().sentence();
      check(*e);
    }
  for (const NamedParameter& parameter : trace_->parameters()) {
    const auto e = explain_value(*trace_, {parameter.name, std::vector<std::int64_t>(parameter.shape.size(), 1)});
    ASSERT_TRUE(e.ok());
    check(*e);
  }
}

TEST_F(Explanations, CellsAndTokensAreDrawnAsTheyAreCopied) {
  for (const auto& [query, key] : {std::pair<std::int64_t, std::int64_t>{5, 2}, {5, 9}, {0, 0}}) {
    const auto cell = explain_cell(*trace_, {"layer.0.", 1, 2, query, key});
    ASSERT_TRUE(cell.ok());
    check(*cell);
  }
  for (const std::int64_t token : {0, 5, 7}) {
    const auto e = explain_token(*trace_, false, 1, token);
    ASSERT_TRUE(e.ok()) << e.error().sentence();
    check(*e);
  }
}

TEST_F(Explanations, BarsSayTheirProductAndWhereItStands) {
  const auto e = explain_value(*trace_, {"layer.0.scores", {0, 1, 4, 2}});
  ASSERT_TRUE(e.ok());
  const WrittenFigure page = explanation(*e, "", 330, theme_, measure_);
  ASSERT_EQ(page.pictures.size(), 1u);
  const ExplainLine& picture = *page.pictures[0];
  ASSERT_EQ(picture.values.size(), 8u);
  const double q = trace_->values("layer.0.q")->at({0, 1, 4, 3}), k = trace_->values("layer.0.k")->at({0, 1, 2, 3});
  EXPECT_EQ(bar_words(picture, 3), "d 3: " + number_text(q) + " · " + number_text(k) + " = " + number_text(q * k));
  EXPECT_EQ(bar_address(picture, 3), (ValueAddress{"layer.0.q", {0, 1, 4, 3}}));
  EXPECT_EQ(bar_words(picture, 8), "");
  int bars = 0;
  for (const Item& item : page.figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item)) bars += box->tag.kind == Tag::bar;
  EXPECT_EQ(bars, 8);
  ASSERT_FALSE(page.figure.data.empty());
  EXPECT_NEAR(page.figure.data[0].values.at({3}), q * k, 1e-12);
}

// Every sentence and title of the explanations is in the table of translations.
TEST_F(Explanations, EverySentenceHasItsChinese) {
  const auto chinese = load_language("zh");
  ASSERT_TRUE(chinese.ok()) << chinese.error().sentence();
  std::set<std::string> said, formulas;
  for (const auto& entry : masks::registry().entries()) formulas.insert(entry.formula);
  for (const auto& entry : positions::registry().entries()) formulas.insert(entry.formula);
  const auto hear = [&](const std::vector<ExplainSection>& sections) {
    for (const ExplainSection& section : sections) {
      said.insert(section.title);
      for (const ExplainLine& line : section.lines)
        if (!line.words.empty() && !formulas.count(line.words)) said.insert(line.words);
    }
  };
  for (const bool blind : {false, true}) {
    Document document;
    document.texts = {"a fluffy blue creature", "man"};
    document.targets = {"le chat", "un homme mord"};
    document.tokenizer = "words";
    document.d_model = 24;
    document.heads = 3;
    document.layers = 1;
    document.temperature = blind ? 0.5 : 1;
    document.add_begin = blind;
    document.masks = {{"causal", {}}, {"padding", {}}, {"window", {{"size", std::int64_t{1}}}}, {"global", {}}, {"prefix", {}}};
    if (blind) {
      document.masks = {{"custom", {}}};
      document.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{2, 4, {0, 0, 0, 0, 1, 0, 1, 1}});
      document.position = "learned";
      document.scale = "none";
    }
    auto backend = backends::open("cpu");
    const auto trace = run(document, **backend, {});
    ASSERT_TRUE(trace.ok()) << trace.error().sentence();
    for (const Step& step : (*trace)->steps())
      for (std::int64_t row = 0; row < 4; ++row)
        for (std::int64_t column = 0; column < 4; ++column) {
          ValueAddress at{step.name, std::vector<std::int64_t>(step.shape.size(), 0)};
          at.index[step.shape.size() == 4 ? 2 : step.shape.size() == 3 ? 1 : 0] = row;
          at.index.back() = column;
          if (step.shape.size() > 2) at.index[0] = column % 2;
          if (const auto e = explain_value(**trace, at); e.ok()) {
            hear(e->sections);
            for (const ExplainLine& crumb : e->crumbs) said.insert(crumb.words);
            said.insert(e->operation);
          }
        }
    for (const NamedParameter& parameter : (*trace)->parameters())
      hear(explain_value(**trace, {parameter.name, std::vector<std::int64_t>(parameter.shape.size(), 0)})->sections);
    for (const AttentionSite& site : (*trace)->sites())
      for (std::int64_t query = 0; query < site.queries; ++query)
        for (std::int64_t key = 0; key < site.keys; ++key) hear(explain_cell(**trace, {site.prefix, 0, 0, query, key})->sections);
    for (std::int64_t token = 0; token < 2; ++token) hear(explain_token(**trace, true, 1, token)->sections);
  }
  EXPECT_GT(said.size(), 50u);
  for (const std::string& words : said) EXPECT_NE((*chinese)->find(words), nullptr) << words;
}

// More values than there is room for: each group is represented by its largest.
TEST_F(Explanations, ManyBarsShowTheLargestOfEachGroup) {
  ExplainSection section{"s", {}};
  ExplainLine picture;
  picture.kind = ExplainLine::Kind::bars;
  picture.values.assign(1000, 0.25);
  picture.values[501] = -2;
  picture.axis = "c";
  section.lines.push_back(picture);
  const std::vector<ExplainSection> sections{section};
  const WrittenFigure page = written("title", "", "", sections, 300, theme_, measure_);
  int bars = 0;
  bool found = false;
  for (const Item& item : page.figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->tag.kind == Tag::bar) {
      ++bars;
      found |= box->tag.b == 501;
    }
  EXPECT_EQ(bars, 100);
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace headlight::figures
