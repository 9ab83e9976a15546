// The Positions tab: the code that tells a token its position, as a table, as curves, by distance, and what is lost without it.
#include <algorithm>
#include <cmath>

#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/positions/positions_bias.h"
#include "app/panels/positions/positions_data.h"
#include "app/panels/positions/positions_effect.h"
#include "app/panels/positions/positions_relative.h"
#include "app/panels/positions/positions_turning.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "engine/attention/positions/position.h"
#include "imgui.h"

namespace headlight::views {
namespace {

using figures::Font;

constexpr float kGap = 24, kLeastTwo = 700, kCurveLeast = 150, kLeastWithSum = 600;
constexpr std::size_t kMostCurves = 8;

void toggle_dim(Context& context, std::int64_t dim) {
  std::vector<std::int64_t> dims = position_dims(context);
  if (const auto at = std::find(dims.begin(), dims.end(), dim); at != dims.end()) {
    if (dims.size() > 1) dims.erase(at);  // the last curve stays
  } else {
    dims.push_back(dim);
    if (dims.size() > kMostCurves) dims.erase(dims.begin());
  }
  context.view.positions.dimensions = std::move(dims);
}

// The address of the code's number in the trace, if this position and dimension are there; where q and k turn, of the number of
// the token's query after it was turned.
ValueAddress address_of(const Context& context, std::int64_t position, std::int64_t dim) {
  if (!context.trace || context.computing) return {};
  if (ValueAddress turned = turned_number(context); !turned.step.empty()) {
    const Step* step = context.trace->find(turned.step);
    if (position >= step->shape[2] || dim >= step->shape[3]) return {};
    turned.index[2] = position;
    turned.index[3] = dim;
    return turned;
  }
  for (const Step& step : context.trace->steps())
    if (step.role == Role::position && !step.of_targets && step.shape.size() == 2 && position < step.shape[0] &&
        dim < step.shape[1]) {
      const positions::Entry* entry = position_entry(context.document);
      const bool other_digits = entry && entry->used && entry->used(step.shape[0], step.shape[1]) != code_width(context);
      return other_digits ? ValueAddress{} : ValueAddress{step.name, {position, dim}};
    }
  return {};
}

const figures::Cells* cells_of(const figures::Figure& figure) {
  for (const auto& item : figure.items)
    if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area) return cells;
  return nullptr;
}

// A mark in the curve's colour below each column that has a curve.
void mark_dims(figures::Figure& figure, const Context& context, std::int64_t d) {
  const figures::Cells* found = cells_of(figure);
  if (!found) return;
  const figures::Box box = found->box;
  const auto dims = position_dims(context);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const float cell = box.w / static_cast<float>(d), x = box.x + (static_cast<float>(dims[i]) + 0.5f) * cell;
    figures::Polygon mark;
    mark.points = {{x, box.y + box.h + 1}, {x + 5, box.y + box.h + 8}, {x - 5, box.y + box.h + 8}};
    mark.fill = figures::curve_color(-1, i, context.theme);
    figure.add(std::move(mark));
  }
}

void draw_table(Context& context, const ui::Look& look, float width, float height) {
  const auto table = position_table(context);
  if (!table) {
    ui::words(look, tr("computing …"), look.theme.secondary);
    return;
  }
  const std::int64_t d = table->values.dim(1);
  figures::HeatmapInput input = table_input(context, *table);
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  mark_dims(figure, context, d);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "table");
  name_part(context, "positions:heatmap");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.row < table->values.dim(0)) {
    context.hover.next.row = hit.row;
    context.hover.next.value = address_of(context, hit.row, hit.column);
    const std::string value = short_number(table->values.at({hit.row, hit.column}));
    std::string words = fill(tr("position {}, dimension {}: {}"), {std::to_string(hit.row), std::to_string(hit.column), value});
    if (is_wave(context.document))
      words += std::string(is_cosine(context.document, hit.column) ? " = cos(" : " = sin(") + std::to_string(hit.row) + " · " +
               short_number(2 * 3.14159265358979 / wavelength_of(context, hit.column)) + ")";
    ui::tooltip(look, words, tr("Click: adds or takes away the dimension's curve"));
    if (hit.clicked) toggle_dim(context, hit.column);
  }
  figure_menu(context, "table menu", hit, [&] {
    input.hot_row = -1;
    figures::Figure made = figures::heatmap(input, 1000, 640, context.theme, context.measure);
    mark_dims(made, context, d);
    return made;
  });
}

