// The list of masks: painting tools, the layers that are on, those that were switched off, and what can be added.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "app/figures/masks/mask_shapes.h"
#include "app/gl/figure_view.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/figure_menu.h"
#include "app/views/masks/parts.h"
#include "imgui.h"

namespace headlight::views::masked {

using namespace views;

namespace {

constexpr float kThumbnail = 44;

// Places a control on the same line while it fits, else on the next line.
class Flow {
 public:
  Flow(const ui::Look& look, float gap) : look_(look), gap_(gap) {}
  void next(float width) {  // before a control of this many pixels
    if (!first_) {
      ImGui::SameLine(0, look_.px(gap_));
      if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    }
    first_ = false;
  }

 private:
  const ui::Look& look_;
  float gap_;
  bool first_ = true;
};

// What the list keeps from frame to frame.
struct LayersTransient {
  // Layers that were switched off, by id: each keeps its place and its parameters until it is deleted.
  std::map<std::string, Choice> off;
  struct Draft {
    std::string text;   // as it is typed
    std::string error;  // why it is no value; empty: it is one
  };
  std::map<std::pair<std::string, std::string>, Draft> drafts;  // by layer and parameter
};
LayersTransient& kept(const Context& context) { return context.transient->of<LayersTransient>(); }

bool is_kept(const Context& context, const masks::Entry& entry) {
  if (entry.id == "custom") return context.document.custom_mask != nullptr;
  return kept(context).off.contains(entry.id);
}

Choice kept_layer(const Context& context, const masks::Entry& entry) {
  const auto at = kept(context).off.find(entry.id);
  return at == kept(context).off.end() ? fresh_layer(entry) : at->second;
}

void switch_layer(const Context& context, const masks::Entry& entry, bool on) {
  if (on) {
    Document next = with_layer(context.document, kept_layer(context, entry));
    kept(context).off.erase(entry.id);
    context.edit(std::move(next));
    return;
  }
  if (const Choice* layer = layer_of(context.document, entry.id); layer && entry.id != "custom")
    kept(context).off[entry.id] = *layer;
  context.edit(without_layer(context.document, entry.id));
}

// A field for a layer's number or text, with its error below it. A text being typed stays as typed.
void parameter_field(const Context& context, const ui::Look& look, const Choice& layer, const Parameter& parameter) {
  const auto at = layer.values.find(parameter.id);
  const std::string current = to_string(at == layer.values.end() ? parameter.fallback : at->second);
  LayersTransient::Draft& draft = kept(context).drafts[{layer.id, parameter.id}];
  if (draft.error.empty() && !ImGui::IsAnyItemActive()) draft.text = current;
  const auto apply = [&](const std::string& text) {
    Result<Value> value = parse_value(parameter, text);
    if (!value.ok()) {
      draft.error = spoken(value.error().mend.empty() ? value.error().what : value.error().mend);
      return;
    }
    draft.error.clear();
    if (to_string(*value) == current) return;
    Choice changed = layer;
    changed.values[parameter.id] = *value;
    context.edit(with_layer(context.document, std::move(changed)));
  };
  ImGui::PushID(parameter.id.c_str());
  ImGui::AlignTextToFramePadding();
  ui::caption(look, tr(parameter.label.c_str()));
  ui::tooltip(look, tr(parameter.help.c_str()));
  ImGui::SameLine(0, look.px(8));
  const bool whole = parameter.kind == Parameter::Kind::integer;
  ImGui::SetNextItemWidth(look.px(whole ? 64 : 110));
  push_font(context, figures::Font::mono, 14);
  const bool typed =
      ui::text_input("##value", draft.text, "", ImGuiInputTextFlags_NoUndoRedo | ImGuiInputTextFlags_AutoSelectAll);
  ImGui::PopFont();
  const bool left = ImGui::IsItemDeactivated();
  ui::tooltip(look, tr(parameter.help.c_str()));
  if (typed) apply(draft.text);
  for (const int step : {-1, 1}) {
    if (!whole) break;
    ImGui::SameLine(0, look.px(4));
    const long long now = std::strtoll(current.c_str(), nullptr, 10);
    const auto next = static_cast<double>(now + step);
    if (ui::button(look, step < 0 ? "−" : "+", look.px(28), 28, false, next >= parameter.least && next <= parameter.most))
      apply(std::to_string(now + step));
    ui::tooltip(look, step < 0 ? tr("One less") : tr("One more"));
  }
  if (!draft.error.empty()) {
    ui::words(look, draft.error, look.theme.wrong);
    if (left) {
      draft.error.clear();
      draft.text = current;
    }
  }
  if (context.export_animation && can_sweep(layer, parameter)) {
    ImGui::SameLine(0, look.px(4));
    if (ImGui::GetContentRegionAvail().x < button_width(look, tr("film…"), 16)) ImGui::NewLine();
    if (ui::button(look, tr("film…"), button_width(look, tr("film…"), 16), 28))
      context.export_animation(sweep_film(context, choose_masked(context), layer, parameter));
    ui::tooltip(look, tr("A film of this mask with every size up to the whole sentence, and of the weights under it"));
  }
  ImGui::PopID();
}

const LayerCount* count_of(const MaskTab& tab, const std::string& id) {
  if (!tab.count) return nullptr;
  for (const LayerCount& layer : tab.count->layers)
    if (layer.id == id) return &layer;
  return nullptr;
}

// The layer's array as a small picture: a strip for padding, a square for the others.
void draw_thumbnail(const MaskTab& tab, const masks::Part& part) {
  const Context& context = tab.context;
  const AttentionSite& site = *tab.choice.site;
  const Shape scores{part.mask.dim(0), site.heads, site.queries, site.keys};
  const DerivedKey key("masks/thumbs", {context.trace->generation(), site.prefix, to_string(part.choice)});
  const auto make = [mask = part.mask, scores](const CancelToken&) -> Result<figures::MaskThumbs> {
    return figures::mask_thumbs(mask, scores);
  };
  const bool small = site.queries * site.keys <= 512 * 512;
  const auto thumbs = small ? context.derived.now<figures::MaskThumbs>(key, make).value
                            : context.derived.later<figures::MaskThumbs>(key, make).value;
  figures::Figure figure;
  figure.width = figure.height = kThumbnail;
  if (thumbs && !thumbs->broadcast.empty()) {
    const auto item = static_cast<std::size_t>(part.mask.dim(0) == 1 ? 0 : tab.choice.batch);
    const Tensor& mask = thumbs->broadcast[std::min(item, thumbs->broadcast.size() - 1)];
    const auto longest = static_cast<float>(std::max(mask.dim(0), mask.dim(1)));
    figures::Cells cells;
    cells.rows = mask.dim(0);
    cells.columns = mask.dim(1);
    cells.box = {0, 0, kThumbnail * static_cast<float>(cells.columns) / longest,
                 kThumbnail * static_cast<float>(cells.rows) / longest};
    cells.values = Tensor(DType::f32, mask.shape(), {}, true);
    std::fill_n(cells.values.data<float>(), mask.count(), 0.5f);
    cells.mask = mask;
    cells.gap = 0;
    cells.key = DerivedKey("masks/thumbnail", {key, item}).hash();
    figure.add(std::move(cells));
  }
  const gl::Hit hit = context.figures.draw(figure, "thumbnail");
  figure_menu(context, "thumbnail menu", hit, [&] { return shapes_figure(context, 900); });
  if (hit.clicked) own(context).show("shapes");
  ui::tooltip(tab.look, tr("What this mask lets through: click for its shape and how it is broadcast"));
}

std::string count_words(const MaskTab& tab, const LayerCount& layer) {
  const std::string cells = std::to_string(layer.masked), all = std::to_string(tab.count->cells);
  if (layer.role == masks::Role::widens)
    return layer.masked == 0 ? tr("gives nothing back: no window, dilated window or block forbids")
                             : fill(tr("gives back {} of {} cells"), {cells, all});
  return fill(tr("masks {} of {} cells"), {cells, all});
}

// One layer: switch and delete button; if it is on, also its effect here and its parameters.
void draw_layer(const MaskTab& tab, const masks::Entry& entry) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  const Choice* found = layer_of(context.document, entry.id);
  bool on = found != nullptr;
  ImGui::PushID(entry.id.c_str());
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  const std::string label = std::string(tr(entry.label.c_str())) + "##on";
  if (ui::toggle(look, label.c_str(), &on)) {
    switch_layer(context, entry, on);
    found = layer_of(context.document, entry.id);
  }
  ui::tooltip(look, tr(entry.formula.c_str()), entry.source);
  ImGui::SameLine();
  ImGui::SetCursorPosX(right - look.px(30));
  if (ui::button(look, "×", look.px(26), 26)) {
    kept(context).off.erase(entry.id);
    context.edit(entry.id == "custom" ? cleared(context.document) : without_layer(context.document, entry.id));
    found = nullptr;
  }
  ui::tooltip(look,
              entry.id == "custom" ? tr("Delete what is painted (Ctrl+Z brings it back)") : tr("Take this mask out of the list"));
  const Choice layer = found ? *found : Choice{};
  if (found && tab.choice.site) {
    const masks::Part* part = nullptr;
    for (const masks::Part& p : tab.choice.site->mask.parts)
      if (p.choice.id == entry.id) part = &p;
    const LayerCount* count = count_of(tab, entry.id);
    ImGui::Indent(look.px(10));
    if (part) {
      draw_thumbnail(tab, *part);
      ImGui::SameLine(0, look.px(12));
    }
    ImGui::BeginGroup();
    if (part) {
      ImGui::PushFont(look.fonts.mono, 13 * look.scale * look.fonts.mono_em);
      ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.info));
      ImGui::TextUnformatted(to_string(part->mask.shape()).c_str());
      ImGui::PopStyleColor();
      ImGui::PopFont();
      ui::tooltip(look, tr("The shape that it is made in: batch, head, query, key; sizes of 1 are broadcast"));
      if (count) ui::words(look, count_words(tab, *count), look.theme.secondary);
    } else if (!context.computing && !masks::applies(entry, tab.choice.site->site)) {
      ui::words(look, tr("does not apply to this attention"), look.theme.secondary);
    }
    ImGui::EndGroup();
    for (const Parameter& parameter : entry.parameters) parameter_field(context, look, layer, parameter);
    ImGui::Unindent(look.px(10));
  }
  ImGui::PopID();
  ImGui::Dummy({0, look.px(2)});
}

