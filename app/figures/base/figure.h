// Figure: a picture made of primitives, in points (1 pt = 1 px at scale 1). Each view has a layout function that returns one. gl/
// draws it on the screen and export/ writes it as PNG, SVG or PDF, so that a file shows what the screen showed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/core/tensor.h"

namespace headlight::figures {

struct Color {
  float r = 0, g = 0, b = 0, a = 1;
  bool operator==(const Color&) const = default;
};
// rgb(0xff8000) is an opaque orange: r = 1, g = 128 / 255, b = 0.
constexpr Color rgb(std::uint32_t hex, float alpha = 1) {
  return {static_cast<float>((hex >> 16) & 255) / 255, static_cast<float>((hex >> 8) & 255) / 255,
          static_cast<float>(hex & 255) / 255, alpha};
}

struct Point {
  float x = 0, y = 0;
};
struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  bool contains(Point p) const { return p.x >= x && p.y >= y && p.x < x + w && p.y < y + h; }
};

enum class Font { words, words_bold, mono };
enum class Align { start, middle, end };

// The part of a picture that an item belongs to, so that an export can leave parts out (shown_parts.h). picture: the drawing
// itself; number: a number written in a cell; legend: the bar, discs and swatches with the words beside them; caption: the words
// that explain colours and sizes; note: the origin of the numbers, "random weights, seed 0"; predicted: a word that a model
// expects or has made.
enum class Part : std::int32_t { picture = 0, title, axis, number, legend, caption, note, predicted };

// The row, cell, token or other thing that an item represents, so that a view can find the item under the mouse and highlight it.
// Kind none: nothing.
struct Tag {
  enum Kind : std::int32_t { none = 0, row, column, cell_area, thumbnail, token, link, bar, cell, non_finite, gap } kind = none;
  // a is the index of a row, column, token or link. a and b are: layer and head of a thumbnail; the numbers of the picture and of
  // the bar; row and column of a cell; the first row and column of a cell_area. Of non_finite, the legend's count of such cells,
  // a is the kind (non_finite.h), and b is 1 if it counts gaps. A gap marks the place of b values of kind a where no cell could
  // show them: in a curve, a bar. The mouse does not find it.
  std::int64_t a = 0, b = 0;
  Part part = Part::picture;
};

struct Rectangle {
  Box box;
  Color fill{0, 0, 0, 0};
  Color stroke{0, 0, 0, 0};
  float line = 0;  // stroke width
  float radius = 0;
  Tag tag;
};
struct Line {
  Point from, to;
  Color color;
  float width = 1;
};
// A cubic curve between two points (arcs between token columns).
struct Curve {
  Point from, control1, control2, to;
  Color color;
  float width = 1;
  Tag tag;
};
struct Disc {
  Point centre;
  float radius = 0;
  Color fill;
  Tag tag;
};
// A closed area with straight sides, convex or not, that does not intersect itself: arrow heads, slanted slabs. The outline's
// corners are mitred.
struct Polygon {
  std::vector<Point> points;  // at least three, in order along the outline
  Color fill{0, 0, 0, 0};
  Color stroke{0, 0, 0, 0};
  float line = 0;  // stroke width
  Tag tag;
};
// One line of text. (x, y) is the anchor: start/middle/end of the text horizontally, `vertical` start = top, middle, end =
// bottom. Rotation in degrees, counter-clockwise, about the anchor.
struct Text {
  std::string text;
  Point at;
  float size = 13;
  Font font = Font::words;
  Color color;
  Align horizontal = Align::start;
  Align vertical = Align::middle;
  float rotation = 0;
  float max_width = 0;  // if above 0: longer text is shortened with an ellipsis
  Tag tag;
};

enum class Reduction { max, mean };  // for cells smaller than a pixel

// How many cells of a matrix hold no finite number, by kind, and how many cells there are.
struct CellCounts {
  std::int64_t nan = 0, plus = 0, minus = 0, cells = 0;
};