void draw_curves(Context& context, const ui::Look& look, float width, float height) {
  const auto table = position_table(context);
  if (!table) return;
  figures::CurvesInput input = dims_input(context, *table);
  figures::Figure figure = figures::curves(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "curves");
  name_part(context, "positions:curves");
  if (hit.hovered) {
    const std::int64_t at = figures::curve_point_at(figure, input, hit.at);
    if (at >= 0) {
      context.hover.next.row = at;
      std::string words = fill(tr("position {}"), {std::to_string(at)});
      for (const auto& curve : input.curves)
        words += "\n" + curve.label + " = " + short_number(curve.y[static_cast<std::size_t>(at)]);
      ui::tooltip(look, words);
    }
  }
  figure_menu(context, "curves menu", hit, [&] {
    input.hot = -1;
    return figures::curves(input, 900, 480, context.theme, context.measure);
  });
}

// Large: the matrix of all pairs above the curve; small: the curve.
void draw_distance(Context& context, const ui::Look& look, float width, float height, bool large) {
  const auto products = position_products(context);
  if (!products) {
    ui::words(look, tr("computing …"), look.theme.secondary);
    return;
  }
  figures::CurvesInput input = distance_input(context, *products);
  ImGui::BeginGroup();
  const bool beside = large && width > 1.8f * height;  // in a low room they are side by side
  const ImVec2 start = ImGui::GetCursorPos();
  if (large) {
    // The curve below needs the height of its axis's name.
    const float high = beside ? height : std::round(std::min(height * 0.62f, std::max(height - kCurveLeast, 100.0f)));
    const figures::HeatmapInput pairs = products_input(context, *products);
    figures::Figure figure =
        figures::heatmap(pairs, std::min(width, high * (beside ? 1.2f : 1.35f)), high, context.theme, context.measure);
    figure.background.a = 0;
    const gl::Hit hit = context.figures.draw(figure, "pairs");
    if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
      context.hover.next.row = hit.row;
      context.hover.next.value = address_of(context, hit.row, position_dims(context).back());
      ui::tooltip(look, fill(tr("p_{} · p_{} = {}, {} apart"), {std::to_string(hit.row), std::to_string(hit.column),
                                                                short_number(products->values.at({hit.row, hit.column})),
                                                                std::to_string(std::abs(hit.row - hit.column))}));
    }
    figure_menu(context, "pairs menu", hit, [&] { return figures::heatmap(pairs, 800, 760, context.theme, context.measure); });
    if (beside) {
      ImGui::SetCursorPos({start.x + look.px(high * 1.2f + kGap), start.y});
      width -= high * 1.2f + kGap;
    } else {
      height -= high + 8;
    }
  }
  figures::Figure figure = figures::curves(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "distance");
  if (hit.hovered) {
    const std::int64_t at = figures::curve_point_at(figure, input, hit.at);
    if (at >= 0)
      ui::tooltip(look, fill(tr("{} apart: p_i · p_j = {} on average over {} pairs"),
                             {std::to_string(at), short_number(products->mean[static_cast<std::size_t>(at)]),
                              std::to_string(products->values.dim(0) - at)}));
  }
  figure_menu(context, "distance menu", hit, [&] {
    input.hot = -1;
    return figures::curves(input, 900, 480, context.theme, context.measure);
  });
  ImGui::EndGroup();
  name_part(context, "positions:distance");
}

