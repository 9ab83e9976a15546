#include "app/views/walk/layout_picture.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

Point mix(Point a, Point b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }
float distance(Point a, Point b) { return std::hypot(b.x - a.x, b.y - a.y); }

Curve straight(Point from, Point to) { return {from, mix(from, to, 1.0f / 3), mix(from, to, 2.0f / 3), to, {}, 1, {}}; }
Point on(const Curve& c, float t) {
  const Point a = mix(c.from, c.control1, t), b = mix(c.control1, c.control2, t), d = mix(c.control2, c.to, t);
  return mix(mix(a, b, t), mix(b, d, t), t);
}
float curve_length(const Curve& c) {
  float sum = 0;
  Point last = c.from;
  for (int i = 1; i <= 16; ++i) {
    const Point p = on(c, static_cast<float>(i) / 16);
    sum += distance(last, p);
    last = p;
  }
  return sum;
}

// A path through the corners, with rounded right angles.
std::vector<Curve> rounded(const std::vector<Point>& corners) {
  constexpr float kRadius = 7;
  std::vector<Curve> pieces;
  Point at = corners.front();
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    const Point c = corners[i], before = corners[i - 1], after = corners[i + 1];
    const float in = distance(before, c), out = distance(c, after);
    if (in < 0.5f || out < 0.5f) continue;
    const float r = std::min({kRadius, in / 2, out / 2});
    const Point enter = mix(c, before, r / in), leave = mix(c, after, r / out);
    if (distance(at, enter) > 0.01f) pieces.push_back(straight(at, enter));
    pieces.push_back({enter, mix(enter, c, 0.55f), mix(leave, c, 0.55f), leave, {}, 1, {}});
    at = leave;
  }
  pieces.push_back(straight(at, corners.back()));
  return pieces;
}

// Where a box is: in which of the columns on the left, or in which slot of which row on the right. Several boxes of a slot stand
// one above the other.
struct Seat {
  int column = -1, row = -1, index = 0, level = 0;
};

using Slot = std::vector<int>;  // boxes, from the top
constexpr int kRows = 4;        // pattern, result, feed-forward part, last steps

struct Seating {
  std::vector<Seat> seats;                               // by box
  std::vector<std::vector<int>> columns = {{}, {}, {}};  // text, stream, heads; from the fourth on what stands right of q, k or v
  std::vector<Slot> rows[kRows];

  int last_column() const { return static_cast<int>(columns.size()) - 1; }
  // Slots of the longest row beyond the usual four; the result's steps have short names, and five of them have room.
  std::size_t extra_slots() const {
    return std::max(
               {rows[0].size(), std::max<std::size_t>(1, rows[1].size()) - 1, rows[2].size(), rows[3].size(), std::size_t{4}}) -
           4;
  }
  std::size_t highest(int row) const {
    std::size_t most = 1;
    for (const Slot& slot : rows[row]) most = std::max(most, slot.size());
    return most;
  }
};

// The box of Q, K or V, or right of them, that a box of WalkPart::scored is made from.
int source_of(const WalkGraph& graph, const WalkBox& box) {
  for (const WalkInputOf& input : box.inputs) {
    const WalkPart part = graph.boxes[static_cast<std::size_t>(input.box)].part;
    if (part == WalkPart::heads || part == WalkPart::scored) return input.box;
  }
  return -1;
}

bool same_inputs(const WalkBox& a, const WalkBox& b) {
  return !a.inputs.empty() && a.inputs.size() == b.inputs.size() &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(),
                    [](const WalkInputOf& x, const WalkInputOf& y) { return x.box == y.box; });
}