// A matrix of cells, coloured by a colour map: on the screen a float texture and a shader, in files rectangles or one image.
struct Cells {
  Box box;
  std::int64_t rows = 0, columns = 0;
  // f32 [rows, columns], contiguous; or a larger matrix, of which the part that begins at (from_row, from_column) is shown.
  // Panning then changes these two numbers only, while the whole matrix stays one texture on the screen.
  Tensor values;
  Tensor mask;  // u8, of the values' shape, 1 = may attend; empty: nothing masked. Masked cells are hatched.
  std::int64_t from_row = 0, from_column = 0;
  std::string colormap = "viridis";
  float low = 0, high = 1;  // values at the ends of the map; for a signed map low = -high
  float gap = 1;            // between cells larger than 4 points
  Reduction reduction = Reduction::max;
  std::uint64_t key = 0;  // unique for these values: identifies the cached texture
  // Of the larger matrix whose blocks the values stand for; none: the values are the matrix.
  std::optional<CellCounts> counts;
  Tag tag;
};
// The colour map as a bar.
struct ColorBar {
  Box box;
  std::string colormap = "viridis";
  bool vertical = false;
  Tag tag;
};

// A picture in its own colours: u8 [height, width, 4], red, green, blue, alpha, contiguous. Theme and recolouring do not change
// these colours.
struct Photo {
  Box box;
  Tensor rgba;
  bool smooth = true;     // false: enlarged pixels keep their edges
  std::uint64_t key = 0;  // unique for these pixels: identifies the cached texture
  Tag tag;
};

using Item = std::variant<Rectangle, Line, Curve, Disc, Polygon, Text, Cells, ColorBar, Photo>;

// Numbers that a picture shows, for exporting or copying its data.
struct Data {
  // These are defined in the source file: if every file that copies a Data compiled them, the build would take seconds longer.
  Data();
  Data(std::string its_name, Tensor its_values, Axes its_axes = {}, std::vector<std::vector<std::string>> its_labels = {});
  Data(const Data& other);
  Data(Data&& other) noexcept;
  Data& operator=(const Data& other);
  Data& operator=(Data&& other) noexcept;
  ~Data();

  std::string name;  // name of the array in a file
  Tensor values;     // any shape and type
  Axes axes;
  std::vector<std::vector<std::string>> labels;  // one list per axis; an empty list: numbers from 0
};

struct Figure {
  // These are defined in the source file: if every file that copies a Figure compiled them, the build would take seconds longer.
  Figure();
  Figure(const Figure& other);
  Figure(Figure&& other) noexcept;
  Figure& operator=(const Figure& other);
  Figure& operator=(Figure&& other) noexcept;
  ~Figure();

  float width = 0, height = 0;
  Color background{0, 0, 0, 0};  // alpha 0: transparent
  std::string family;            // font family of all texts in files, as fontconfig names it; empty: the program's own fonts
  std::vector<Item> items;
  std::string title;                 // for the file's metadata
  std::vector<Data> data;            // the numbers it shows; the layout fills it
  std::int64_t hidden_labels = 0;    // labels of tokens that are left out
  std::vector<std::string> remarks;  // what a command says beside the picture: labels that are left out, cells without a number

  template <class T>
  void add(T item) {
    items.emplace_back(std::in_place_type<T>, std::move(item));
  }
};

// Whether `p` is inside the polygon (even-odd rule). contains({{{0, 0}, {4, 0}, {0, 4}}}, {1, 1}) is true.
inline bool contains(const Polygon& polygon, Point p) {
  bool inside = false;
  const std::size_t n = polygon.points.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Point a = polygon.points[i], b = polygon.points[(i + 1) % n];
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
  }
  return inside;
}

// Widths and heights of text in points, measured by the renderer that will draw the figure. measure.width("Q", 13, Font::words)
// is the width of "Q" in 13 points.
class TextMeasure {
 public:
  virtual ~TextMeasure() = default;
  virtual float width(std::string_view text, float size, Font font) const = 0;
  virtual float line_height(float size, Font font) const = 0;
};

// A film: frames that are made one after the other. `frame` is a pure function that any thread may call.
struct Animation {
  std::string title;
  int frames = 0;
  double seconds_per_frame = 0.1;
  std::function<Figure(int index, const TextMeasure& measure)> frame;
};

}  // namespace headlight::figures
