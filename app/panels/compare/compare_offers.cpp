#include "app/panels/compare/compare_offers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/panels/compare/compare_data.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/figure_menu.h"
#include "app/session/worker.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr std::int64_t kMostTokens = 256;  // longer texts are changed on a click, not before
constexpr float kOffersGap = 16, kLeastCard = 228, kLeastPresented = 170, kMostCard = 420, kPad = 12, kArrow = 26;

// One suggested change.
struct Offer {
  const char *part, *label, *why;
  Document document;
};

std::vector<Offer> offers_of(const Document& document) {
  const auto causal = [](const Choice& mask) { return mask.id == "causal"; };
  const bool masked = std::any_of(document.masks.begin(), document.masks.end(), causal);
  std::vector<Offer> list = {
      {"compare:mask", masked ? tr("without the causal mask") : tr("with a causal mask"),
       tr("What a token may look at: everything, or only itself and what came before"), document},
      {"compare:temperature", tr("temperature 2"), tr("Softmax with the scores halved: flatter rows"), document},
      {"compare:tokenizer", document.tokenizer == "wordpiece" ? tr("BPE") : tr("WordPiece"),
       tr("The same sentence cut into other tokens: compared by the stretches of text that they share"), document},
      {"compare:positions", document.position == "none" ? tr("sinusoidal positions") : tr("no positions"),
       tr("With and without knowing where a token stands"), document}};
  if (masked)
    std::erase_if(list[0].document.masks, causal);
  else
    list[0].document.masks.push_back({"causal", {}});
  list[1].document.temperature = document.temperature == 2 ? 1 : 2;
  if (document.temperature == 2) list[1].label = tr("temperature 1");
  list[2].document.tokenizer = document.tokenizer == "wordpiece" ? "bpe" : "wordpiece";
  list[3].document.position = document.position == "none" ? "sinusoidal" : "none";
  return list;
}

// One head's weights as a small picture.
struct Thumb {
  Tensor values, mask;
  double largest = 0;
  std::uint64_t key = 0;
  std::uint64_t bytes() const { return values.bytes() + mask.bytes(); }
};

Result<Thumb> thumb_of(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head,
                       const DerivedKey& key) {
  for (const AttentionSite& site : trace.sites()) {
    if (site.prefix != prefix) continue;
    Trace::Tile tile;
    tile.batch = batch;
    tile.head = head;
    HL_ASSIGN(const Tensor weights, trace.tile(trace.name_at(prefix, Role::weights), tile));
    Thumb out;
    out.values = weights.as(DType::f32).compact();
    out.mask = site_mask(site, batch, head);
    for (const float w : out.values.values<float>()) out.largest = std::max(out.largest, static_cast<double>(w));
    out.key = key.hash() | 1;
    return out;
  }
  return failure(ErrorKind::invalid, "there is no such attention").at(prefix);
}

// The pattern after a change, computed in the background once per document, layer and head. Null until it is ready.
std::shared_ptr<const Thumb> changed(const Context& context, const AttentionChoice& choice, const Offer& offer) {
  const DerivedKey key("compare/offer",
                       {offer.part, context.trace->generation(), choice.site->prefix, choice.batch, choice.head});
  return context.derived
      .later<Thumb>(key,
                    [document = offer.document, prefix = choice.site->prefix, batch = choice.batch, head = choice.head,
                     key](const CancelToken& cancel) -> Result<Thumb> {
                      HL_ASSIGN(const auto trace, run_on_backend()(document, cancel));
                      return thumb_of(*trace, prefix, batch, head, key);
                    })
      .value;
}

std::shared_ptr<const Thumb> present(const Context& context, const AttentionChoice& choice) {
  const DerivedKey key("compare/present", {context.trace->generation(), choice.site->prefix, choice.batch, choice.head});
  return context.derived
      .now<Thumb>(
          key, [&](const CancelToken&) { return thumb_of(*context.trace, choice.site->prefix, choice.batch, choice.head, key); })
      .value;
}

void add_thumb(figures::Figure& figure, const Context& context, const std::shared_ptr<const Thumb>& thumb, figures::Box box,
               double largest) {
  const figures::Composer pen{figure, context.theme, context.measure};
  if (!thumb) {
    pen.box(box, context.theme.panel, context.theme.line, 1, 4);
    pen.text(box.x + box.w / 2, box.y + box.h / 2, tr("computing …"), 13, Font::words, context.theme.secondary,
             figures::Align::middle, box.w - 8);
    return;
  }
  figures::Cells cells;
  cells.rows = thumb->values.dim(0);
  cells.columns = thumb->values.dim(1);
  // Square cells, centred in the box.
  const float cell = std::min(box.w / static_cast<float>(cells.columns), box.h / static_cast<float>(cells.rows));
  const float wide = cell * static_cast<float>(cells.columns), high = cell * static_cast<float>(cells.rows);
  cells.box = {box.x + (box.w - wide) / 2, box.y + (box.h - high) / 2, wide, high};
  cells.values = thumb->values;
  cells.mask = thumb->mask;
  cells.colormap = context.view.colormap;
  cells.high = largest > 0 ? static_cast<float>(largest) : 1.0f;
  cells.key = thumb->key;
  figure.add(cells);
}

std::vector<std::string> why_lines(const Context& context, const Offer& offer, float width) {
  return figures::wrap(offer.why, width - 2 * kPad, 13, Font::words, context.measure);
}

