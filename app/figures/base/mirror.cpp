#include "app/figures/base/mirror.h"

#include <utility>

namespace headlight::figures {
namespace {

struct Mirror {
  float width;

  void turn(Point& p) const { p.x = width - p.x; }
  void turn(Box& box) const { box.x = width - box.x - box.w; }

  void operator()(Rectangle& item) const { turn(item.box); }
  void operator()(Line& item) const {
    turn(item.from);
    turn(item.to);
  }
  void operator()(Curve& item) const {
    for (Point* p : {&item.from, &item.control1, &item.control2, &item.to}) turn(*p);
  }
  void operator()(Disc& item) const { turn(item.centre); }
  void operator()(Polygon& item) const {
    for (Point& p : item.points) turn(p);
  }
  void operator()(Text& item) const {
    turn(item.at);
    if (item.horizontal != Align::middle) item.horizontal = item.horizontal == Align::start ? Align::end : Align::start;
    item.rotation = -item.rotation;
  }
  void operator()(Cells& item) const { turn(item.box); }
  void operator()(ColorBar& item) const { turn(item.box); }
  void operator()(Photo& item) const { turn(item.box); }
};

}  // namespace

Figure mirrored(Figure figure) {
  for (Item& item : figure.items) std::visit(Mirror{figure.width}, item);
  return figure;
}

}  // namespace headlight::figures
