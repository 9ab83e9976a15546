#include "app/sheet/solver.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headlight::sheet {
namespace {

// What a node gives up: a form, its place in the row, or itself; or all: a size of type.
struct Concession {
  enum Kind { form, type, below, gone } kind = form;
  int rank = 0, number = 0;
  const Node* node = nullptr;
};

bool belongs(const Node& node, Medium medium) {
  return medium == Medium::presented ? node.presented : medium == Medium::file ? node.filed : true;
}

void collect(const Node& node, bool in_row, int rank, Medium medium, std::vector<Concession>& all) {
  if (!belongs(node, medium)) return;
  rank = std::max(rank, node.rank);
  const std::size_t ways = node.kind == Node::either ? node.children.size() : node.forms.size();
  for (std::size_t i = 1; i < ways; ++i) all.push_back({Concession::form, rank, static_cast<int>(i), &node});
  if (node.below && in_row && node.rank > 0) all.push_back({Concession::below, rank, 0, &node});
  // Of a column that may come below nothing goes: it scrolls there, except where nothing scrolls.
  if (node.rank > 0 && !node.stays && node.kind != Node::either && (!node.below || medium != Medium::screen))
    all.push_back({Concession::gone, rank, 0, &node});
  for (const Node& child : node.children) collect(child, node.kind == Node::row, rank, medium, all);
}

std::vector<Concession> list_of(const Node& root, const Rules& rules) {
  std::vector<Concession> all;
  collect(root, false, 0, rules.medium, all);
  for (std::size_t i = 1; i < rules.types.size(); ++i)
    all.push_back({Concession::type, rules.type_rank, static_cast<int>(i), nullptr});
  std::stable_sort(all.begin(), all.end(),
                   [](const Concession& a, const Concession& b) { return a.rank != b.rank ? a.rank > b.rank : a.kind < b.kind; });
  return all;
}

// The tree after some concessions.
struct Given {
  const Node* node = nullptr;
  int form = 0;
  std::vector<Given> children;
  Span wide, high;
  float w = 0;  // its width
};

struct State {
  std::map<const Node*, int> form;
  std::map<const Node*, bool> below, gone;
  float type = 1;
};

class Solving {
 public:
  Solving(const Node& root, float width, float height, const Rules& rules)
      : root_(root), width_(width), height_(height), rules_(rules) {}

  int count() {
    if (list_.empty()) list_ = list_of(root_, rules_);  // most rooms ask for none
    return static_cast<int>(list_.size());
  }

