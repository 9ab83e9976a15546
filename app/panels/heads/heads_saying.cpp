// Above the picture of one head of a trained model: which head it is, the role that was found for it, and what it does with the
// sentence that is typed, in words.
#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/panels/heads/heads_tab.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/text/utf8.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kTall = 600;      // points of a tab's height that has room for two lines
constexpr float kMeasured = 128;  // the bar of the measured score, with its number
constexpr float kLeastBeside = 420;
constexpr int kMostLines = 3;

// "Layer 4, head 0", at the beginning of a sentence.
std::string named_head(const AttentionChoice& choice, HeadRef head) {
  const std::string layer = std::to_string(choice.layers[static_cast<std::size_t>(head.layer)]->layer);
  const char* words = choice.kind == "encoder."   ? tr("Encoder, layer {}, head {}")
                      : choice.kind == "decoder." ? tr("Decoder, layer {}, head {}")
                      : choice.kind.empty()       ? tr("Layer {}, head {}")
                                                  : tr("Cross, layer {}, head {}");
  return fill(words, {layer, std::to_string(head.head)});
}

// Where a line may be broken: behind spaces, and between ideographs.
std::vector<SayingPart> pieces_of(const Saying& saying) {
  std::vector<SayingPart> pieces;
  for (const SayingPart& part : saying) {
    if (part.marked) {
      pieces.push_back(part);
      continue;
    }
    std::string piece;
    text::for_each_code_point(part.text, [&](std::int64_t at, const text::CodePoint& c) {
      piece += part.text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(c.length));
      if (c.value != U' ' && c.value < 0x2e80) return;
      pieces.push_back({piece, false});
      piece.clear();
    });
    if (!piece.empty()) pieces.push_back({piece, false});
  }
  return pieces;
}

// How the score was measured; of a head without a role, what comes nearest to one.
std::string measure_words(const HeadRoles& roles, std::size_t at, const HeadRole* role, const HeadHere& here) {
  const PatternScores &scores = roles.scores[at], &by_chance = roles.chance[at];
  if (role) {
    std::string words = fill(tr(words_of(role->pattern).measure),
                             {figures::cell_number(role->score), std::to_string(roles.texts_of(role->pattern))});
    if (const auto& chance = score_of(by_chance, role->pattern))
      words += fill(tr("; by chance {}"), {figures::cell_number(*chance)});
    if (const auto& now = score_of(here.scores, role->pattern))
      words += fill(tr("; in this one {}"), {figures::cell_number(*now)});
    return words;
  }
  // What it lacks least for.
  std::optional<HeadRole> nearest;
  double least = 0;
  for (const HeadPattern pattern : kHeadPatterns)
    if (const auto& score = score_of(scores, pattern)) {
      const double needed = least_score(pattern, score_of(by_chance, pattern));
      if (nearest && needed - *score >= least - nearest->score) continue;
      nearest = {pattern, *score};
      least = needed;
    }
  if (!nearest) return {};
  return fill(tr("nearest to a role: {0}, {1} over {2} texts; a name takes {3}"),
              {tr(words_of(nearest->pattern).name), figures::cell_number(nearest->score),
               std::to_string(roles.texts_of(nearest->pattern)), figures::cell_number(least)});
}

// What the head does in this sentence; its name only where the score here agrees with it.
std::string title_of_role(const std::string& name, const HeadRole& role, const HeadRoles& roles, const HeadHere& here) {
  const auto& now = score_of(here.scores, role.pattern);
  if (now && *now >= least_score(role.pattern)) return fill(tr(words_of(role.pattern).does), {name});
  const std::string called = tr(words_of(role.pattern).name), texts = std::to_string(roles.texts_of(role.pattern));
  if (needs_marks(role.pattern)) return fill(tr("{0} is named “{1}” after {2} marked texts; here:"), {name, called, texts});
  if (!now) return fill(tr("{0} is named “{1}” after {2} texts; here is nothing of that kind:"), {name, called, texts});
  return fill(tr("{0} is named “{1}” after {2} texts; it does not do so here:"), {name, called, texts});
}

}  // namespace

