// The Index lab: what index-based attention looks up, how long it takes against the same layer without an index, and where it
// stops being worth it. Measured on this machine while one looks; nothing here depends on the sentence.
#include <algorithm>
#include <cmath>

#include "app/figures/compose.h"
#include "app/figures/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab.h"
#include "app/panels/panels.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "imgui.h"

namespace headlight::panels {

bench::Request lab_request(const Context& context) {
  const ViewState& view = context.view;
  bench::Request request;
  // The reference is for checking: timing it would teach nothing.
  for (const std::string& id : {context.document.backend, std::string("cpu")}) {
    if (id == "reference" || request.backend) continue;
    using Opened = std::shared_ptr<backends::Backend>;
    const auto opened = context.derived.now<Opened>("lab/backend/" + id,
                                                    [id](const CancelToken&) -> Result<Opened> { return backends::open(id); });
    if (opened.value && (*opened.value)->supports(backends::Isdpa{1, 1, 1, 1})) request.backend = *opened.value;
  }
  request.words = view.lab_words;
  request.length = view.lab_length;
  request.vocab = view.lab_vocab;
  request.d = view.lab_d;
  request.heads = view.lab_heads;
  request.pad_index = view.lab_padding ? 0 : -1;
  request.stage = "layer";
  return request;
}

std::string lab_problem(const ViewState& view) {
  if (view.lab_d % view.lab_heads != 0)
    return fill(tr("d {} cannot be divided among {} heads: choose a number of heads that divides d"),
                {std::to_string(view.lab_d), std::to_string(view.lab_heads)});
  // Four sets of inputs are rotated, in double while they are made.
  const double numbers =
      4.0 * static_cast<double>(view.lab_d) *
      (static_cast<double>(view.lab_vocab) + static_cast<double>(view.lab_length) + 3.0 * static_cast<double>(view.lab_d));
  if (numbers > 3e8) return tr("These sizes take gigabytes only to set up: choose a smaller vocabulary or d");
  return {};
}

std::string lab_sizes_words(const ViewState& view) {
  const std::string heads = view.lab_heads > 1 ? ", h = " + std::to_string(view.lab_heads) : std::string();
  return "W = " + std::to_string(view.lab_words) + ", l = " + std::to_string(view.lab_length) +
         ", n = " + std::to_string(view.lab_vocab) + ", d = " + std::to_string(view.lab_d) + heads;
}

void lab_words(Context& context, const window::Look& look, const std::string& text, figures::Color color, float size,
               float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  float y = 0;
  for (const std::string& line : figures::wrap(text, width, size, figures::Font::words, context.measure)) {
    context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(y)}, line, size, figures::Font::words, color);
    y += std::ceil(size * 1.35f);
  }
  ImGui::Dummy({look.px(width), look.px(y)});
}

namespace {

constexpr float kGap = 28, kTwoColumns = 980;

void rule(const window::Look& look, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + look.px(6)},
                                            {at.x + look.px(width), at.y + look.px(6) + std::max(1.0f, look.scale)},
                                            gl::packed(look.theme.line));
  ImGui::Dummy({look.px(width), look.px(14)});
}

void draw(Context& context) {
  const window::Look look{context.theme, context.fonts, context.figures, context.scale};
  // A scrollbar's room is kept free.
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 12;
  draw_lab_word(context, look, width);
  rule(look, width);
  if (width >= kTwoColumns) {
    const float left = std::floor(width * 0.58f), right = width - left - kGap;
    ImGui::BeginGroup();
    draw_lab_times(context, look, left);
    ImGui::EndGroup();
    ImGui::SameLine(0, look.px(kGap));
    ImGui::BeginGroup();
    draw_lab_map(context, look, right);
    ImGui::EndGroup();
  } else {
    draw_lab_times(context, look, width);
    rule(look, width);
    draw_lab_map(context, look, width);
  }
  rule(look, width);
  draw_lab_tables(context, look, width);
}

figures::Figure figure(const Context& context, float width, float) {
  const figures::Figure word = lab_word_figure(context, width - 32, 300), times = lab_times_figure(context, width - 32);
  std::vector<figures::Figure> parts;
  for (const figures::Figure& part : {word, times})
    if (!part.items.empty()) parts.push_back(part);
  if (parts.empty()) return {};
  parts.front().background = context.theme.background;
  figures::Figure all = figures::stacked(parts, 20, 16);
  all.title = tr("Index-based attention");
  return all;
}

}  // namespace

Entry index_panel() {
  return {"index",
          "Index lab",
          "QKᵀ = MM[I, I] + MP[I, :] + PM[:, I] + PP",
          "index-based attention: rows S1 to S3 of the README",
          draw,
          figure,
          true};
}

}  // namespace headlight::panels
