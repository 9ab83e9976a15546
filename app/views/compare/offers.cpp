#include "app/views/compare/offers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/session/worker.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/views/compare/data.h"
#include "imgui.h"

namespace headlight::views::comparing {
namespace {

using figures::Font;
using Node = Sheet::Node;

constexpr std::int64_t kMostTokens = 256;  // longer texts are changed on a click, not before
constexpr float kOffersGap = 16, kLeastCard = 228, kLeastPresented = 170, kMostCard = 420, kPad = 12, kArrow = 26;

// One suggested change.
struct Offer {
  const char *id, *label, *why;
  Document document;
};

std::vector<Offer> offers_of(const Document& document) {
  const auto causal = [](const Choice& mask) { return mask.id == "causal"; };
  const bool masked = std::any_of(document.masks.begin(), document.masks.end(), causal);
  std::vector<Offer> list = {
      {"mask", masked ? tr("without the causal mask") : tr("with a causal mask"),
       tr("What a token may look at: everything, or only itself and what came before"), document},
      {"temperature", tr("temperature 2"), tr("Softmax with the scores halved: flatter rows"), document},
      {"tokenizer", document.tokenizer == "wordpiece" ? tr("BPE") : tr("WordPiece"),
       tr("The same sentence cut into other tokens: compared by the stretches of text that they share"), document},
      {"positions", document.position == "none" ? tr("sinusoidal positions") : tr("no positions"),
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
  const DerivedKey key("compare/offer", {offer.id, context.trace->generation(), choice.site->prefix, choice.batch, choice.head});
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

void take(const Context& context, const Document& document) {
  context.pin(true);
  context.edit(document);
}

// What the cards have in common.
struct Cards {
  AttentionChoice choice;
  std::shared_ptr<const Thumb> before;  // null: nothing is pictured
  float width = 0;
  std::size_t lines = 0;  // of words in the card that has the most
};

Node card_of(Sheet& sheet, const Offer& offer, const Cards& cards) {
  const Context& context = sheet.scene.context;
  const auto held = own_transient<Held>(sheet.scene);
  const auto after = changed(context, cards.choice, offer);
  Part part;
  part.id = std::string(offer.id) + " card";
  part.picture = [&context, offer, cards, held, after](Size size, const Pen&) {
    return card(context, cards.before, after, offer, size.w, held->hot_offers[offer.id], cards.lines);
  };
  part.hit = [&context, offer, held](const Drawn& drawn) {
    held->hot_offers[offer.id] = drawn.hit.hovered;
    if (drawn.hit.hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (drawn.hit.clicked) take(context, offer.document);
  };
  part.paper = {480, 0};
  part.title = offer.label;
  part.on_paper = [&context, offer, before = cards.before, after](Size size, const Pen&) {
    return card(context, before, after, offer, size.w, false);
  };
  return sheet.picture(std::move(part), cards.width);
}

Node button_of(Sheet& sheet, const Offer& offer, float width) {
  const Context& context = sheet.scene.context;
  Node button = sheet.button({.id = offer.id,
                              .label = offer.label,
                              .why = offer.why,
                              .press = [&context, document = offer.document] { take(context, document); },
                              .enabled = context.trace != nullptr,
                              .wide = width > 0 ? sheet::Span(width) : sheet::Span(),
                              .high = 32});
  button.presented = true;
  return button;
}

// The words above the cards, and the button that pins.
Node head_of(Sheet& sheet, const std::string& lead) {
  const Context& context = sheet.scene.context;
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> all = {sheet.words("title", tr("Compare two states of everything"), ui::kTitle, theme.text)};
  if (sheet.scene.medium != sheet::Medium::presented)
    all.push_back(sheet.words(
        "purpose",
        tr("Pin the present state as A and change anything: both patterns stand beside each other with their difference."), 15,
        theme.secondary));
  Node pin = sheet.button({.id = "pin",
                           .label = tr("Pin the present state"),
                           .on = true,
                           .why = tr("Keeps the document as it is now as A; what you change from here on is B"),
                           .press = [&context] { context.pin(true); },
                           .enabled = context.trace != nullptr,
                           .high = 36});
  pin.presented = true;
  all.push_back(Sheet::flow("pinning", 8, {std::move(pin)}));
  all.push_back(sheet.words("lead", lead, 14, theme.secondary));
  for (Node& node : all) node.presented = true;
  return Sheet::column("head", {4, 10, 10}, std::move(all));
}

}  // namespace

Node offers_column(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const Context& context = scene.context;
  const bool presented = scene.medium == sheet::Medium::presented;
  Cards cards;
  cards.choice = choose_attention(context);
  const AttentionSite* const site = cards.choice.site;
  const bool pictured = site && site->queries > 0 && std::max(site->queries, site->keys) <= kMostTokens;
  std::string lead = tr("Or pin it and change at once:");
  if (pictured) {
    const std::string random = random_note(*context.trace, context.trace->name_at(cards.choice.prefix(), Role::weights));
    lead += "  " + attention_title(cards.choice) + (random.empty() ? "" : ", " + random);
  }
  Node head = head_of(sheet, lead);
  const auto offers = offers_of(context.document);
  std::vector<Node> all;
  if (!pictured) {
    std::vector<Node> buttons;
    for (const Offer& offer : offers) buttons.push_back(button_of(sheet, offer, 0));
    all = {std::move(head), Sheet::flow("offers", kOffersGap, std::move(buttons))};
  } else {
    // As many side by side as are readable, as large as the height allows.
    const float room = scene.room.w - (presented ? 0 : kScrollBar);
    const float height = scene.room.h - sheet::solve(head, room, sheet::kAny, {.medium = scene.medium}).height - kOffersGap;
    const float least = presented ? kLeastPresented : kLeastCard;
    const auto across = std::clamp(static_cast<int>((room + kOffersGap) / (least + kOffersGap)), 1, 4);
    const float rows = std::ceil(4.0f / static_cast<float>(across));
    const float wide = (room - kOffersGap * static_cast<float>(across - 1)) / static_cast<float>(across);
    const float tall = 2 * (height / rows - 150) + 2 * kPad + kArrow;
    cards.width = std::floor(std::min({wide, presented ? wide : kMostCard, std::max(least, tall)}));
    cards.before = present(context, cards.choice);
    if (!presented)
      for (const Offer& offer : offers) cards.lines = std::max(cards.lines, why_lines(context, offer, cards.width).size());
    std::vector<Node> columns;
    for (const Offer& offer : offers) {
      Node button = button_of(sheet, offer, cards.width), picture = card_of(sheet, offer, cards);
      columns.push_back(Sheet::column(std::string(offer.id) + " offer", 4, {std::move(button), std::move(picture)}));
    }
    all = {std::move(head)};
    for (std::size_t first = 0; first < columns.size(); first += static_cast<std::size_t>(across)) {
      const auto from = columns.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to =
          columns.begin() + static_cast<std::ptrdiff_t>(std::min(columns.size(), first + static_cast<std::size_t>(across)));
      all.push_back(Sheet::row("offers " + std::to_string(first), kOffersGap, {from, to}));
    }
  }
  return Sheet::column("compare", {6, kOffersGap, kOffersGap}, std::move(all));
}

}  // namespace headlight::views::comparing