  // Whether the least sizes fit after these concessions; the tree is then in given_, with its widths and heights.
  // Heights, which may ask for figures, are left alone where the width is too small, unless it is to be `laid_out` all the same.
  bool fits(const std::vector<bool>& made, bool laid_out = false) {
    State state;
    if (!rules_.types.empty()) state.type = rules_.types.front();
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i]) continue;
      const Concession& c = list_[i];
      if (c.kind == Concession::form) state.form[c.node] = std::max(state.form[c.node], c.number);
      if (c.kind == Concession::below) state.below[c.node] = true;
      if (c.kind == Concession::gone) state.gone[c.node] = true;
      if (c.kind == Concession::type) state.type = std::min(state.type, rules_.types[static_cast<std::size_t>(c.number)]);
    }
    type_ = state.type;
    given_ = {};
    if (!build(root_, state, given_)) return true;
    bounded_ = true;
    measure_width(given_);
    const float w = width_ / type_, h = height_ / type_;
    const bool wide_enough = bounded_ && given_.wide.least <= w + 0.01f;
    if (!wide_enough && !laid_out) return false;
    set_width(given_, std::clamp(w, given_.wide.least, std::max(given_.wide.least, given_.wide.most)));
    measure_height(given_);
    return wide_enough && given_.high.least <= h + 0.01f;
  }

  Layout layout(const std::vector<bool>& made, bool fitting) {
    Layout out;
    out.made = made;
    while (!out.made.empty() && !out.made.back()) out.made.pop_back();
    out.concessions = static_cast<int>(out.made.size());
    out.fits = fitting;
    out.type = type_;
    if (!given_.node) return out;
    const float h = height_ / type_;
    const float high =
        std::isfinite(h) ? std::clamp(h, given_.high.least, std::max(given_.high.least, given_.high.most)) : given_.high.wished;
    place(given_, {0, 0, given_.w, high}, -1, out);
    for (Placed& one : out.parts) {
      one.box = {one.box.x * type_, one.box.y * type_, one.box.w * type_, one.box.h * type_};
      out.width = std::max(out.width, one.box.x + one.box.w);
      if (one.scroll < 0) out.height = std::max(out.height, one.box.y + one.box.h);
    }
    for (Scroll& one : out.scrolls) {
      one.box = {one.box.x * type_, one.box.y * type_, one.box.w * type_, one.box.h * type_};
      one.content *= type_;
      out.height = std::max(out.height, one.box.y + one.box.h);
    }
    return out;
  }

 private:
  bool build(const Node& node, const State& state, Given& into) const {
    if (!belongs(node, rules_.medium) || state.gone.contains(&node)) return false;
    into.node = &node;
    const auto at = state.form.find(&node);
    into.form = at == state.form.end() ? 0 : at->second;
    if (node.kind == Node::part) return true;
    if (node.kind == Node::either) return build(node.children[static_cast<std::size_t>(into.form)], state, into);
    std::vector<Given> under;  // what comes below the row's subject, the last that gave way first
    std::size_t subject = 0;
    for (const Node& child : node.children) {
      Given given;
      if (!build(child, state, given)) continue;
      if (node.kind == Node::row && state.below.contains(&child)) {
        under.push_back(std::move(given));
        continue;
      }
      if (child.rank == 0 && (into.children.empty() || into.children[subject].node->rank > 0)) subject = into.children.size();
      into.children.push_back(std::move(given));
    }
    if (under.empty() || into.children.empty()) {
      for (Given& one : under) into.children.push_back(std::move(one));
      return !into.children.empty();
    }
    // The higher its rank, the nearer it stood: the columns at the right come first.
    std::stable_sort(under.begin(), under.end(), [](const Given& a, const Given& b) { return a.node->rank > b.node->rank; });
    Given& main = into.children[subject];
    for (Given& one : under) main.children.push_back(std::move(one));
    return true;
  }

  const Span& span_wide(const Given& g) const { return g.node->forms[static_cast<std::size_t>(g.form)].wide; }

  // Along a container's direction its children's sizes add up; across it the largest counts.
  static void join(Span& sum, const Span& child, bool along) {
    for (float Span::*const size : {&Span::least, &Span::wished, &Span::most})
      sum.*size = along ? sum.*size + child.*size : std::max(sum.*size, child.*size);
  }
  static void add_gaps(Span& sum, const Given& g) {
    const auto gaps = static_cast<float>(g.children.size() - 1);
    for (float Span::*const size : {&Span::least, &Span::wished, &Span::most}) sum.*size += gaps * (g.node->gap.*size);
  }

  void measure_width(Given& g) {
    if (g.node->kind == Node::part) {
      g.wide = span_wide(g);
      return;
    }
    Span sum(0);
    const bool row = g.node->kind == Node::row;
    for (Given& child : g.children) {
      measure_width(child);
      if (g.node->kind == Node::flow) {
        sum.least = std::max(sum.least, child.wide.least);
        sum.wished += child.wide.wished + (&child == &g.children.front() ? 0 : g.node->gap.wished);
        sum.most = kAny;
      } else {
        join(sum, child.wide, row);
      }
    }
    if (row) add_gaps(sum, g);
    const Span& own = g.node->wide;
    if (sum.least > own.most + 0.01f) bounded_ = false;  // its children must take less
    g.wide = {std::max(sum.least, own.least), std::max(sum.wished, own.wished), std::min(sum.most, own.most)};
    g.wide.most = std::max({g.wide.most, g.wide.least});
    g.wide.wished = std::clamp(g.wide.wished, g.wide.least, g.wide.most);
  }

  void set_width(Given& g, float w) const {
    g.w = w;
    if (g.node->kind == Node::part) return;
    if (g.node->kind == Node::column || g.node->kind == Node::flow) {
      const bool flow = g.node->kind == Node::flow;
      for (Given& child : g.children)
        set_width(child, std::min(w, std::max(child.wide.least, flow ? child.wide.wished : child.wide.most)));
      return;
    }
    const std::vector<float> sizes = shared(spans_of(g, true), w);
    for (std::size_t i = 0; i < g.children.size(); ++i) set_width(g.children[i], sizes[2 * i]);
  }

  // Children and the gaps between them, in turns.
  static std::vector<Span> spans_of(const Given& g, bool wide) {
    std::vector<Span> spans;
    for (const Given& child : g.children) {
      if (!spans.empty()) spans.push_back(g.node->gap);
      spans.push_back(wide ? child.wide : child.high);
    }
    return spans;
  }

  void measure_height(Given& g) const {
    if (g.node->kind == Node::part) {
      g.high = g.node->forms[static_cast<std::size_t>(g.form)].high(g.w);
      return;
    }
    Span sum(0);
    const bool column = g.node->kind == Node::column;
    for (Given& child : g.children) {
      measure_height(child);
      join(sum, child.high, column);
    }
    if (column) add_gaps(sum, g);
    if (g.node->kind == Node::flow) {
      float lines = 1;
      each_in_flow(g, [&](const Given&, float, float line) { lines = line + 1; });
      sum = Span(lines * sum.wished + (lines - 1) * g.node->gap.least);
    }
    g.high = sum;
    if (scrolls(g)) g.high = {std::min(sum.least, 1.0f), sum.wished, kAny};
  }
  bool scrolls(const Given& g) const { return g.node->scrolls && rules_.medium == Medium::screen; }

  // Each child of a flow with its x and the number of its line.
  template <class Do>
  static void each_in_flow(const Given& g, Do act) {
    float x = 0, line = 0;
    for (const Given& child : g.children) {
      if (x > 0 && x + child.w > g.w + 0.01f) x = 0, ++line;
      act(child, x, line);
      x += child.w + g.node->gap.wished;
    }
  }

  void place(const Given& g, Box box, int scroll, Layout& out) const {
    if (g.node->kind == Node::part) {
      box.h = std::min(box.h, std::max(g.high.least, g.high.most));
      out.parts.push_back({g.node, box, g.form, scroll});
      return;
    }
    if (g.node->kind == Node::flow) {
      float high = 0;
      for (const Given& child : g.children) high = std::max(high, child.high.wished);
      each_in_flow(g, [&](const Given& child, float x, float line) {
        const float own = std::min(high, std::max(child.high.least, child.high.most));
        const float middle = (high - own) / 2;  // a low control stands in the middle of its line
        place(child, {box.x + x, box.y + line * (high + g.node->gap.least) + middle, child.w, own}, scroll, out);
      });
      return;
    }
    const bool row = g.node->kind == Node::row;
    float total = row ? box.w : box.h;
    const std::vector<Span> spans = spans_of(g, row);
    if (!row && scrolls(g) && scroll < 0) {  // a column that came below scrolls with the one that it stands in
      float least = 0;
      for (const Span& s : spans) least += s.least;
      total = std::max(total, least);
      scroll = static_cast<int>(out.scrolls.size());
      out.scrolls.push_back({g.node, box, total});
    }
    const std::vector<float> sizes = shared(spans, total);
    float at = row ? box.x : box.y;
    for (std::size_t i = 0; i < g.children.size(); ++i) {
      const float size = sizes[2 * i];
      place(g.children[i], row ? Box{at, box.y, size, box.h} : Box{box.x, at, g.children[i].w, size}, scroll, out);
      at += size + (2 * i + 1 < sizes.size() ? sizes[2 * i + 1] : 0);
    }
  }

  const Node& root_;
  float width_, height_;
  const Rules& rules_;
  std::vector<Concession> list_;
  Given given_;
  float type_ = 1;
  bool bounded_ = true;  // no row or column's children need more than its own bound
};

}  // namespace

