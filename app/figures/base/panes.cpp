#include "app/figures/base/panes.h"

#include <algorithm>
#include <utility>

namespace headlight::figures {
namespace {

struct PanesMover {
  float x, y;
  void move(Point& p) const {
    p.x += x;
    p.y += y;
  }
  void move(Box& b) const {
    b.x += x;
    b.y += y;
  }
  void operator()(Rectangle& r) const { move(r.box); }
  void operator()(Line& l) const {
    move(l.from);
    move(l.to);
  }
  void operator()(Curve& c) const {
    for (Point* p : {&c.from, &c.control1, &c.control2, &c.to}) move(*p);
  }
  void operator()(Disc& d) const { move(d.centre); }
  void operator()(Polygon& g) const {
    for (Point& p : g.points) move(p);
  }
  void operator()(Text& t) const { move(t.at); }
  void operator()(Cells& c) const { move(c.box); }
  void operator()(ColorBar& b) const { move(b.box); }
  void operator()(Photo& p) const { move(p.box); }
};

}  // namespace

void add_moved(Figure& into, Figure figure, float x, float y) {
  for (Item& item : figure.items) {
    std::visit(PanesMover{x, y}, item);
    into.items.push_back(std::move(item));
  }
  for (Data& data : figure.data) into.data.push_back(std::move(data));
  into.hidden_labels += figure.hidden_labels;
  for (std::string& remark : figure.remarks)
    if (std::find(into.remarks.begin(), into.remarks.end(), remark) == into.remarks.end())
      into.remarks.push_back(std::move(remark));
}

Figure side_by_side(std::vector<Figure> list, int columns, float gap) {
  Figure out;
  if (list.empty()) return out;
  float w = 0, h = 0;
  for (const Figure& figure : list) {
    w = std::max(w, figure.width);
    h = std::max(h, figure.height);
  }
  columns = std::clamp(columns, 1, static_cast<int>(list.size()));
  const int rows = (static_cast<int>(list.size()) + columns - 1) / columns;
  out.background = list[0].background;
  out.title = list[0].title;
  out.width = w * static_cast<float>(columns) + gap * static_cast<float>(columns - 1);
  out.height = h * static_cast<float>(rows) + gap * static_cast<float>(rows - 1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const int at = static_cast<int>(i), row = at / columns;
    add_moved(out, std::move(list[i]), static_cast<float>(at % columns) * (w + gap), static_cast<float>(row) * (h + gap));
  }
  return out;
}

}  // namespace headlight::figures