// The card of one suggestion: the present pattern, an arrow, the changed pattern, and what it shows. `least` lines high, so that
// neighbouring cards have the same height.
figures::Figure card(const Context& context, const std::shared_ptr<const Thumb>& before,
                     const std::shared_ptr<const Thumb>& after, const Offer& offer, float width, bool hot,
                     std::size_t least = 0) {
  figures::Figure figure;
  figure.width = width;
  const figures::Theme& theme = context.theme;
  const figures::Composer pen{figure, theme, context.measure};
  const float side = (width - 2 * kPad - kArrow) / 2;
  std::vector<std::string> lines;  // in presentation mode only pictures are shown; the tooltip says why
  if (!context.view.presentation) lines = why_lines(context, offer, width);
  figure.height = kPad + 18 + side + 10 + 18 * static_cast<float>(std::max(least, lines.size())) + kPad;
  pen.box({0.5f, 0.5f, width - 1, figure.height - 1}, theme.panel, hot ? theme.selected : theme.line, 1, 8);
  const double largest = std::max(before ? before->largest : 0, after ? after->largest : 0);  // one scale for both
  float y = kPad;
  const float right = kPad + side + kArrow;
  pen.text(kPad, y + 7, "A", 13, Font::words_bold, theme.secondary);
  pen.text(right, y + 7, "B", 13, Font::words_bold, theme.secondary);
  y += 18;
  add_thumb(figure, context, before, {kPad, y, side, side}, largest);
  add_thumb(figure, context, after, {right, y, side, side}, largest);
  const float middle = y + side / 2, x = kPad + side + 7;
  const figures::Color ink = hot ? theme.selected : theme.secondary;
  pen.line({x, middle}, {x + 11, middle}, ink, 1.5f);
  pen.line({x + 7, middle - 4}, {x + 11, middle}, ink, 1.5f);
  pen.line({x + 7, middle + 4}, {x + 11, middle}, ink, 1.5f);
  y += side + 10;
  for (const std::string& line : lines) {
    pen.text(kPad, y + 9, line, 13, Font::words, theme.secondary, figures::Align::start, width - 2 * kPad + 1);
    y += 18;
  }
  return figure;
}

}  // namespace

void draw_compare_offers(Context& context, const ui::Look& look) {
  ImGui::Dummy({0, look.px(4)});
  ui::words(look, tr("Compare two states of everything"), look.theme.text, ui::kTitle);
  const bool presented = context.view.presentation;
  if (!presented)
    ui::words(look,
              tr("Pin the present state as A and change anything: both patterns stand beside each other with their difference."),
              look.theme.secondary, 15);
  ImGui::Dummy({0, look.px(4)});
  const bool ready = context.trace != nullptr;
  if (ui::button(look, tr("Pin the present state"), 0, 36, true, ready)) context.pin(true);
  ui::tooltip(look, tr("Keeps the document as it is now as A; what you change from here on is B"));
  name_part(context, "compare:pin");
  ImGui::Dummy({0, look.px(6)});
  const AttentionChoice choice = choose_attention(context);
  const bool pictured =
      choice.site && choice.site->queries > 0 && std::max(choice.site->queries, choice.site->keys) <= kMostTokens;
  std::string lead = tr("Or pin it and change at once:");
  if (pictured) {
    const std::string random = random_note(*context.trace, context.trace->name_at(choice.prefix(), Role::weights));
    lead += "  " + attention_title(choice) + (random.empty() ? "" : ", " + random);
  }
  ui::words(look, lead, look.theme.secondary, 14);
  const float room = ImGui::GetContentRegionAvail().x / context.scale, height = ImGui::GetContentRegionAvail().y / context.scale;
  // As many side by side as are readable, as large as the height allows.
  const auto across =
      std::clamp(static_cast<int>((room + kOffersGap) / ((presented ? kLeastPresented : kLeastCard) + kOffersGap)), 1, 4);
  const float rows = std::ceil(4.0f / static_cast<float>(across));
  const float wide = (room - kOffersGap * static_cast<float>(across - 1)) / static_cast<float>(across);
  const float tall = 2 * (height / rows - 150) + 2 * kPad + kArrow;
  const float width = std::min({wide, presented ? wide : kMostCard, std::max(presented ? kLeastPresented : kLeastCard, tall)});
  const std::shared_ptr<const Thumb> before = pictured ? present(context, choice) : nullptr;
  int index = 0;
  const auto offers = offers_of(context.document);
  std::size_t lines = 0;
  if (!presented)
    for (const Offer& offer : offers) lines = std::max(lines, why_lines(context, offer, width).size());
  for (const Offer& offer : offers) {
    if (index % across) ImGui::SameLine(0, look.px(kOffersGap));
    ImGui::PushID(offer.part);
    ImGui::BeginGroup();
    bool chosen = ui::button(look, offer.label, pictured ? look.px(width) : 0, 32, false, ready);
    ui::tooltip(look, offer.why);
    name_part(context, offer.part);
    if (pictured) {
      bool none = false, &hot = context.transient ? context.transient->of<CompareTransient>().hot_offers[offer.part] : none;
      const figures::Figure figure = card(context, before, changed(context, choice, offer), offer, width, hot, lines);
      const gl::Hit hit = context.figures.draw(figure, "card");
      hot = hit.hovered;
      chosen = chosen || hit.clicked;
      if (hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      figure_menu(context, "card menu", hit, [&] {
        figures::Figure paper = card(context, before, changed(context, choice, offer), offer, 480, false);
        paper.background = context.theme.background;
        paper.title = offer.label;
        return paper;
      });
    }
    ImGui::EndGroup();
    ImGui::PopID();
    if (chosen) {
      context.pin(true);
      context.edit(offer.document);
    }
    ++index;
  }
  ImGui::Dummy({0, 0});
}

}  // namespace headlight::panels
