#include "app/figures/walk/walk_layout.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"

namespace headlight::figures {
namespace {

using Part = WalkBox::Part;

Point mix(Point a, Point b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }
float distance(Point a, Point b) { return std::hypot(b.x - a.x, b.y - a.y); }

Curve straight(Point from, Point to) { return {from, mix(from, to, 1.0f / 3), mix(from, to, 2.0f / 3), to, {}, 1, {}}; }
Point on(const Curve& c, float t) {
  const Point a = mix(c.from, c.control1, t), b = mix(c.control1, c.control2, t), d = mix(c.control2, c.to, t);
  return mix(mix(a, b, t), mix(b, d, t), t);
}
float length_of(const Curve& c) {
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

// Where a box is: in which of the three columns on the left, or in which row on the right.
struct Seat {
  int column = -1, row = -1, index = 0;
};

class Maker {
 public:
  Maker(const WalkGraph& graph, float width, float height, const TextMeasure& measure) : graph_(graph), measure_(measure) {
    out_.width = std::max(width, kWalkLeastWidth);
    out_.height = std::max(height, kWalkLeastHeight);
  }

  WalkLayout make() {
    seat();
    place();
    fill_boxes();
    for (int to = 0; to < static_cast<int>(graph_.boxes.size()); ++to)
      for (const WalkInputOf& input : box(to).inputs) connect(input, to);
    return std::move(out_);
  }

 private:
  const WalkBox& box(int i) const { return graph_.boxes[static_cast<std::size_t>(i)]; }
  const Box& at(int i) const { return out_.boxes[static_cast<std::size_t>(i)]; }
  const Seat& seat_of(int i) const { return seats_[static_cast<std::size_t>(i)]; }

  void seat() {
    seats_.resize(graph_.boxes.size());
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) {
      const Part part = box(i).part;
      auto& group = part == Part::text      ? columns_[0]
                    : part == Part::stream  ? columns_[1]
                    : part == Part::heads   ? columns_[2]
                    : part == Part::pattern ? rows_[0]
                    : part == Part::result  ? rows_[1]
                                            : rows_[2];
      Seat& seat = seats_[static_cast<std::size_t>(i)];
      seat.index = static_cast<int>(group.size());
      seat.column = part <= Part::heads ? static_cast<int>(part) : -1;
      seat.row = part <= Part::heads ? -1 : static_cast<int>(part) - static_cast<int>(Part::pattern);
      group.push_back(i);
    }
    // K and V read the encoder's output, so it is below the source of the queries.
    auto& stream = columns_[1];
    std::stable_partition(stream.begin(), stream.end(), [&](int i) { return box(i).id != "memory"; });
    for (std::size_t k = 0; k < stream.size(); ++k) seats_[static_cast<std::size_t>(stream[k])].index = static_cast<int>(k);
  }

  void place() {
    out_.boxes.resize(graph_.boxes.size());
    const float w = out_.width, h = out_.height;
    // Wide windows give the arrows more room.
    const float narrow = std::clamp(w * 0.016f, 14.0f, 30.0f), wide = std::clamp(w * 0.03f, 28.0f, 56.0f);
    gap_ = std::clamp(h * 0.05f, 20.0f, 34.0f);
    int shown = 0;
    for (const auto& row : rows_) shown += row.empty() ? 0 : 1;
    row_count_ = std::max(1, shown);
    // V's arrow runs below the last row, if there is no further row whose gap it could use.
    lane_below_ = !rows_[1].empty() && rows_[2].empty() ? 14.0f : 0.0f;
    const float usable = h - lane_below_;
    std::size_t widest = 4;
    for (const auto& row : rows_) widest = std::max(widest, row.size());
    const bool whole = graph_.prefix.empty();
    // Without an attention there are only the two columns on the left; their boxes are as wide as usual.
    const float units = whole ? 4.0f : 1 + 1 + 1.2f + 4 * 1.06f;
    const float unit = (w - narrow - (whole ? narrow : 2 * wide + 3 * narrow)) / units;
    left_[0] = 0;
    right_[0] = unit;
    left_[1] = right_[0] + narrow;
    right_[1] = left_[1] + unit;
    left_[2] = right_[1] + wide;
    right_[2] = left_[2] + unit * 1.2f;
    right_area_ = right_[2] + wide;
    for (int c = 0; c < 3; ++c) place_column(c, usable);
    const float row_high = (usable - gap_ * static_cast<float>(row_count_ - 1)) / static_cast<float>(row_count_);
    float y = 0;
    for (int r = 0; r < 3; ++r) {
      const auto& row = rows_[r];
      if (row.empty()) {
        row_top_[r] = row_bottom_[r] = y;
        continue;
      }
      row_top_[r] = y;
      row_bottom_[r] = y + row_high;
      const auto slots = static_cast<float>(std::max<std::size_t>(4, row.size()));
      const float wide_box = (w - right_area_ - narrow * (slots - 1)) / slots;
      for (std::size_t k = 0; k < row.size(); ++k) {
        const auto slot = static_cast<float>(k);
        const float x = r == 1 ? w - wide_box - slot * (wide_box + narrow) : right_area_ + slot * (wide_box + narrow);
        out_.boxes[static_cast<std::size_t>(row[k])] = {x, y, wide_box, row_high};
      }
      y += row_high + gap_;
    }
  }

  void place_column(int c, float usable) {
    const auto& column = columns_[c];
    if (column.empty()) return;
    const auto n = static_cast<float>(column.size());
    // Three boxes fill the height; fewer have the height of three and are centred, more have smaller gaps.
    const float gap = column.size() > 3 ? gap_ * 0.7f : gap_;
    const float most = (usable - gap_ * 2) / 3;
    const float high = std::min(most, (usable - gap * (n - 1)) / n);
    float y = (usable - high * n - gap * (n - 1)) / 2;
    for (const int i : column) {
      out_.boxes[static_cast<std::size_t>(i)] = {left_[c], y, right_[c] - left_[c], high};
      y += high + gap;
    }
  }

  void fill_boxes() {
    const float title = measure_.line_height(kWalkTitle, Font::words_bold), small = measure_.line_height(kWalkSmall, Font::words);
    out_.shape_above = true;
    float least = out_.height;
    for (std::size_t i = 0; i < graph_.boxes.size(); ++i) {
      const WalkBox& b = graph_.boxes[i];
      const float wide = measure_.width(tr(b.title.c_str()), kWalkTitle, Font::words_bold) + 10 +
                         measure_.width(walk_shape(b.shape, b.axes), kWalkSmall, Font::mono);
      if (measure_.width(walk_shape(b.shape, b.axes), kWalkSmall, Font::mono) > out_.boxes[i].w - 2 * kWalkPadding + 2)
        out_.shape_tight = true;
      if (b.id != "text" && wide > out_.boxes[i].w - 2 * kWalkPadding) out_.shape_above = false;
      least = std::min(least, out_.boxes[i].h);
    }
    out_.captions = least >= (out_.shape_above ? 104 : 122);
    const float above = 6 + title + 3;
    const float air = least >= 130 ? 6 : out_.captions || !out_.shape_above ? 2 : 3;
    const float below = 5 + (out_.captions ? small : 0) + (out_.shape_above ? 0 : small) + air;
    for (const Box& b : out_.boxes)
      out_.inner.push_back({b.x + kWalkPadding, b.y + above, b.w - 2 * kWalkPadding, std::max(6.0f, b.h - above - below)});
  }

  // Arrows that enter a box on the same side are evenly spaced, in their order of origin.
  Point entry(int from, int to, bool from_left) const {
    std::vector<std::pair<float, int>> sources;
    for (const WalkInputOf& input : box(to).inputs) {
      const Seat &a = seat_of(input.box), &b = seat_of(to);
      const bool left = a.column >= 0 && (b.column == a.column + 1 || (b.row == 0 && a.column == 2));
      if (left == from_left) sources.emplace_back(at(input.box).y + at(input.box).h / 2, input.box);
    }
    std::sort(sources.begin(), sources.end());
    std::size_t k = 0;
    while (k < sources.size() && sources[k].second != from) ++k;
    const float share = (static_cast<float>(k) + 1) / (static_cast<float>(sources.size()) + 1);
    const Box& b = at(to);
    return from_left ? Point{b.x, b.y + b.h * share} : Point{b.x + b.w * share, b.y};
  }

  void connect(const WalkInputOf& input, int to) {
    const int from = input.box;
    const Box &a = at(from), &b = at(to);
    const Seat &s = seat_of(from), &t = seat_of(to);
    const Point middle_right{a.x + a.w, a.y + a.h / 2};
    std::vector<Curve> pieces;
    if (s.column >= 0 && s.column == t.column) {
      if (t.index == s.index + 1) {
        pieces = {straight({a.x + a.w / 2, a.y + a.h}, {b.x + b.w / 2, b.y})};
      } else {  // past the boxes in between
        const float lane = right_[s.column] + 9;
        const bool down = t.index > s.index;
        pieces = rounded({{a.x + a.w, a.y + a.h * (down ? 0.7f : 0.3f)},
                          {lane, a.y + a.h * (down ? 0.7f : 0.3f)},
                          {lane, b.y + b.h * (down ? 0.3f : 0.7f)},
                          {b.x + b.w, b.y + b.h * (down ? 0.3f : 0.7f)}});
      }
    } else if (s.column >= 0 && (t.column == s.column + 1 || (t.row == 0 && s.column == 2 && t.index == 0))) {
      const Point tip = entry(from, to, true);
      const float bend = (tip.x - middle_right.x) * 0.55f;
      pieces = {{middle_right, {middle_right.x + bend, middle_right.y}, {tip.x - bend, tip.y}, tip, {}, 1, {}}};
    } else if (s.row >= 0 && s.row == t.row && std::abs(s.index - t.index) == 1) {
      const bool rightwards = b.x > a.x;
      pieces = {straight({rightwards ? a.x + a.w : a.x, a.y + a.h / 2}, {rightwards ? b.x : b.x + b.w, a.y + a.h / 2})};
    } else if (s.row >= 0 && t.row == s.row + 1 && std::abs(a.x + a.w / 2 - b.x - b.w / 2) < a.w / 2) {
      const Point start{a.x + a.w / 2, a.y + a.h}, tip{b.x + b.w / 2, b.y};
      const float bend = (tip.y - start.y) * 0.5f;
      pieces = {{start, {start.x, start.y + bend}, {tip.x, tip.y - bend}, tip, {}, 1, {}}};
    } else {
      pieces = rounded(long_way(from, to));
    }
    WalkArrow arrow;
    arrow.from = from;
    arrow.to = to;
    arrow.flow = box(to).part == Part::heads ? box(to).flow : box(from).flow;
    arrow.through = input.through;
    for (const Curve& piece : pieces) arrow.length += length_of(piece);
    arrow.pieces = std::move(pieces);
    out_.arrows.push_back(std::move(arrow));
  }

  // Through the gaps between columns and rows.
  std::vector<Point> long_way(int from, int to) const {
    const Box &a = at(from), &b = at(to);
    const Seat &s = seat_of(from), &t = seat_of(to);
    const bool below = box(from).flow == WalkFlow::v && t.row == 1;
    // There are two lanes in a gap: V's above, the residual's below.
    const float lane = below ? row_bottom_[t.row] + (lane_below_ > 0 ? lane_below_ - 4 : gap_ * 0.34f)
                             : (t.row > 0 ? row_top_[t.row] - gap_ * 0.42f : row_top_[0] - 2);
    const Point tip = below ? Point{b.x + b.w / 2, b.y + b.h} : Point{b.x + b.w * 0.62f, b.y};
    std::vector<Point> way;
    if (s.column >= 0) {
      // Leaves to the right and passes the columns in between through the gap below their first box.
      float y = a.y + a.h * (s.column == 2 ? 0.5f : 0.22f);
      way.push_back({a.x + a.w, y});
      for (int c = s.column; c < 2; ++c) {
        const float gutter = right_[c] + (left_[c + 1] - right_[c]) * 0.3f;
        way.push_back({gutter, y});
        const auto& next = columns_[c + 1];
        y = next.empty() ? lane : at(next.front()).y + at(next.front()).h + gap_ * 0.58f;
        way.push_back({gutter, y});
      }
      const float gutter = right_[2] + (right_area_ - right_[2]) * (below ? 0.36f : 0.7f);
      way.push_back({gutter, y});
      way.push_back({gutter, lane});
    } else {
      const bool under = t.row > s.row;
      const float x = a.x + a.w * (under ? 0.75f : 0.25f);
      way.push_back({x, under ? a.y + a.h : a.y});
      way.push_back({x, lane});
    }
    way.push_back({tip.x, lane});
    way.push_back(tip);
    return way;
  }

  const WalkGraph& graph_;
  const TextMeasure& measure_;
  WalkLayout out_;
  std::vector<Seat> seats_;
  std::vector<int> columns_[3], rows_[3];
  float left_[3] = {}, right_[3] = {}, right_area_ = 0, row_top_[3] = {}, row_bottom_[3] = {}, gap_ = 0, lane_below_ = 0;
  int row_count_ = 1;
};

}  // namespace

Point WalkArrow::at(float share) const {
  if (pieces.empty()) return {};
  float left = std::clamp(share, 0.0f, 1.0f) * length;
  for (const Curve& piece : pieces) {
    const float part = length_of(piece);
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

WalkLayout walk_layout(const WalkGraph& graph, float width, float height, const TextMeasure& measure) {
  return Maker(graph, width, height, measure).make();
}

}  // namespace headlight::figures