void draw_order(Context& context, const ui::Look& look, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = context.measure.line_height(16, Font::words_bold);
  context.figures.text(*ImGui::GetWindowDrawList(), at, tr("Does order matter?"), 16, Font::words_bold, look.theme.text);
  ImGui::Dummy({look.px(width), look.px(line + 2)});
  if (ui::button(look, tr("man bites dog / dog bites man"), 0, 30)) {
    context.edit(reordered_example(context.document));
    context.view.batch = 0;
  }
  ui::tooltip(look, tr("Makes these two sentences the document: the same words in another order, without a mask. Ctrl+Z brings "
                       "yours back."));
  name_part(context, "positions:order");
  const Error* error = nullptr;
  const auto effects = order_effects(context, &error);
  if (error) {
    ui::words(look, spoken(*error), look.theme.wrong, 14);
    return;
  }
  if (!effects) {
    ui::words(look,
              context.trace && is_reordered(*context.trace)
                  ? tr("computing …")
                  : tr("The same words in two orders: do their vectors come out the same? Two sentences of the same tokens "
                       "are compared here with positions and without."),
              look.theme.secondary, 14);
    return;
  }
  figures::TableInput input = order_table(*effects);
  const bool bag = effects->without.largest < 1e-4 * std::max(1e-9, effects->without.words.front().length);
  input.note =
      bag ? tr("Without positions attention sees a bag of words: both sentences give the same set of vectors, so nothing "
               "behind it can tell who bites whom. With positions each word's vector depends on where it stands.")
          : tr("A mask tells order as well: even without positions a word's vector depends on what stands before it.");
  figures::Figure figure = figures::table(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "order");
  figure_menu(context, "order menu", hit,
              [&] { return figures::stacked({figures::table(input, 640, context.theme, context.measure)}, 0, 16); });
}

bool has_bias(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  return entry && entry->where == positions::Where::scores;
}

void choose_code(Context& context, const ui::Look& look) {
  std::vector<std::string> names;
  std::vector<const char*> labels;
  int selected = -1;
  const auto& entries = positions::registry().entries();
  for (const auto& entry : entries) names.emplace_back(tr(entry.label.c_str()));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    labels.push_back(names[i].c_str());
    if (entries[i].id == context.document.position) selected = static_cast<int>(i);
  }
  // Those that have no room in the first row stand in a second one.
  const float room = ImGui::GetContentRegionAvail().x;
  float wide = 0;
  int first = 0;
  for (const char* label : labels) {
    wide += look.px(context.measure.width(label, 14, Font::words) + 30);
    if (wide > room) break;
    ++first;
  }
  const char* const why = tr("What is added to the embeddings to say where a token stands");
  const int count = static_cast<int>(labels.size());
  first = std::max(first, 1);
  int code = ui::segmented(look, "code", labels.data(), first, selected, why);
  if (first < count) {
    const int more = ui::segmented(look, "more codes", labels.data() + first, count - first, selected - first, why);
    if (more >= 0) code = first + more;
  }
  if (code >= 0) {
    Document document = context.document;
    document.position = entries[static_cast<std::size_t>(code)].id;
    context.edit(std::move(document));
  }
}

// A trained model has its own; they can be left out.
void leave_out(Context& context, const ui::Look& look) {
  const positions::Entry* entry = positions::registry().find(context.document.position);
  bool out = leaves_out_positions(context.document);
  ImGui::AlignTextToFramePadding();
  ui::words(look, entry ? fill(tr("trained with: {}"), {tr(entry->label.c_str())}) : std::string(), look.theme.secondary);
  if (context.document.position == "none") return;
  ImGui::SameLine(0, look.px(16));
  const bool changed = ui::toggle(look, ui::labelled(tr("without positions"), "without positions").c_str(), &out);
  name_part(context, "positions:left out");
  ui::tooltip(look,
              tr("The model was trained with these positions; another kind would be another model. They can be left out, to "
                 "see what order means to it."));
  if (!changed) return;
  Document document = context.document;
  leave_out_positions(document, out);
  context.edit(std::move(document));
}

