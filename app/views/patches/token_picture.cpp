#include <algorithm>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/patches/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kSize = 13, kTokenWordsLine = 20, kPatchStrip = 20, kVector = 22, kColumnGap = 34;

float largest_number(const Tensor& values) {
  float most = 1e-6f;
  for (std::int64_t i = 0; i < values.count(); ++i) most = std::max(most, std::abs(values.data<float>()[i]));
  return most;
}

}  // namespace

Figure patch_to_token(const PatchTokenInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  // In a low room it needs more height than it is given: the view then scrolls.
  height = std::max(height, input.position.empty() ? 150.0f : 206.0f);
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  const float strips = (input.position.empty() ? 1.0f : 3.0f) * (kPatchStrip + 8) + 30;
  float patch = std::clamp(0.24f * width, 72.0f, 190.0f);
  const float x_vector = patch + kColumnGap, x_matrix = x_vector + kVector + kColumnGap, wide = width - x_matrix - 1;
  const float top = 2 * kTokenWordsLine, matrix_high = std::max(24.0f, height - top - strips);
  patch = std::min(patch, matrix_high);
  const auto words = [&](float x, float y, const std::string& text, Color color, float room, Align align = Align::start,
                         Tag tag = {}) { pen.text(x, y, text, kSize, Font::words, color, align, room, tag); };
  const auto cells = [&](const Tensor& values, Box box, float range, std::uint64_t key, std::int64_t tag) {
    Cells made;
    made.box = box;
    made.rows = values.dim(0);
    made.columns = values.dim(1);
    made.values = values;
    made.colormap = "signed";
    made.low = -range;
    made.high = range;
    made.gap = box.w / static_cast<float>(made.columns) > 8 && box.h / static_cast<float>(made.rows) > 8 ? 1.0f : 0.0f;
    made.key = key;
    made.tag = {Tag::cell_area, tag, 0};
    add_cells(figure, std::move(made), theme);
  };
  // The lit dimension of the matrix, or of a strip.
  const auto mark = [&](float y, float high, float line) {
    if (input.hot < 0 || input.hot >= input.matrix.dim(1)) return;
    const float one = wide / static_cast<float>(input.matrix.dim(1));
    pen.box({x_matrix + static_cast<float>(input.hot) * one - 1, y - 1, std::max(3.0f, one + 2), high + 2}, {0, 0, 0, 0},
            theme.selected, line);
  };

  Photo photo = input.patch;
  photo.box = {0, top, patch, patch};
  photo.smooth = false;
  figure.add(std::move(photo));
  pen.box({0, top, patch, patch}, {0, 0, 0, 0}, theme.selected, 2);
  const float one = patch / static_cast<float>(input.side);
  if (one >= 5)
    for (std::int64_t i = 1; i < input.side; ++i) {
      const float at = static_cast<float>(i) * one;
      const Color color = with_alpha(theme.background, 0.35f);
      pen.line({at, top}, {at, top + patch}, color, 1);
      pen.line({0, top + at}, {patch, top + at}, color, 1);
    }
  // In a narrow room its place alone: "patch (5, 8)".
  const std::string place = input.patch_words.substr(0, input.patch_words.find_first_of(":："));
  words(0, top - kTokenWordsLine - 8, first_that_fits({input.patch_words, place}, width, kSize, Font::words, measure), theme.text,
        width);

  cells(input.pixels, {x_vector, top, kVector, matrix_high}, 1, input.key, kPixelTag);
  words(x_vector + kVector / 2, top - 9, "x", theme.text, 0, Align::middle);
  pen.text(x_vector - 8, top + matrix_high / 2, "→", 17, Font::words, theme.secondary, Align::end);
  const std::string order =
      first_that_fits({tr("row by row, red, green, blue"), tr("row by row")}, matrix_high, 12, Font::words, measure);
  Text turned = text_at(order, {x_vector + kVector + 10, top + matrix_high / 2}, 12, Font::words, theme.secondary);
  turned.rotation = 90;
  turned.horizontal = Align::middle;
  turned.max_width = matrix_high;
  turned.tag = kAxisTag;
  if (!order.empty()) figure.add(std::move(turned));

  cells(input.matrix, {x_matrix, top, wide, matrix_high}, largest_number(input.matrix), input.key + 1, 0);
  std::string name = "W_E [" + std::to_string(input.matrix.dim(0)) + ", " + std::to_string(input.matrix.dim(1)) + "]";
  if (!input.note.empty() && measure.width(name + ", " + input.note, kSize, Font::words) <= wide) name += ", " + input.note;
  words(x_matrix, top - 9, name, theme.text, wide, Align::start, kNoteTag);
  mark(top, matrix_high, 1.5f);

  float y = top + matrix_high + 10;
  const auto strip = [&](const std::string& what, const Tensor& values, std::uint64_t key, std::int64_t tag) {
    words(x_matrix - 8, y + kPatchStrip / 2, what, theme.text, x_matrix - 8, Align::end);
    cells(values, {x_matrix, y, wide, kPatchStrip}, largest_number(values), key, tag);
    mark(y, kPatchStrip, 2);
  };
  strip(tr("token = x W_E"), input.token, input.key + 2, kTokenTag);
  if (!input.position.empty()) {
    y += kPatchStrip + 8;
    strip(tr("+ its row and column"), input.position, input.key + 3, kPositionTag);
    y += kPatchStrip + 8;
    strip(tr("= what attention reads"), input.input, input.key + 4, kInputTag);
  }
  const std::string axis = fill(tr("dimension, 0 to {}"), {std::to_string(input.token.dim(1) - 1)});
  words(x_matrix, y + kPatchStrip + 11, axis, theme.secondary, width - x_matrix, Align::start, kAxisTag);
  const float room = width - x_matrix - measure.width(axis, kSize, Font::words) - 20;
  const std::string scale = first_that_fits({tr("each strip on its own scale")}, room, kSize, Font::words, measure);
  if (!scale.empty()) words(width - 1, y + kPatchStrip + 11, scale, theme.secondary, room, Align::end, kAxisTag);

  figure.data.push_back({"pixels", input.pixels, {"pixel", "one"}});
  figure.data.push_back({"w_e", input.matrix, {"pixel", "dimension"}});
  figure.data.push_back({"token", input.token, {"one", "dimension"}});
  if (!input.position.empty()) figure.data.push_back({"position", input.position, {"one", "dimension"}});
  figure.data.push_back({"input", input.input, {"one", "dimension"}});
  return figure;
}

}  // namespace headlight::figures