Seating seating_of(const WalkGraph& graph) {
  Seating out;
  out.seats.resize(graph.boxes.size());
  for (int i = 0; i < static_cast<int>(graph.boxes.size()); ++i) {
    const WalkBox& box = graph.boxes[static_cast<std::size_t>(i)];
    Seat& seat = out.seats[static_cast<std::size_t>(i)];
    if (box.part <= WalkPart::scored) {
      const int source = box.part == WalkPart::scored ? source_of(graph, box) : -1;
      const int column = source >= 0 ? out.seats[static_cast<std::size_t>(source)].column + 1
                                     : std::min(static_cast<int>(box.part), static_cast<int>(WalkPart::heads));
      if (column > out.last_column()) out.columns.emplace_back();
      auto& group = out.columns[static_cast<std::size_t>(column)];
      seat.column = column;
      seat.index = static_cast<int>(group.size());
      group.push_back(i);
      continue;
    }
    seat.row = static_cast<int>(box.part) - static_cast<int>(WalkPart::pattern);
    auto& row = out.rows[seat.row];
    if (row.empty() || box.part == WalkPart::last || !same_inputs(graph.boxes[static_cast<std::size_t>(row.back().front())], box))
      row.emplace_back();
    seat.index = static_cast<int>(row.size()) - 1;
    seat.level = static_cast<int>(row.back().size());
    row.back().push_back(i);
  }
  // K and V read the encoder's output, so it is below the source of the queries.
  auto& stream = out.columns[1];
  std::stable_partition(stream.begin(), stream.end(),
                        [&](int i) { return graph.boxes[static_cast<std::size_t>(i)].kind != WalkBox::Kind::encoder_output; });
  for (std::size_t k = 0; k < stream.size(); ++k) out.seats[static_cast<std::size_t>(stream[k])].index = static_cast<int>(k);
  return out;
}

class Maker {
 public:
  Maker(const WalkGraph& graph, float width, float height, const TextMeasure& measure, const WalkType& type)
      : graph_(graph), measure_(measure), seating_(seating_of(graph)) {
    const WalkSize least = walk_least_size(graph, type);
    out_.type = type;
    out_.width = std::max(width, least.width);
    out_.height = std::max(height, least.height);
  }

  WalkLayout make() {
    place();
    fill_boxes();
    for (int to = 0; to < static_cast<int>(graph_.boxes.size()); ++to)
      for (const WalkInputOf& input : box(to).inputs) connect(input, to);
    return std::move(out_);
  }

 private:
  const WalkBox& box(int i) const { return graph_.boxes[static_cast<std::size_t>(i)]; }
  const Box& at(int i) const { return out_.boxes[static_cast<std::size_t>(i)]; }
  const Seat& seat_of(int i) const { return seating_.seats[static_cast<std::size_t>(i)]; }
  const std::vector<int>& column(int c) const { return seating_.columns[static_cast<std::size_t>(c)]; }
  const Slot& slot_of(const Seat& seat) const { return seating_.rows[seat.row][static_cast<std::size_t>(seat.index)]; }

  void place() {
    out_.boxes.resize(graph_.boxes.size());
    const float w = out_.width, h = out_.height;
    // Wide windows give the arrows more room.
    const bool tight = out_.type.tight;
    narrow_ = std::clamp(w * 0.016f, 14.0f, tight ? 14.0f : 30.0f);
    const float wide = tight ? 24.0f : std::clamp(w * 0.03f, 28.0f, 56.0f);
    gap_ = std::clamp(h * 0.05f, tight ? 14.0f : 20.0f, tight ? 18.0f : 34.0f);
    // V's arrow runs below the last row, if there is no further row whose gap it could use.
    lane_below_ = !seating_.rows[1].empty() && seating_.rows[2].empty() ? 14.0f : 0.0f;
    lane_above_ = needs_lane_above() ? 14.0f : 0.0f;
    loop_ = graph_.says_words() ? 14.0f : 0.0f;
    const float usable = h - lane_below_ - lane_above_ - loop_;
    const bool whole = graph_.prefix.empty();
    const auto scored = static_cast<float>(seating_.last_column() - 2);
    // Without an attention there are only the two columns on the left; their boxes are as wide as usual.
    const float units = whole ? 4.0f : 1 + 1 + 1.2f + scored * 1.06f + static_cast<float>(4 + seating_.extra_slots()) * 1.06f;
    const float unit = (w - loop_ - narrow_ - (whole ? narrow_ : 2 * wide + (3 + scored) * narrow_)) / units;
    left_.assign(seating_.columns.size(), loop_);
    right_.assign(seating_.columns.size(), loop_ + unit);
    for (std::size_t c = 1; c < seating_.columns.size(); ++c) {
      left_[c] = right_[c - 1] + (c == 2 ? wide : narrow_);
      right_[c] = left_[c] + unit * (c == 1 ? 1.0f : c == 2 ? 1.2f : 1.06f);
    }
    right_area_ = right_.back() + wide;
    for (int c = 0; c < 3; ++c) place_column(c, usable);
    for (int c = 3; c <= seating_.last_column(); ++c)
      for (const int i : column(c)) {
        const Box& beside = at(source_of(graph_, box(i)));
        out_.boxes[static_cast<std::size_t>(i)] = {left_[static_cast<std::size_t>(c)], beside.y,
                                                   right_[static_cast<std::size_t>(c)] - left_[static_cast<std::size_t>(c)],
                                                   beside.h};
      }
    place_rows(usable);
  }