void draw_controls(Context& context, const ui::Look& look) {
  if (context.document.model == "sandbox")
    choose_code(context, look);
  else
    leave_out(context, look);
  if (!position_entry(context.document)) return;
  const std::vector<std::string> views = position_pictures(context.document);
  std::vector<const char*> large;
  float wide = 8;
  for (const std::string& view : views) {
    large.push_back(view == "turning"     ? tr("Turning")
                    : view == "curves"    ? tr("Curves")
                    : view == "heatmap"   ? tr("Heatmap")
                    : view == "effect"    ? tr("Pattern")
                    : view == "distances" ? tr("Distances")
                    : view == "rows"      ? tr("Tables")
                    : view == "scores"    ? tr("Scores")
                                          : tr("Distance"));
    wide += context.measure.width(large.back(), 14, Font::words) + 28;
  }
  next_on_line(look, wide, 28);
  const auto shown = std::find(views.begin(), views.end(), large_picture(context));
  const int view = ui::segmented(look, "view", large.data(), static_cast<int>(large.size()),
                                 static_cast<int>(shown - views.begin()), tr("Which of the pictures is the large one"));
  if (view >= 0) context.view.positions.picture = views[static_cast<std::size_t>(view)];
  const bool relative = has_relative_positions(context.document);
  if (relative) choose_clip(context, look);
  const AttentionChoice choice = choose_attention(context);
  if (choice.site && (views.front() == "turning" || has_bias(context) || relative || large_picture(context) == "effect")) {
    next_on_line(look, 300, 24);
    draw_attention_bar(context, look, choice);
  }

  if (large_picture(context) == "effect" || relative) return;  // they show the sentence's own positions
  next_on_line(look, 300, 28);
  const std::string text = fill(tr("{} positions"), {std::to_string(position_count(context))});
  double count = static_cast<double>(position_count(context));
  if (number_slider(look, "##count", &count, 2, static_cast<double>(kMostPositions), false, look.px(180)))
    context.view.positions.count = static_cast<std::int64_t>(std::lround(count));
  ui::tooltip(look,
              tr("How many positions are shown, up to 256; the sentence need not be that long, the code is known anywhere"));
  name_part(context, "positions:count");
  slider_number(look, text, context.measure.width(text, 15, Font::mono));
  if (has_bias(context)) return;  // a bias has no dimensions
  const std::vector<std::int64_t> dims = position_dims(context);
  const std::string dim = fill(tr("dimension {}"), {std::to_string(dims.back())});
  next_on_line(look, context.measure.width(dim, 14, Font::words) + 70, 8);
  const std::int64_t to =
      stepper(look, "dimension", dim, dims.back(), code_width(context),
              tr("Moves the last curve to another dimension; a click on a column of the heatmap adds or takes away a curve"));
  if (to >= 0) {
    std::vector<std::int64_t> moved = dims;
    moved.back() = to;
    context.view.positions.dimensions = std::move(moved);
  }
}

void draw_large(Context& context, const ui::Look& look, const std::string& which, float width, float height, bool large) {
  if (which == "turning")
    draw_turned_pair(context, look, width, height);
  else if (which == "effect")
    draw_position_effect(context, look, width, height, large);
  else if (has_relative_positions(context.document))
    draw_relative(context, look, which, width, height);
  else if (has_bias(context))
    which == "curves" ? draw_bias_curves(context, look, width, height) : draw_bias(context, look, width, height);
  else if (which == "curves")
    draw_curves(context, look, width, height);
  else if (which == "distance")
    draw_distance(context, look, width, height, large);
  else
    draw_table(context, look, width, height);
}

// What positions do where no table is added to the vectors; empty: one is.
std::string words_without_table(const Document& document) {
  const positions::Entry* entry = position_entry(document);
  if (entry && entry->make) return {};
  if (entry && entry->where == positions::Where::rotates)
    return tr(
        "Nothing is added to the vectors. In every self-attention q and k turn by the place of their token, so that a score "
        "depends on how far apart two tokens stand.");
  if (entry && entry->where == positions::Where::relative)
    return tr(
        "Nothing is added to the vectors. In every self-attention the distance of query and key, up to a clip, chooses a row of "
        "two tables: one joins the key in the score, the other the value in the sum.");
  if (entry && entry->where == positions::Where::scores)
    return tr(
        "Nothing is added to the vectors. Every self-attention adds a number to its scores that depends on how far apart query "
        "and key stand.");
  return tr(
      "No positions are added: each token's vector is the same wherever it stands. Attention compares vectors and nothing else, "
      "so it sees a bag of words: the same words in another order give the same vectors in that order, unless a mask tells "
      "before from after.");
}

void draw_without(Context& context, const ui::Look& look, float width) {
  ui::words(look, words_without_table(context.document), look.theme.text, 16);
  ImGui::Dummy({0, look.px(10)});
  draw_order(context, look, std::min(width, 640.0f));
}

// The token under the mouse, else the pinned one, else the second one, whose place is not the first.
std::int64_t token_of_sum(const Context& context) {
  if (!context.trace) return 0;
  const std::int64_t hot = hovered_token(*context.trace, false, context.view.batch, context.hover.now);
  return hot >= 0 ? hot : context.view.pinned_row >= 0 ? context.view.pinned_row : 1;
}