std::vector<float> shared(const std::vector<Span>& spans, float total) {
  std::vector<float> sizes;
  float least = 0, wished = 0;
  for (const Span& s : spans) {
    sizes.push_back(s.least);
    least += s.least;
    wished += s.wished;
  }
  float rest = total - least;
  if (rest <= 0) return sizes;
  const float to_wished = wished - least, part = to_wished > 0 ? std::min(1.0f, rest / to_wished) : 0;
  for (std::size_t i = 0; i < spans.size(); ++i) sizes[i] += part * (spans[i].wished - spans[i].least);
  rest = std::isfinite(total) ? rest - part * to_wished : 0;
  // Evenly among those without bound; where there are none, among those that can grow until each is full.
  bool unbounded = false;
  for (const Span& s : spans) unbounded |= std::isinf(s.most);
  const auto grows = [&](std::size_t i) { return unbounded ? std::isinf(spans[i].most) : sizes[i] < spans[i].most; };
  for (std::size_t turn = 0; turn <= spans.size() && rest > 0.01f; ++turn) {
    std::size_t open = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) open += grows(i) ? 1 : 0;
    if (open == 0) break;
    const float each = rest / static_cast<float>(open);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (!grows(i)) continue;
      const float more = std::min(each, spans[i].most - sizes[i]);
      sizes[i] += more;
      rest -= more;
    }
  }
  return sizes;
}

Layout solve(const Node& root, float width, float height, const Rules& rules, const std::vector<bool>* held) {
  Solving solving(root, width, height, rules);
  if (held && static_cast<int>(held->size()) <= solving.count() && solving.fits(*held)) return solving.layout(*held, true);
  // The first that fits. What fits in a room fits in any larger one, so a larger room never asks for a dearer concession.
  std::vector<bool> made;
  bool fitting = solving.fits(made);
  while (!fitting && static_cast<int>(made.size()) < solving.count()) {
    made.push_back(true);
    fitting = solving.fits(made);
  }
  // What was given up where there was no shortage is given back, the dearest first.
  if (fitting) {
    for (std::size_t i = made.size(); i-- > 1;) {
      made[i - 1] = false;
      if (!solving.fits(made)) made[i - 1] = true;
    }
    fitting = solving.fits(made);
  }
  if (!fitting) solving.fits(made, true);
  return solving.layout(made, fitting);
}

}  // namespace headlight::sheet