void draw_tools(const MaskTab& tab) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  static constexpr const char* kTools[] = {"rectangle", "row", "column", "cell"};
  const char* const words[] = {tr("rectangle"), tr("row"), tr("column"), tr("cell")};
  const char* const help[] = {tr("Drag over the cells from one corner to the other"), tr("Drag over whole rows"),
                              tr("Drag over whole columns"), tr("Draw along the cells under the mouse")};
  Flow flow(look, 4);
  for (int i = 0; i < 4; ++i) {
    const float wide = button_width(look, words[i], 20);
    flow.next(wide);
    if (ui::button(look, words[i], wide, 28, own(context).tool == kTools[i])) own(context).tool = kTools[i];
    ui::tooltip(look, help[i]);
  }
  const char* const does[] = {tr("mask"), tr("allow")};
  for (int i = 0; i < 2; ++i) {
    const float wide = button_width(look, does[i], 24);
    if (i) ImGui::SameLine(0, look.px(4));
    if (ui::button(look, does[i], wide, 28, own(context).allows == (i == 1))) own(context).allows = i == 1;
    ui::tooltip(look, i ? tr("Painted cells may be attended to again, as far as the other layers allow it")
                        : tr("Painted cells may not be attended to"));
  }
  if (!can_paint(tab.choice)) {
    if (tab.choice.site) ui::caption(look, tr("The painted layer applies to the decoder's self-attention only."));
    return;
  }
  const AttentionSite& site = *tab.choice.site;
  const bool painted = context.document.custom_mask != nullptr;
  struct Action {
    const char *label, *help;
    bool enabled;
  };
  const Action actions[] = {
      {tr("clear"), tr("Nothing is painted any more (Ctrl+Z brings it back)"), painted},
      {tr("invert"), tr("What is painted as masked may attend, and the other way round"), true},
      {tr("from all layers"), tr("The painted layer becomes a copy of what all layers together say now, to go on from"),
       !site.mask.mask.empty() && !context.computing}};
  Flow row(look, 4);
  for (int i = 0; i < 3; ++i) {
    const float wide = button_width(look, actions[i].label, 20);
    row.next(wide);
    if (ui::button(look, actions[i].label, wide, 28, false, actions[i].enabled)) {
      if (i == 0) context.edit(cleared(context.document));
      if (i == 1) context.edit(inverted(context.document, site.queries, site.keys));
      if (i == 2)
        context.edit(filled_from(context.document, site.queries, site.keys,
                                 mask_of_sentence(site.mask, site.queries, site.keys, tab.choice.batch)));
    }
    ui::tooltip(look, actions[i].help);
  }
}