// Four numbers of the word and four of its place, added; where there is room above the pictures.
void draw_added(Context& context, const ui::Look& look, float width, float height) {
  if (height < kLeastWithSum) return;
  const figures::NumberSumInput input = added_numbers(context, token_of_sum(context));
  if (input.parts.empty()) return;
  figures::Figure figure = figures::number_sum(input, width, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "added");
  name_part(context, "positions:added");
  ui::tooltip(look, tr("Point at another token of the sentence: its word changes, the numbers of a place do not"));
  figure_menu(context, "added menu", hit, [&] {
    figures::Figure paper = figures::number_sum(input, 900, context.theme, context.measure);
    paper.background = context.theme.background;
    return paper;
  });
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const bool presented = context.view.presentation;  // one picture; the palette and the tab's keys replace the rest
  if (!presented) {
    draw_controls(context, look);
    ImGui::Dummy({0, look.px(2)});
  }
  if (leaves_out_positions(context.document))
    ui::words(look,
              tr("The model was not trained so. No vector says any more where its token stands: but for a mask the model "
                 "reads a bag of words."),
              look.theme.selected);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale - 14;
  if (!position_entry(context.document)) {
    draw_without(context, look, width);
    return;
  }
  const std::string large = large_picture(context);
  std::vector<std::string> small;
  for (const std::string& view : position_pictures(context.document))
    if (large != view && small.size() < 2) small.push_back(view);
  if (presented) {
    draw_added(context, look, width, room.y / context.scale);
    draw_large(context, look, large, width, ImGui::GetContentRegionAvail().y / context.scale - 4, true);
    return;
  }
  if (large == "effect") {  // three maps take the whole width
    draw_position_effect(context, look, width, std::max(240.0f, room.y / context.scale - 4), true);
    return;
  }
  if (const std::string words = words_without_table(context.document); !words.empty())
    ui::words(look, words, look.theme.secondary, 15);
  draw_added(context, look, width, ImGui::GetContentRegionAvail().y / context.scale);
  const float height = ImGui::GetContentRegionAvail().y / context.scale;
  const bool two = width >= kLeastTwo;
  const float right = two ? std::clamp(width * 0.4f, 280.0f, 620.0f) : width, left = two ? width - right - kGap : width;
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  const ImGuiChildFlags grows = ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY;
  // The height of its table, or of the words before there is one.
  const float order = context.trace && is_reordered(*context.trace) ? 262 : 120,
              least = large == "distance" || large == "turning" ? 460.0f : 300.0f, tall = std::max(least, height - order - 8);
  // Four pictures take a low room; the question about order is asked where there is more, or where it is answered.
  const bool relative = has_relative_positions(context.document),
             asks = !relative || height > 560 || (context.trace && is_reordered(*context.trace));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("large", {look.px(left), 0}, grows, quiet)) {
    draw_large(context, look, large, left, asks ? tall : std::max(least, height - 8), true);
    if (asks) {
      ImGui::Dummy({0, look.px(4)});
      draw_order(context, look, std::min(left, 640.0f));
    }
  }
  ImGui::EndChild();
  if (two) ImGui::SameLine(0, look.px(kGap));
  if (ImGui::BeginChild("small", {look.px(right), 0}, grows, quiet)) {
    // A low room has the first of them alone, whole; the others are a click away.
    const float lowest = relative ? 170.0f : 230.0f;
    const bool one = two && height < 2 * lowest + 16;
    const float each = one ? std::max(lowest, height - 8) : std::max(lowest, (height - 16) / 2);
    for (const std::string& which : small) {
      draw_large(context, look, which, right, each, false);
      if (one) break;
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

figures::Figure order_figure(const Context& context, float width, float) {
  const auto effects = order_effects(context, nullptr);
  if (!effects) return {};
  return figures::stacked({figures::table(order_table(*effects), std::min(width, 640.0f), context.theme, context.measure)}, 0,
                          16);
}

// `large` is one of position_pictures().
figures::Figure figure_of_picture(const Context& context, const std::string& large, float width, float height) {
  if (large == "effect") return position_effect_figure(context, width, height, true);
  if (has_relative_positions(context.document)) return relative_figure(context, large, width, height);
  if (has_bias(context))
    return large == "curves" ? figures::curves(bias_curves_input(context), width, height, context.theme, context.measure)
                             : figures::heatmap(bias_input(context), width, height, context.theme, context.measure);
  const auto table = position_table(context);
  if (!table) return order_figure(context, width, height);
  if (large == "turning") return turned_pair_figure(context, width, height);
  if (large == "curves") return figures::curves(dims_input(context, *table), width, height, context.theme, context.measure);
  if (large == "distance") {
    const auto products = position_products(context);
    if (!products) return {};
    return figures::stacked(
        {figures::heatmap(products_input(context, *products), width, height * 0.62f, context.theme, context.measure),
         figures::curves(distance_input(context, *products), width, height * 0.36f, context.theme, context.measure)},
        8, 0);
  }
  figures::HeatmapInput input = table_input(context, *table);
  input.hot_row = -1;
  return figures::heatmap(input, width, height, context.theme, context.measure);
}

figures::Figure figure_of_positions(const Context& context, float width, float height) {
  return figure_of_picture(context, large_picture(context), width, height);
}

// One that this kind of position has.
figures::Figure named_figure(const Context& context, const char* which, float width, float height) {
  const auto all = position_pictures(context.document);
  if (std::find(all.begin(), all.end(), which) == all.end()) return {};
  return figure_of_picture(context, which, width, height);
}

template <const char* which>
figures::Figure named(const Context& context, float width, float height) {
  return named_figure(context, which, width, height);
}
constexpr char kTable[] = "heatmap", kCurves[] = "curves", kDistance[] = "distance", kTurning[] = "turning",
               kDistances[] = "distances", kRows[] = "rows", kScores[] = "scores";

// A number of the code: that of the second position, the first at which the dimension of the last curve tells anything.
ValueAddress subject_of(const Context& context) {
  if (!position_entry(context.document)) return {};
  if (has_relative_positions(context.document)) return relative_number(context);
  if (has_bias(context)) return bias_number(context);
  if (ValueAddress turned = turned_number(context); !turned.step.empty()) return turned;
  const std::int64_t dim = position_dims(context).back();
  const ValueAddress second = address_of(context, 1, dim);
  return second.step.empty() ? address_of(context, 0, dim) : second;
}

}  // namespace

Entry positions_panel() {
  Entry entry = {"positions", "Positions", "input = embedding + position", "Vaswani et al. 2017, 3.5", draw, figure_of_positions};
  entry.subject = subject_of;
  entry.pages.list = {
      {"turning", tr_later("Turning"), tr_later("Rotary positions: a pair of dimensions of a query and a key as they turn")},
      {"heatmap", tr_later("Heatmap"), tr_later("The code of each position as a row of colours")},
      {"curves", tr_later("Curves"), tr_later("Chosen dimensions over the position")},
      {"distance", tr_later("Distance"), tr_later("Dot products of positions, by how far apart they stand")},
      {"distances", tr_later("Distances"), tr_later("The clipped distance of every query and key")},
      {"rows", tr_later("Tables"), tr_later("The two tables of relative positions")},
      {"scores", tr_later("Scores"), tr_later("What relative positions add to the scores")},
      {"effect", tr_later("Pattern"), tr_later("A head's pattern without positions, with them, and the difference")}};
  entry.pages.shown = large_picture;
  entry.pages.show = [](ViewState& view, const std::string& value) { view.positions.picture = value; };
  entry.pages.has = [](const Context& context, const std::string& value) {
    const std::vector<std::string> pictures = position_pictures(context.document);
    return std::find(pictures.begin(), pictures.end(), value) != pictures.end();
  };
  entry.of_head = [](const ViewState& view) { return view.positions.picture == "effect"; };
  entry.pictures = {
      {"positions-effect", "one head's pattern without positions, with them, and the difference",
       [](const Context& context, float width, float height) { return position_effect_figure(context, width, height, true); }},
      {"positions-heatmap", "the code of every position, or what is added to the scores", named<kTable>},
      {"positions-curves", "some dimensions over the position, or what is added by distance", named<kCurves>},
      {"positions-distance", "dot products of positions, and by distance", named<kDistance>},
      {"positions-turning", "a pair of dimensions of a query and a key as they turn", named<kTurning>},
      {"positions-distances", "the clipped distance of every query and key: a Toeplitz matrix", named<kDistances>},
      {"positions-rows", "the two tables of relative positions", named<kRows>},
      {"positions-scores", "what relative positions add to the scores", named<kScores>},
      {"positions-order", "how far apart a word's two vectors end in two orders of the same words", order_figure}};
  return entry;
}

}  // namespace headlight::views
