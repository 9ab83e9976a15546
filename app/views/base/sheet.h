// The sheet of a page: what stands on it, as rows and columns of parts. A part says what it shows and how much room it wants; the
// solver (app/sheet) gives it a box, and the sheet gives it a name, a context menu, a tooltip, its place in the keyboard's order
// and its export.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/figure_view.h"
#include "app/sheet/solver.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"

namespace headlight::views {

struct Size {
  float w = 0, h = 0;
};
// What a figure is drawn with.
struct Pen {
  const figures::Theme& theme;
  const figures::TextMeasure& measure;
};

// A part's figures, the latest last: laying out asks for several sizes.
struct Made {
  struct One {
    std::shared_ptr<const void> data;  // what it was made of
    Size size;
    float scale = 0;
    const void *theme = nullptr, *language = nullptr;
    std::shared_ptr<const figures::Figure> figure;
  };
  std::vector<One> all;
};

// What a view keeps from frame to frame: immutable data under its key, and the figures that were made of it.
struct Kept {
  std::map<std::string, Made> figures;                    // by part
  std::map<std::type_index, std::shared_ptr<void>> data;  // by key and type
  std::vector<bool> made;                                 // the concessions of the last frame
  bool drawn = false;
};

// What a view's functions are given.
struct Scene {
  const Context& context;
  ViewState& view;
  sheet::Medium medium = sheet::Medium::screen;
  Size room{};  // on the screen; what a part wishes may depend on it, its least size must not
  Pen pen{context.theme, context.measure};
  Kept* kept = nullptr;  // null: nothing is kept

  // The view's own state: scene.state<counting::State>().
  template <class S>
  S& state() const {
    return view.own.of<S>();
  }
  // Data of `key`, made anew only when the key changes. The key holds all that the data is made of.
  template <class T, class Key, class Make>
  std::shared_ptr<const T> data(const Key& key, Make make) const {
    using Pair = std::pair<Key, std::shared_ptr<const T>>;
    std::shared_ptr<void> none, &slot = kept ? kept->data[typeid(Pair)] : none;
    const auto* pair = static_cast<const Pair*>(slot.get());
    if (pair && pair->first == key) return pair->second;
    auto made = std::make_shared<Pair>(key, std::make_shared<const T>(make()));
    slot = made;
    return made->second;
  }
  // Stands for what a picture is made of where that is no data of its own: another object when `key` changes. `Picture` is a
  // type of the picture's own: scene.made_of<struct BarOf>(row, hot).
  template <class Picture, class... Key>
  std::shared_ptr<const void> made_of(Key... key) const {
    struct Mark {};  // a type of each picture and key
    return data<Mark>(std::tuple(std::move(key)...), [] { return Mark(); });
  }
};

// A picture on the screen, as its part's `hit` gets it: scaled by `type`, with its top-left corner at `origin` in pixels.
struct Drawn {
  const gl::Hit& hit;
  const figures::Figure& figure;
  float type = 1;
  ImVec2 origin{};
};

// Its functions keep what they refer to alive, as a rule by a copy of a shared_ptr to the scene's data.
struct Part {
  std::string id;
  std::function<figures::Figure(Size, const Pen&)> picture;  // a picture; height 0: as high as it is
  std::shared_ptr<const void> of;  // the kept data that the picture is made of, and of nothing else; null: made in every frame
  std::function<void(const Drawn&)> hit;
  bool focusable = false;                           // the keyboard reaches the picture, and `hit` handles its arrow keys
  bool old = false;                                 // drawn pale: what it shows is being computed anew
  std::function<void(const ui::Look&, Size)> draw;  // a control, or what draws itself, at ImGui's cursor
  std::string explains, formula;                    // its tooltip, and the line below that
  std::function<std::string()> why;                 // ... where that is worth computing only when it is shown
  Size paper{860, 0};                               // its size in a file of its own
  std::function<figures::Figure(Size, const Pen&)> on_paper;  // the picture there; null: as on the screen
  std::string title;                                          // ... and its title; empty: the picture's own
  bool framed = false;                                        // has a margin there, and `caption` above it
  std::string caption;
  bool fits_itself = false;  // its height follows from its width
  mutable Made in_frame;     // of a picture that is made in every frame: once a size
};

class Sheet {
 public:
  using Node = sheet::Node;
  using Span = sheet::Span;
  explicit Sheet(const Scene& the_scene) : scene(the_scene) {}

