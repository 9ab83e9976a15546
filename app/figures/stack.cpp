#include "app/figures/stack.h"

#include <algorithm>

namespace headlight::figures {
namespace {

struct Mover {
  Point by;
  void move(Point& p) const {
    p.x += by.x;
    p.y += by.y;
  }
  void move(Box& b) const {
    b.x += by.x;
    b.y += by.y;
  }
  void operator()(Rectangle& r) const { move(r.box); }
  void operator()(Line& l) const {
    move(l.from);
    move(l.to);
  }
  void operator()(Curve& c) const {
    move(c.from);
    move(c.control1);
    move(c.control2);
    move(c.to);
  }
  void operator()(Disc& d) const { move(d.centre); }
  void operator()(Polygon& p) const {
    for (Point& point : p.points) move(point);
  }
  void operator()(Text& t) const { move(t.at); }
  void operator()(Cells& c) const { move(c.box); }
  void operator()(ColorBar& b) const { move(b.box); }
};

}  // namespace

void put(Figure& into, const Figure& part, Point at) {
  into.items.reserve(into.items.size() + part.items.size());
  for (Item item : part.items) {
    std::visit(Mover{at}, item);
    into.items.push_back(std::move(item));
  }
  into.data.insert(into.data.end(), part.data.begin(), part.data.end());
}

Figure stacked(const std::vector<Figure>& parts, float gap, float margin) {
  Figure all;
  float y = margin;
  for (const Figure& part : parts) {
    if (part.items.empty()) continue;
    if (all.background.a == 0) all.background = part.background;
    if (all.title.empty()) all.title = part.title;
    put(all, part, {margin, y});
    y += part.height + gap;
    all.width = std::max(all.width, part.width + 2 * margin);
  }
  all.height = std::max(margin, y - gap) + margin;
  return all;
}

}  // namespace headlight::figures
