#include "app/inspector/what_if_switches.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/head_switches.h"
#include "app/views/base/view.h"
#include "engine/attention/masks/combined.h"
#include "engine/tokenizers/tokenizer.h"
#include "imgui.h"

namespace headlight::views {
namespace {

// Masks the pinned cell, where one is pinned that the mask allows; a click with Shift masks any cell of the map.
void draw_cells(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head, bool low) {
  const Intervention::Cell cell{context.view.pinned_row, context.view.pinned_column};
  if (cell.query < 0 || cell.key < 0 || cell.query >= choice.site->queries || cell.key >= choice.site->keys ||
      !masks::allows(choice.site->mask.mask, choice.batch, choice.head, cell.query, cell.key)) {
    if (context.view.tab == view_that(Offers::one_head).id && !low)
      ui::words(look, tr("Shift+click a cell of the map to mask it, or to take that back"), look.theme.secondary);
    return;
  }
  bool masked = is_masked(context.document, head, cell);
  const bool changed = ui::toggle(look, ui::labelled(tr("mask the pinned cell"), "mask cell").c_str(), &masked);
  name_part(context, "what if:cell");
  const auto rows = row_labels(context, choice), columns = column_labels(context, choice);
  ui::tooltip(look, fill(tr("{} may not look at {}: its other weights share what that one had"),
                         {rows[static_cast<std::size_t>(cell.query)], columns[static_cast<std::size_t>(cell.key)]}));
  if (changed && context.edit) context.edit(with_cell(context.document, head, cell, masked));
}

// How a part that can be taken out is named.
struct OutWords {
  const char *label, *id, *tip, *zero, *mean;
};

// A switch that takes a part out, and what then stands in its place; what becomes of it.
HeadSwitches::Out draw_out(Context& context, const ui::Look& look, const OutWords& say, HeadSwitches::Out was) {
  bool out = was != HeadSwitches::Out::no;
  HeadSwitches::Out now = was;
  if (ui::toggle(look, ui::labelled(say.label, say.id).c_str(), &out))
    now = out ? HeadSwitches::Out::zero : HeadSwitches::Out::no;
  name_part(context, std::string("what if:") + say.id);
  ui::tooltip(look, say.tip);
  if (!out) return now;
  const char* const labels[] = {tr("zero"), tr("its mean")};
  const char* const why[] = {say.zero, say.mean};
  next_on_line(
      look,
      look.figures.width(labels[0], 14, figures::Font::words) + look.figures.width(labels[1], 14, figures::Font::words) + 52, 12);
  const std::string id = std::string(say.id) + " as";
  const int clicked = ui::segmented(look, id.c_str(), labels, 2, was == HeadSwitches::Out::mean ? 1 : 0, why);
  if (clicked >= 0) now = clicked == 1 ? HeadSwitches::Out::mean : HeadSwitches::Out::zero;
  name_part(context, std::string("what if:") + id);
  return now;
}

// The whole layer in which the head stands.
void draw_layer_switch(Context& context, const ui::Look& look, const ModelAddress& head) {
  ModelAddress layer = head;
  layer.part = ModelAddress::Part::layer;
  layer.cross = false;
  layer.head = 0;
  HeadSwitches switches = switches_of(context.document, layer);
  const OutWords say{tr("without this layer"), "without layer",
                     tr("What the layer's attention and its feed-forward part add is replaced, and everything behind it is "
                        "computed anew"),
                     tr("They add nothing: every token leaves the layer as it came"),
                     tr("At every position they add their mean over the positions of the text")};
  const HeadSwitches::Out now = draw_out(context, look, say, switches.out);
  if (now == switches.out || !context.edit) return;
  switches.out = now;
  context.edit(with_switches(context.document, layer, switches));
}

// What is typed for the pattern of another sentence, before it fits.
struct PatternTransient {
  ModelAddress head;  // of which the rest is
  bool open = false;
  std::string draft;    // what is typed
  std::string applied;  // what the document had from here; another one came by undo, or with a session
};

// The tokens that a text has in the place of the shown sentence on which the head's pattern depends; typed -1: it cannot be cut.
struct PatternLength {
  std::int64_t typed = -1, wanted = 0;
};
PatternLength pattern_length(const Context& context, const AttentionChoice& choice, const ModelAddress& head,
                             const std::string& typed) {
  const bool target = head.side == "decoder." && !head.cross;
  const auto sentences = target ? context.trace->targets() : context.trace->texts();
  const auto tokenizer = target ? context.trace->target_tokenizer() : context.trace->tokenizer();
  const Sentence& shown = sentences[static_cast<std::size_t>(choice.batch)];
  const auto own = tokenizer->encode(shown.text), other = tokenizer->encode(typed);
  PatternLength length;
  length.wanted = static_cast<std::int64_t>(shown.tokens.size());
  if (own.ok() && other.ok())  // [BOS] and [EOS] stand around both
    length.typed = length.wanted - static_cast<std::int64_t>(own->size()) + static_cast<std::int64_t>(other->size());
  return length;
}

// The pattern of another sentence: a switch, and a field for the sentence, which counts once it has as many tokens.
void draw_pattern(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head,
                  HeadSwitches& now) {
  if (context.trace->texts().size() > 1) return;  // a pattern is of one text
  PatternTransient& kept = context.transient->of<PatternTransient>();
  if (!(kept.head == head) || kept.applied != now.sentence) kept = {head, !now.sentence.empty(), now.sentence, now.sentence};
  bool typed = ui::toggle(look, ui::labelled(tr("pattern of another sentence"), "pattern").c_str(), &kept.open);
  name_part(context, "what if:pattern");
  ui::tooltip(look,
              tr("The head's weights are frozen to those that it has on a sentence of your own with as many tokens: does it "
                 "matter which words it looked at?"));
  if (typed && kept.open) now.uniform = false;
  if (kept.open) {
    push_font(context, figures::Font::words, 14);
    ImGui::SetNextItemWidth(std::max(look.px(80), ImGui::GetContentRegionAvail().x));
    typed |= ui::live_text_input("##pattern sentence", kept.draft, tr("a sentence of as many tokens"));
    ImGui::PopFont();
    name_part(context, "what if:sentence");
    const PatternLength length = pattern_length(context, choice, head, kept.draft);
    const bool fits = length.typed == length.wanted && !kept.draft.empty();
    if (typed) now.sentence = fits ? kept.draft : std::string();
    if (!fits && !kept.draft.empty())
      ui::words(look,
                fill(tr("{} of {} tokens: it counts when there are as many"),
                     {std::to_string(length.typed), std::to_string(length.wanted)}),
                look.theme.secondary);
  } else if (typed) {
    now.sentence.clear();
  }
  if (typed) kept.applied = now.sentence;
}

void draw_head_switches(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head) {
  const HeadSwitches was = switches_of(context.document, head);
  HeadSwitches now = was;
  const bool out = was.out != HeadSwitches::Out::no;
  const OutWords say{tr("without this head"), "without",
                     tr("What the head adds is replaced, and everything behind it is computed anew"),
                     tr("Its weighted sum becomes 0, as if its rows of W_O were 0"),
                     tr("At every position its mean over the positions of the text: what it adds here in any case stays")};
  now.out = draw_out(context, look, say, was.out);
  ui::toggle(look, ui::labelled(tr("equal weights"), "uniform").c_str(), &now.uniform);
  name_part(context, "what if:uniform");
  ui::tooltip(look, tr("The head looks at all allowed keys alike: does its pattern matter?"));
  if (now.uniform && !was.uniform) {
    now.sentence.clear();
    context.transient->of<PatternTransient>() = {};
  }
  draw_pattern(context, look, choice, head, now);
  if (!out) {
    const float track = std::max(look.px(60), ImGui::GetContentRegionAvail().x - look.px(72));
    double factor = was.factor;
    if (number_slider(look, "##times", &factor, 0, 3, false, track)) now.factor = std::round(factor * 20) / 20;
    ui::tooltip(look, tr("The head's weighted sum is multiplied by this"));
    slider_number(look, "× " + short_number(was.factor), 56);
    ImGui::NewLine();
  }
  if (!(now == was) && context.edit) context.edit(with_switches(context.document, head, now));
}

}  // namespace

void draw_switches(Context& context, const ui::Look& look, const AttentionChoice& choice, const ModelAddress& head, bool low) {
  draw_head_switches(context, look, choice, head);
  draw_layer_switch(context, look, head);
  draw_cells(context, look, choice, head, low);
}

}  // namespace headlight::views