  // A row with boxes one above the other is as much higher.
  static float weight_of(std::size_t levels) { return static_cast<float>(levels) + 0.2f * static_cast<float>(levels - 1); }

  // A list of words needs more lines than a map.
  float weight(int r) const { return weight_of(seating_.highest(r)) * (r == 3 && graph_.says_words() ? 1.5f : 1.0f); }

  void place_rows(float usable) {
    int shown = 0;
    float weights = 0;
    for (int r = 0; r < kRows; ++r) {
      if (seating_.rows[r].empty()) continue;
      ++shown;
      weights += weight(r);
    }
    const float each = (usable - gap_ * static_cast<float>(std::max(1, shown) - 1)) / std::max(1.0f, weights);
    float y = lane_above_;
    for (int r = 0; r < kRows; ++r) {
      const auto& row = seating_.rows[r];
      row_top_[r] = row_bottom_[r] = y;
      if (row.empty()) continue;
      const float high = each * weight(r);
      row_bottom_[r] = y + high;
      const auto slots = static_cast<float>(std::max<std::size_t>(4, row.size()));
      const float wide = (out_.width - right_area_ - narrow_ * (slots - 1)) / slots;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const float shift = static_cast<float>(k) * (wide + narrow_);
        const float x = r % 2 == 1 ? out_.width - wide - shift : right_area_ + shift;
        const auto levels = static_cast<float>(row[k].size());
        const float between = levels > 1 ? gap_ * 0.5f : 0, one = (high - between * (levels - 1)) / levels;
        for (std::size_t n = 0; n < row[k].size(); ++n)
          out_.boxes[static_cast<std::size_t>(row[k][n])] = {x, y + static_cast<float>(n) * (one + between), wide, one};
      }
      y += high + gap_;
    }
  }

  void place_column(int c, float usable) {
    const auto& boxes = column(c);
    if (boxes.empty()) return;
    const auto n = static_cast<float>(boxes.size());
    // Three boxes fill the height; fewer have the height of three and are centred, more have smaller gaps.
    const float gap = boxes.size() > 3 ? gap_ * 0.7f : gap_;
    const float most = (usable - gap_ * 2) / 3;
    const float high = std::min(most, (usable - gap * (n - 1)) / n);
    const auto at_column = static_cast<std::size_t>(c);
    float y = lane_above_ + (usable - high * n - gap * (n - 1)) / 2;
    for (const int i : boxes) {
      out_.boxes[static_cast<std::size_t>(i)] = {left_[at_column], y, right_[at_column] - left_[at_column], high};
      y += high + gap;
    }
  }

  void fill_boxes() {
    const WalkType& type = out_.type;
    const float title = measure_.line_height(type.title, Font::words_bold), small = measure_.line_height(type.small, Font::words);
    out_.shape_above = true;
    float least = out_.height;
    for (std::size_t i = 0; i < graph_.boxes.size(); ++i) {
      const WalkBox& b = graph_.boxes[i];
      const float shape = measure_.width(walk_shape(b.shape, b.axes), type.small, Font::mono),
                  room = out_.boxes[i].w - 2 * type.padding;
      const float wide = measure_.width(tr(b.title.c_str()), type.title, Font::words_bold) + 10 + shape;
      if (shape > room + 2) out_.shape_tight = true;
      if (b.kind != WalkBox::Kind::text && wide > room) out_.shape_above = false;
      least = std::min(least, out_.boxes[i].h);
    }
    out_.captions = least >= (out_.shape_above ? 104 : 122);
    const float above = type.above + title + type.apart;
    const float air = least >= 130 ? 6 : out_.captions || !out_.shape_above ? 2 : 3;
    const float below = type.below + (out_.captions ? small : 0) + (out_.shape_above ? 0 : small) + air;
    for (const Box& b : out_.boxes)
      out_.inner.push_back({b.x + type.padding, b.y + above, b.w - 2 * type.padding, std::max(6.0f, b.h - above - below)});
  }

  // An arrow from Q, K, V or a box right of them straight to the first box of the pattern, past the columns in between.
  bool enters_pattern(int from, int to) const {
    const Seat &s = seat_of(from), &t = seat_of(to);
    if (s.column < 2 || t.row != 0 || t.index != 0) return false;
    for (int c = s.column + 1; c <= seating_.last_column(); ++c)
      for (const int i : column(c))
        if (source_of(graph_, box(i)) == from) return false;  // it stands in the way
    return true;
  }

  bool needs_lane_above() const {
    for (int to = 0; to < static_cast<int>(graph_.boxes.size()); ++to)
      for (const WalkInputOf& input : box(to).inputs) {
        const Seat &s = seat_of(input.box), &t = seat_of(to);
        const bool beside = s.row == t.row && std::abs(s.index - t.index) == 1;
        if (t.row == 0 && !beside && !enters_pattern(input.box, to)) return true;
      }
    return false;
  }

  // Arrows that enter a box on the same side are evenly spaced, in their order of origin.
  Point entry(int from, int to, bool from_left) const {
    std::vector<std::pair<float, int>> sources;
    for (const WalkInputOf& input : box(to).inputs) {
      const Seat &a = seat_of(input.box), &b = seat_of(to);
      const bool left = a.column >= 0 && (b.column == a.column + 1 || enters_pattern(input.box, to));
      if (left == from_left) sources.emplace_back(at(input.box).y + at(input.box).h / 2, input.box);
    }
    sort_stably(sources);
    std::size_t k = 0;
    while (k < sources.size() && sources[k].second != from) ++k;
    const float share = (static_cast<float>(k) + 1) / (static_cast<float>(sources.size()) + 1);
    const Box& b = at(to);
    return from_left ? Point{b.x, b.y + b.h * share} : Point{b.x + b.w * share, b.y};
  }

  void connect(const WalkInputOf& input, int to) {
    WalkArrow arrow;
    arrow.from = input.box;
    arrow.to = to;
    arrow.flow = box(to).part == WalkPart::heads ? box(to).flow : box(input.box).flow;
    arrow.through = input.through;
    arrow.pieces = pieces_of(input.box, to, input.back);
    for (const Curve& piece : arrow.pieces) arrow.length += curve_length(piece);
    out_.arrows.push_back(std::move(arrow));
  }

  std::vector<Curve> pieces_of(int from, int to, bool back) const {
    const Box &a = at(from), &b = at(to);
    const Seat &s = seat_of(from), &t = seat_of(to);
    const Point middle_right{a.x + a.w, a.y + a.h / 2};
    if (back) {  // below everything, and up on the left
      const float x = a.x + a.w / 2, low = out_.height - 3, side = 3;
      return rounded({{x, a.y + a.h}, {x, low}, {side, low}, {side, b.y + b.h / 2}, {b.x, b.y + b.h / 2}});
    }
    if (s.column >= 0 && s.column == t.column) return down_the_column(from, to);
    if (s.column >= 0 && (t.column == s.column + 1 || enters_pattern(from, to))) {
      const Point tip = entry(from, to, true);
      // Past columns whose place in this line is empty.
      const Point start{t.row == 0 ? std::max(middle_right.x, right_.back()) : middle_right.x, middle_right.y};
      const float bend = (tip.x - start.x) * 0.55f;
      std::vector<Curve> pieces{{start, {start.x + bend, start.y}, {tip.x - bend, tip.y}, tip, {}, 1, {}}};
      if (start.x > middle_right.x + 0.5f) pieces.insert(pieces.begin(), straight(middle_right, start));
      return pieces;
    }
    if (s.row >= 0 && s.row == t.row && std::abs(s.index - t.index) == 1) return to_the_next_slot(a, b);
    const bool lowest = s.row >= 0 && s.level + 1 == static_cast<int>(slot_of(s).size());
    if (lowest && t.row == s.row + 1 && t.level == 0 && std::abs(a.x + a.w / 2 - b.x - b.w / 2) < a.w / 2) {
      const Point start{a.x + a.w / 2, a.y + a.h}, tip{b.x + b.w / 2, b.y};
      const float bend = (tip.y - start.y) * 0.5f;
      return {{start, {start.x, start.y + bend}, {tip.x, tip.y - bend}, tip, {}, 1, {}}};
    }
    // Back to a column there is no way around: straight.
    if (t.row < 0) return {straight({a.x + a.w / 2, a.y + a.h}, {b.x + b.w / 2, b.y})};
    return rounded(long_way(from, to));
  }

  std::vector<Curve> down_the_column(int from, int to) const {
    const Box &a = at(from), &b = at(to);
    const Seat &s = seat_of(from), &t = seat_of(to);
    if (t.index == s.index + 1) return {straight({a.x + a.w / 2, a.y + a.h}, {b.x + b.w / 2, b.y})};
    // past the boxes in between
    const float lane = right_[static_cast<std::size_t>(s.column)] + 9;
    const bool down = t.index > s.index;
    return rounded({{a.x + a.w, a.y + a.h * (down ? 0.7f : 0.3f)},
                    {lane, a.y + a.h * (down ? 0.7f : 0.3f)},
                    {lane, b.y + b.h * (down ? 0.3f : 0.7f)},
                    {b.x + b.w, b.y + b.h * (down ? 0.3f : 0.7f)}});
  }

  // Level with the lower of the two boxes, where the other is beside it; else in a curve.
  static std::vector<Curve> to_the_next_slot(const Box& a, const Box& b) {
    const bool rightwards = b.x > a.x;
    const float from_x = rightwards ? a.x + a.w : a.x, to_x = rightwards ? b.x : b.x + b.w;
    const float from_y = a.y + a.h / 2, to_y = b.y + b.h / 2;
    const auto beside = [](const Box& box, float y) { return y > box.y && y < box.y + box.h; };
    if (a.h <= b.h && beside(b, from_y)) return {straight({from_x, from_y}, {to_x, from_y})};
    if (b.h <= a.h && beside(a, to_y)) return {straight({from_x, to_y}, {to_x, to_y})};
    const float bend = (to_x - from_x) * 0.55f;
    return {{{from_x, from_y}, {from_x + bend, from_y}, {to_x - bend, to_y}, {to_x, to_y}, {}, 1, {}}};
  }

  // Through the gaps between columns and rows.
  std::vector<Point> long_way(int from, int to) const {
    const Box& b = at(to);
    const Seat &s = seat_of(from), &t = seat_of(to);
    const bool below = box(from).flow == WalkFlow::v && t.row == 1 && s.column >= 0;
    // There are two lanes in a gap: V's above, the residual's below.
    const float lane = below ? row_bottom_[t.row] + (lane_below_ > 0 ? lane_below_ - 4 : gap_ * 0.34f)
                             : (t.row > 0 ? row_top_[t.row] - gap_ * 0.42f : lane_above_ * 0.4f);
    std::vector<Point> way = s.column >= 0 ? out_of_column(from, lane, below) : out_of_row(from, t.row, lane);
    if (t.level > 0) {  // past the boxes above it
      const float x = b.x - narrow_ / 2;
      way.push_back({x, lane});
      way.push_back({x, b.y + b.h / 2});
      way.push_back({b.x, b.y + b.h / 2});
      return way;
    }
    const Point tip = below ? Point{b.x + b.w / 2, b.y + b.h} : Point{b.x + b.w * 0.62f, b.y};
    way.push_back({tip.x, lane});
    way.push_back(tip);
    return way;
  }

  // Leaves to the right, passes the columns in between through the gap below their first box, or beside their boxes, and ends in
  // the lane.
  std::vector<Point> out_of_column(int from, float lane, bool below) const {
    const Box& a = at(from);
    const Seat& s = seat_of(from);
    const int last = seating_.last_column();
    float y = a.y + a.h * (s.column >= 2 ? 0.5f : 0.22f);
    std::vector<Point> way{{a.x + a.w, y}};
    for (int c = s.column; c < last; ++c) {
      const auto& next = column(c + 1);
      const bool free = c + 1 > 2 && std::none_of(next.begin(), next.end(),
                                                  [&](int i) { return y > at(i).y - 2 && y < at(i).y + at(i).h + 2; });
      if (free) continue;
      const auto here = static_cast<std::size_t>(c);
      const float gutter = right_[here] + (left_[here + 1] - right_[here]) * 0.3f;
      way.push_back({gutter, y});
      y = next.empty() ? lane : at(next.front()).y + at(next.front()).h + gap_ * 0.58f;
      way.push_back({gutter, y});
    }
    const float gutter = right_.back() + (right_area_ - right_.back()) * (below ? 0.36f : 0.7f);
    way.push_back({gutter, y});
    way.push_back({gutter, lane});
    return way;
  }

  std::vector<Point> out_of_row(int from, int to_row, float lane) const {
    const Box& a = at(from);
    const Seat& s = seat_of(from);
    if (slot_of(s).size() > 1) {  // beside the boxes above and below it
      const float x = a.x + a.w + narrow_ / 2;
      return {{a.x + a.w, a.y + a.h / 2}, {x, a.y + a.h / 2}, {x, lane}};
    }
    const bool under = to_row > s.row;
    const float x = a.x + a.w * (under ? 0.75f : 0.25f);
    int next = s.row + 1;
    while (next < to_row && seating_.rows[next].empty()) ++next;
    if (to_row <= next) return {{x, under ? a.y + a.h : a.y}, {x, lane}};
    // Around the rows in between, on their left.
    const float first = row_top_[s.row + 1] - gap_ * 0.42f, side = right_area_ - 7;
    return {{x, a.y + a.h}, {x, first}, {side, first}, {side, lane}};
  }

  const WalkGraph& graph_;
  const TextMeasure& measure_;
  const Seating seating_;
  WalkLayout out_;
  std::vector<float> left_, right_;  // of the columns
  float right_area_ = 0, row_top_[kRows] = {}, row_bottom_[kRows] = {}, narrow_ = 0, gap_ = 0, lane_below_ = 0, lane_above_ = 0;
  float loop_ = 0;  // the width of the way from the word back to the text, below and on the left
};

}  // namespace