float draw_heads_saying(const HeadsTab& tab, const std::vector<Pane>& panes, float width, float room) {
  Context& context = tab.context;
  const AttentionChoice& choice = tab.choice;
  if (tab.tight || panes.size() != 1 || panes.front().kind != Pane::one) return 0;
  const HeadRef head = panes.front().heads.front();
  const auto roles = head_roles(context, choice);
  if (!roles) return 0;
  const bool measured = roles->measured();
  const std::size_t at = static_cast<std::size_t>(head.layer * choice.site->heads + head.head);
  const HeadRole* const role = measured && roles->roles[at] ? &*roles->roles[at] : nullptr;
  const auto here = head_here(context, choice, head, *roles);
  if (!here) return 0;
  figures::Figure figure;
  const figures::Composer pen{figure, context.theme, context.measure};
  const figures::Theme& theme = context.theme;
  const auto wide = [&](const std::string& words, float size, Font font) { return context.measure.width(words, size, font); };
  float y = 0;

  // In two lines at most.
  const bool beside = role && width >= kLeastBeside;
  const float text_room = beside ? width - kMeasured - 16 : width;
  const std::string name = named_head(choice, head);
  const std::string title = choice.site->keys < 2
                                ? fill(tr("{}: a sentence of one token, which can only look at itself."), {name})
                            : role                 ? title_of_role(name, *role, *roles, *here)
                            : !measured            ? fill(tr("{}:"), {name})
                            : here->saying.empty() ? fill(tr("{} has no found role."), {name})
                                                   : fill(tr("{} has no found role:"), {name});
  const float title_line = context.measure.line_height(ui::kHeading, Font::words_bold) + 2;
  const std::vector<std::string> lines = figures::wrap(title, text_room, ui::kHeading, Font::words_bold, context.measure);
  for (std::size_t i = 0; i < std::min<std::size_t>(2, lines.size()); ++i, y += title_line)
    pen.text(0, y + title_line / 2, lines[i], ui::kHeading, Font::words_bold, theme.text, figures::Align::start, text_room + 1);
  if (beside) {  // the measured score with this sentence's as a tick, at the right of the first line
    const std::string number = figures::cell_number(role->score), label = tr("measured");
    const float left = width - kMeasured, track = kMeasured - wide(number, 16, Font::mono) - 8;
    pen.text(width, 11, number, 16, Font::mono, theme.text, figures::Align::end);
    pen.bar({left, 8, track, 6}, role->score, hue_of(role->pattern, theme));
    if (wide(title, ui::kHeading, Font::words_bold) + wide(label, ui::kSmall, Font::words) + 24 < left)
      pen.text(left - 8, 11, label, ui::kSmall, Font::words, theme.secondary, figures::Align::end);
    if (const auto score = score_of(here->scores, role->pattern))
      pen.box({left + static_cast<float>(std::clamp(*score, 0.0, 1.0)) * track - 1, 4, 2, 14}, theme.text);
  }

  // Which heads share its keys and values: at the right of the first line, or on a line of its own where there is height.
  if (const std::string shared = shared_key_words(*choice.site, head.head); !shared.empty()) {
    const float own = wide(shared, ui::kSmall, Font::words);
    const bool fits = !beside && lines.size() == 1 && wide(title, ui::kHeading, Font::words_bold) + own + 24 < width;
    if (fits || room >= kTall) {
      pen.text(fits ? width : 0, fits ? title_line / 2 : y + 9, shared, ui::kSmall, Font::words, theme.secondary,
               fits ? figures::Align::end : figures::Align::start, width);
      if (!fits) y += 18;
    }
  }

  // The number of lines that a saying takes; draws it unless `only_count`.
  const float size = context.view.presentation ? ui::kHeading : 16;
  const auto say = [&](const Saying& saying, bool only_count) {
    const float high = context.measure.line_height(size, Font::words) + 3;
    float x = 0;
    int count = 1;
    for (const SayingPart& piece : pieces_of(saying)) {
      const Font font = piece.marked ? Font::words_bold : Font::words;
      const float piece_wide = wide(piece.text, size, font);
      // A stop or a comma stays with the word before it.
      const bool sticks = piece.text.front() == '.' || piece.text.front() == ',';
      if (x > 0 && x + piece_wide > width && !sticks) {
        x = 0;
        ++count;
        y += only_count ? 0 : high;
      }
      if (!only_count)
        pen.text(x, y + high / 2, piece.text, size, font, piece.marked ? theme.selected : theme.text, figures::Align::start,
                 std::max(20.0f, width - x) + 8);
      x += piece_wide;
    }
    if (!only_count) y += high;
    return count;
  };
  const Saying& saying = say(here->saying, true) > (room >= kTall ? 2 : 1) ? here->brief : here->saying;
  if (!saying.empty() && say(saying, true) <= kMostLines) say(saying, false);
  figure.width = width;
  figure.height = y + 4;
  const gl::Hit hit = context.figures.draw(figure, "saying");
  name_part(context, "heads:saying");
  if (hit.hovered && measured)
    ui::tooltip(tab.look, role ? with_warning(measure_words(*roles, at, role, *here)) : measure_words(*roles, at, role, *here));
  figure_menu(context, "saying menu", hit, [&] { return figure_of_heads(context, 900, 820); });
  return figure.height;
}

}  // namespace headlight::panels