void draw_total(const MaskTab& tab) {
  if (!tab.count) return;
  const ui::Look& look = tab.look;
  const MaskCount& count = *tab.count;
  const double share = count.cells > 0 ? 100.0 * static_cast<double>(count.masked) / static_cast<double>(count.cells) : 0;
  char percent[16];
  std::snprintf(percent, sizeof percent, "%.0f", share);
  ui::words(look, fill(tr("{} of {} cells masked: {} %"), {std::to_string(count.masked), std::to_string(count.cells), percent}),
            look.theme.text, 14);
  if (!count.empty_rows.empty())
    ui::words(look, fill(tr("{} rows may attend to nothing: see “-inf or -1e9”."), {std::to_string(count.empty_rows.size())}),
              look.theme.wrong);
}

}  // namespace

void draw_mask_layers(const MaskTab& tab) {
  const Context& context = tab.context;
  const ui::Look& look = tab.look;
  ui::words(look, tr("Paint"), look.theme.text, ui::kHeading);
  ui::tooltip(look,
              tr("Drag over the picture; Escape gives up. By keyboard: Tab to the picture, the arrows move (Shift: by ten), "
                 "Space paints, a rectangle from corner to corner."));
  const float turn = button_width(look, tr("transpose"), 20), words = button_width(look, tr("words"), 20);
  ImGui::SameLine();
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, ImGui::GetContentRegionAvail().x - turn - words - look.px(8)));
  const bool joins = words_of(context, tab.choice, false) != nullptr;
  bool& together = context.view.words_together;
  if (ui::button(look, ui::labelled(tr("words"), "words together").c_str(), words, 26, together, joins || together))
    together = !together;
  ui::tooltip(look, joins ? tr(kWordsTogether) : tr("Every word of this sentence is one piece"));
  name_part(context, "masks:words");
  ImGui::SameLine(0, look.px(4));
  if (ui::button(look, tr("transpose"), turn, 26, context.view.transposed)) {
    context.view.transposed = !context.view.transposed;
    std::swap(context.view.pan_x, context.view.pan_y);
  }
  ui::tooltip(look, context.view.transposed ? tr("Rows are keys now: put the queries down again")
                                            : tr("Put the keys down and the queries across, as many books do"));
  draw_tools(tab);
  ImGui::Dummy({0, look.px(6)});
  ui::words(look, tr("Layers"), look.theme.text, ui::kHeading);
  // The exception to the rule is explained where it applies.
  ui::caption(look,
              layer_of(context.document, "global")
                  ? tr("All that are on apply together (AND). Global tokens take back what window, dilated window and blocks "
                       "forbid, never what causal, padding, prefix or the painted layer forbid.")
                  : tr("All that are on apply together (AND)."));
  draw_total(tab);
  ImGui::Dummy({0, look.px(2)});
  std::vector<const masks::Entry*> others;
  for (const masks::Entry& entry : masks::registry().entries()) {
    if (layer_of(context.document, entry.id) || is_kept(context, entry))
      draw_layer(tab, entry);
    else if (entry.id != "custom")
      others.push_back(&entry);
  }
  if (others.empty()) return;
  ui::caption(look, tr("add"));
  Flow flow(look, 4);
  for (const masks::Entry* entry : others) {
    const std::string label = std::string("+ ") + tr(entry->label.c_str());
    const float wide = button_width(look, label.c_str(), 20);
    flow.next(wide);
    if (ui::button(look, label.c_str(), wide, 28)) context.edit(with_layer(context.document, fresh_layer(*entry)));
    ui::tooltip(look, tr(entry->formula.c_str()), entry->source);
  }
}

}  // namespace headlight::views::masked