Point WalkArrow::at(float share) const {
  if (pieces.empty()) return {};
  float left = std::clamp(share, 0.0f, 1.0f) * length;
  for (const Curve& piece : pieces) {
    const float part = curve_length(piece);
    if (left <= part || &piece == &pieces.back()) return on(piece, part > 0 ? std::min(1.0f, left / part) : 1.0f);
    left -= part;
  }
  return pieces.back().to;
}

Point WalkArrow::direction() const {
  if (pieces.empty()) return {1, 0};
  const Curve& last = pieces.back();
  const Point before = on(last, 0.9f);
  const float d = distance(before, last.to);
  return d > 0 ? Point{(last.to.x - before.x) / d, (last.to.y - before.y) / d} : Point{1, 0};
}

WalkSize walk_least_size(const WalkGraph& graph, const WalkType& type) {
  // What the usual steps take, and one more of each.
  struct Needs {
    float width = kWalkLeastWidth, height = kWalkLeastHeight;
    float slot = 140, column = 156, level = 70, row = 100, loop = 14, words = 30, titles = 70;
  };
  const Needs one = type.tight ? Needs{790, 214, 110, 110, 66, 72, 14, 30, 120} : Needs{};
  const Seating seating = seating_of(graph);
  WalkSize least{one.width, one.height};
  least.width += one.column * static_cast<float>(seating.last_column() - 2);
  least.width += one.slot * static_cast<float>(seating.extra_slots());
  for (int r = 0; r < kRows; ++r) least.height += one.level * static_cast<float>(seating.highest(r) - 1);
  if (!seating.rows[3].empty()) least.height += one.row;
  if (graph.says_words()) {  // their row is higher, for some words, and as wide as the probabilities' title
    least.height += one.loop + one.words;
    least.width += one.titles;
  }
  // Columns of more than four boxes.
  std::size_t longest = 4;
  for (const auto& column : seating.columns) longest = std::max(longest, column.size());
  least.height += one.level * static_cast<float>(longest - 4);
  if (type.tight) {  // rows that are closer together may be lower than the columns beside them
    constexpr float kBox = 54, kBetween = 10, kLanes = 42;
    std::size_t boxes = 1;
    for (const auto& column : seating.columns) boxes = std::max(boxes, column.size());
    least.height = std::max(least.height, (kBox + kBetween) * static_cast<float>(boxes) + kLanes);
  }
  return least;
}

WalkLayout walk_layout(const WalkGraph& graph, float width, float height, const TextMeasure& measure, const WalkType& type) {
  return Maker(graph, width, height, measure, type).make();
}

}  // namespace headlight::figures
