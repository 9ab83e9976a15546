#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/next_word/pictures.h"
#include "app/views/next_word/titled_picture.h"

namespace headlight::figures {
namespace {

constexpr float kCandidateListToken = 15, kCandidateListSmall = 13, kCut = 22;

constexpr float kNarrowList = 160, kLeastChanceBar = 8;  // points for words and bars, and of a bar

// Where the columns of the list stand.
struct CandidateListColumns {
  float token = 0, token_wide = 0, bar = 0, bar_wide = 0, model = 0, drawn = 0;
};

CandidateListColumns candidate_list_columns_of(const CandidatesInput& input, float width, const TextMeasure& measure) {
  CandidateListColumns c;
  const float number = std::max({measure.width("100.0 %", kCandidateListToken, Font::mono),
                                 measure.width(tr("model"), kCandidateListSmall, Font::words),
                                 measure.width(tr("drawn"), kCandidateListSmall, Font::words)});
  float token = 0;
  for (const auto& row : input.rows) token = std::max(token, measure.width(row.token, kCandidateListToken, Font::mono));
  c.token = 40;
  c.drawn = width - 10;
  c.model = input.only_model ? c.drawn : c.drawn - number - 12;
  const float room = c.model - number - 10 - c.token;
  // In a narrow list whole words come before bars.
  c.token_wide = std::clamp(token + 2, room * 0.3f, room < kNarrowList ? std::max(room, room * 0.3f) : room * 0.62f);
  c.bar = c.token + c.token_wide + 10;
  c.bar_wide = std::max(0.0f, c.model - number - 10 - c.bar);
  return c;
}

void add_candidates_data(Figure& figure, const CandidatesInput& input) {
  std::vector<float> model, drawn;
  std::vector<std::string> tokens;
  for (const auto& row : input.rows) {
    model.push_back(static_cast<float>(row.model));
    drawn.push_back(static_cast<float>(row.drawn));
    tokens.push_back(row.token);
  }
  const Shape shape{static_cast<std::int64_t>(tokens.size())};
  figure.data.push_back({"model", Tensor::of(model, shape), {"candidate"}, {tokens}});
  if (!input.only_model) figure.data.push_back({"drawn", Tensor::of(drawn, shape), {"candidate"}, {tokens}});
}

}  // namespace

Figure candidate_list(const CandidatesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const CandidateListColumns c = candidate_list_columns_of(input, width, measure);
  float y = begin_titled(figure, input.title, width, theme, pen);
  pen.text(c.token, y + 9, tr("word"), kCandidateListSmall, Font::words, theme.secondary);
  pen.text(c.model, y + 9, tr("model"), kCandidateListSmall, Font::words, theme.secondary, Align::end);
  const auto draw_share = [&](float middle, const std::string& share, Color ink, Tag tag) {
    if (!input.only_model) pen.text(c.drawn, middle, share, kCandidateListSmall, Font::mono, ink, Align::end, 0, tag);
  };
  if (!input.only_model) pen.text(c.drawn, y + 9, tr("drawn"), kCandidateListSmall, Font::words, theme.secondary, Align::end);
  y += 22;
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    const auto& row = input.rows[i];
    const bool cut = i >= input.allowed, lit = static_cast<std::int64_t>(i) == input.tracked;
    if (i == input.allowed && i > 0 && !input.cut_words.empty()) {
      const float wide = measure.width(input.cut_words, kCandidateListSmall, Font::words), middle = y + kCut / 2;
      pen.line({0, middle}, {(width - wide) / 2 - 10, middle}, theme.line);
      pen.line({(width + wide) / 2 + 10, middle}, {width, middle}, theme.line);
      pen.text(width / 2, middle, input.cut_words, kCandidateListSmall, Font::words, theme.secondary, Align::middle);
      y += kCut;
    }
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    const float middle = y + input.row_height / 2;
    pen.box({0, y, width, input.row_height}, lit ? with_alpha(theme.selected, 0.14f) : Color{0, 0, 0, 0},
            lit ? theme.selected : Color{0, 0, 0, 0}, lit ? 1.0f : 0.0f, 8, tag);
    const Color quiet = cut ? theme.secondary : theme.text, ink = lit ? theme.selected : quiet;
    pen.text(26, middle, std::to_string(i + 1), kCandidateListSmall, Font::mono, lit ? theme.selected : theme.secondary,
             Align::end, 0, tag);
    pen.text(c.token, middle, row.token, kCandidateListToken, Font::mono, ink, Align::start, c.token_wide,
             {tag.kind, tag.a, tag.b, Part::predicted});
    if (c.bar_wide >= kLeastChanceBar)
      pen.bar({c.bar, middle - 4, c.bar_wide, 8}, row.model,
              lit   ? theme.selected
              : cut ? with_alpha(theme.info, 0.5f)
                    : theme.info);
    pen.text(c.model, middle, percent(row.model), kCandidateListToken, Font::mono, ink, Align::end, 0, tag);
    draw_share(middle, cut ? "–" : percent(row.drawn), ink, tag);
    y += input.row_height;
  }
  if (!input.others.empty()) {
    const float middle = y + input.row_height / 2;
    pen.text(c.token, middle, input.others, kCandidateListSmall, Font::words, theme.secondary, Align::start,
             c.model - measure.width("100.0 %", kCandidateListToken, Font::mono) - c.token);
    pen.text(c.model, middle, percent(input.others_model), kCandidateListToken, Font::mono, theme.secondary, Align::end);
    draw_share(middle, input.others_drawn > 0 ? percent(input.others_drawn) : "–", theme.secondary, {});
    y += input.row_height;
  }
  figure.height = y;
  add_candidates_data(figure, input);
  return figure;
}

}  // namespace headlight::figures