  static Node row(std::string id, Span gap, std::vector<Node> children);
  static Node column(std::string id, Span gap, std::vector<Node> children);
  static Node flow(std::string id, float gap, std::vector<Node> children);
  // One of several arrangements of the same parts, the roomiest first.
  static Node either(std::vector<Node> arrangements);
  // What stands in place of pictures that cannot be shown yet, in every medium but files.
  Node notice(std::string text, figures::Color color);
  // A picture of `wide`, and of `high` points or as high as it is at its width.
  Node picture(Part part, Span wide, std::function<Span(float)> high);
  Node picture(Part part, Span wide, Span high);
  Node picture(Part part, Span wide);
  // Controls and lines of words are for the screen alone.
  Node by_hand(Part part, Span wide, Span high);
  Node words(std::string id, std::string text, float size, figures::Color color, figures::Font font = figures::Font::words);
  struct Button {
    std::string id, label;
    bool on = false;
    std::string why, formula;  // its tooltip
    std::function<void()> press;
    bool enabled = true;
    Span wide{};  // 0: as its label needs
    float high = 30;
  };
  Node button(Button button);
  // A quiet name with a value, and an arrow; `items` draws the lines of the menu that opens below.
  struct Menu {
    std::string id, label, value, why;
    std::function<void()> items;
  };
  Node menu(Menu menu);
  // A line of words among controls.
  Node label(std::string id, std::string text, float size, figures::Color color, std::string why = {},
             figures::Font font = figures::Font::words);
  // `why`: of each, or one of all.
  Node choice(std::string id, std::vector<std::string> labels, int chosen, std::vector<std::string> why,
              std::function<void(int)> choose);
  struct Slider {
    std::string id, label, value;
    double now = 0, least = 0, most = 1;
    bool lit = false, log = true;
    std::function<void(double)> set;
    std::function<std::string()> why;
  };
  Node slider(Slider slider);
  // ‹ layer 2 of 6 ›; `set` gets the chosen index of `count`.
  Node stepper(std::string id, std::string text, std::int64_t at, std::int64_t count, std::string why,
               std::function<void(std::int64_t)> set);
  Node toggle(std::string id, const std::string& label, bool* value, std::string why);
  // A slider with its value behind it, as a row.
  struct Track {
    std::string id, value;
    double now = 0, least = 0, most = 1;
    std::function<void(double)> set;
    std::string why, formula{};  // its tooltip
    Span wide{60, 240, sheet::kAny};
    float number = 84;  // width of the value
    bool log = true;
  };
  Node track(Track track);
  // A field for a text; `hint` stands in it while it is empty.
  Node field(std::string id, std::string* text, std::string hint, std::string why, Span wide);

  const Part* find(const std::string& id) const;
  // The part's picture at this size: the one made before if nothing it depends on has changed.
  static std::shared_ptr<const figures::Figure> made(const Scene& scene, const Part& part, Size size);

  const Scene& scene;
  Node root;
  std::vector<std::shared_ptr<Part>> parts;
  std::string title;  // of the figure that the whole sheet is in a file

 private:
  Node add(Part part, Span wide, std::function<Span(float)> high);
};

// What lives from frame to frame without being saved: own_transient<hand::Editing>(scene)->draft. In a file it has its defaults.
template <class Own>
std::shared_ptr<Own> own_transient(const Scene& scene) {
  if (scene.medium == sheet::Medium::file || !scene.context.transient) return std::make_shared<Own>();
  return {std::shared_ptr<void>(), &scene.context.transient->of<Own>()};
}

// What a view's functions share during one frame; a view adds what it has made of its state.
template <class State, class Held>
struct FrameOf {
  const Scene& scene;
  State& state;
  std::shared_ptr<Held> held;  // what lives from frame to frame

  const Context& context() const { return scene.context; }
};
template <class State, class Held>
FrameOf<State, Held> begin_frame(const Scene& scene) {
  return {scene, scene.state<State>(), own_transient<Held>(scene)};
}

// The node and all in it, also where it is presented.
sheet::Node shown_everywhere(sheet::Node node);

// What ImGui's controls and tooltips are drawn with.
inline ui::Look look_of(const Scene& scene) {
  const Context& context = scene.context;
  return {context.theme, context.fonts, context.figures, context.scale};
}
// Draws nodes at ImGui's cursor in lines of `width` points, for a part that draws itself by hand. Returns the width of the line,
// or 0 if there are several.
float draw_flow(const Sheet& sheet, const std::string& view, std::vector<sheet::Node> nodes, float width);
// Lays a node out in a room at ImGui's cursor, and draws it.
void draw_node(const Sheet& sheet, const std::string& view, const sheet::Node& node, float width, float height);
// A tooltip of what a picture shows under the mouse.
void say_at_mouse(const Scene& scene, const std::string& words, const std::string& formula = {});

}  // namespace headlight::views
