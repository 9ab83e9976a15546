// What is said beside the large picture: the sentence above that of one head of a trained model, and in presentation the cell
// that is looked at.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "engine/attention/scores/score.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::views::heads {
namespace {

// "Layer 4, head 0", at the beginning of a sentence.
std::string named_head(const AttentionChoice& choice, HeadRef head) {
  const std::string layer = std::to_string(choice.layers[static_cast<std::size_t>(head.layer)]->layer);
  const char* words = choice.kind == "encoder."   ? tr("Encoder, layer {}, head {}")
                      : choice.kind == "decoder." ? tr("Decoder, layer {}, head {}")
                      : choice.kind.empty()       ? tr("Layer {}, head {}")
                                                  : tr("Cross, layer {}, head {}");
  return fill(words, {layer, std::to_string(head.head)});
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

// "0.517", "-14.2"; masked cells say so.
std::string read_out(const PanePicture& picture, std::int64_t row, std::int64_t column) {
  if (row < 0 || column < 0 || row >= picture.values.dim(0) || column >= picture.values.dim(1)) return {};
  if (!picture.mask.empty() && picture.mask.at({row, column}) == 0) return tr("masked");
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(picture.values.at({row, column})));
  return text;
}

}  // namespace

void end_whole(std::string& line) {
  for (const std::string_view mark : {" ", ",", ";", ":", "，", "；", "："})
    while (line.ends_with(mark)) line.resize(line.size() - mark.size());
}

float draw_heads_saying(const HeadsTab& tab, const std::vector<Pane>& panes, float width, float room) {
  const Context& context = tab.context;
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
  const std::string name = named_head(choice, head);
  const std::string title = choice.site->keys < 2
                                ? fill(tr("{}: a sentence of one token, which can only look at itself."), {name})
                            : role                 ? title_of_role(name, *role, *roles, *here)
                            : !measured            ? fill(tr("{}:"), {name})
                            : here->saying.empty() ? fill(tr("{} has no found role."), {name})
                                                   : fill(tr("{} has no found role:"), {name});
  SayingInput input{.title = title, .shared = shared_key_words(*choice.site, head.head)};
  if (role) input.brief_title = fill(tr("{0} is named “{1}”; here:"), {name, tr(words_of(role->pattern).name)});
  if (role) input.role = *role, input.score = score_of(here->scores, role->pattern);
  input.saying = here->saying;
  input.brief = here->brief;
  if (context.view.presentation) input.words = ui::kHeading;
  const figures::Figure figure = saying_figure(input, width, room, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "saying");
  name_part(context, "heads:saying");
  if (hit.hovered && measured)
    ui::tooltip(tab.look, role ? with_warning(measure_words(*roles, at, role, *here)) : measure_words(*roles, at, role, *here));
  figure_menu(context, "saying menu", hit, [&] { return figure_of_heads(context, 900, 820); });
  return figure.height;
}

CaptionInput caption_of(const Context& context, const AttentionChoice& choice, const Pane& pane, bool titled) {
  CaptionInput input;
  if (titled) input.title = pane.title;
  if (titled && pane.kind == Pane::one) input.shared = shared_key_words(*choice.site, pane.heads.front().head);
  const Role role = role_of(context.view, pane);
  input.what = role == Role::scores          ? tr(scores::words_of(context.trace->document().score))
               : role == Role::masked_scores ? tr("scaled score")
                                             : tr("weight");
  const LitCell lit = lit_of(context, choice);
  const std::string& shown = own(context.view).picture;
  input.cells = shown == "heatmap" || shown == "dots";
  const auto picture = lit.query >= 0 && lit.key >= 0 ? pane_picture(context, choice, pane) : nullptr;
  if (!picture) return input;
  const bool turned = context.view.transposed;
  const AttentionWords* const words = shown_words(context.view, choice);
  const std::int64_t query = words ? words->rows.at(lit.query) : lit.query, key = words ? words->columns.at(lit.key) : lit.key;
  input.number = read_out(*picture, turned ? key : query, turned ? query : key);
  const char* const said = names_written(context, choice) ? tr("to write {0} it looks at {1}") : tr("{0} looks at {1}");
  input.cell = fill(said, {shown_queries(context, choice)[static_cast<std::size_t>(query)],
                           shown_keys(context, choice)[static_cast<std::size_t>(key)]});
  return input;
}

}  // namespace headlight::views::heads
