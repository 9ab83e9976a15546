#include "app/views/walk/graph_picture.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/text/language.h"
#include "app/views/walk/roles_picture.h"

namespace headlight::figures {
namespace {

std::string spaced(std::string_view id) {
  std::string words(id);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

class Builder {
 public:
  Builder(const Trace& trace, const AttentionSite* site) : trace_(trace), site_(site) {}

  WalkGraph build() {
    graph_.prefix = site_ ? site_->prefix : "";
    graph_.layer = site_ ? site_->layer : 0;
    model_ = site_ ? site_->prefix.substr(0, site_->prefix.find("layer."))
                   : (trace_.targets().empty() ? std::string() : std::string("encoder."));
    layer_ = site_ ? model_ + "layer." + std::to_string(site_->layer) + "." : std::string();
    words_ = site_ && says_words();
    add_text();
    add_front();
    if (site_) add_layer();
    connect();
    add_stops();
    return std::move(graph_);
  }

 private:
  int add(WalkBox box) {
    for (const std::string& step : box.steps) box_of_step_[step] = static_cast<int>(graph_.boxes.size());
    graph_.boxes.push_back(std::move(box));
    return static_cast<int>(graph_.boxes.size()) - 1;
  }
  static WalkBox empty_box(WalkBox::Kind kind, Role role) {
    WalkBox box;
    box.kind = kind;
    box.role = role;
    if (const WalkRole* words = walk_role(kind, role)) {
      box.id = words->id;
      if (words->title) box.title = words->title;
      if (words->part) box.part = *words->part;
    }
    return box;
  }
  WalkBox box_of(const Step& step, WalkBox::Kind kind, WalkPart part) const {
    WalkBox box = empty_box(kind, kind == WalkBox::Kind::step ? step.role : Role::other);
    if (box.id.empty() || graph_.find(box.id) >= 0) box.id = own_name(step.name);
    if (graph_.find(box.id) >= 0) box.id = step.name;
    if (box.title.empty()) box.title = spaced(own_name(step.name));
    box.steps = {step.name};
    box.operation = step.operation;
    box.formula = step.formula;
    box.computed_by = step.computed_by;
    box.shape = step.shape;
    box.axes = step.axes;
    box.part = part;
    box.random_weights = step.origin == Origin::random;
    box.of_targets = step.of_targets;
    box.note = step.note;
    for (const std::string& input : step.inputs)
      if (input.starts_with("parameters.")) box.parameters.push_back(input);
    return box;
  }

  void add_text() {
    WalkBox box = empty_box(WalkBox::Kind::text, Role::other);
    box.of_targets = site_ && site_->rows_are_targets;
    add(std::move(box));
  }

  void add_front() {
    std::vector<const Step*> front;
    for (const Step& step : trace_.steps()) {
      const std::string_view place = place_of(step.name);
      if (place.starts_with(model_ + "layer.")) break;  // the model's steps behind its layers are not its front
      if (place == model_) front.push_back(&step);
    }
    const auto shared = shared_boxes(front);
    for (const Step* step : front) {
      if (in_another(shared, step)) continue;
      const WalkRole* words = walk_role(WalkBox::Kind::step, step->role);
      WalkBox box = box_of(*step, WalkBox::Kind::step, words && words->part ? *words->part : WalkPart::text);
      if (const auto others = shared.find(step); others != shared.end()) join(box, others->second);
      add(std::move(box));
    }
  }

  // What stands behind a decoder's layers belongs to the whole model: "logits".
  bool is_of_model(std::string_view place) const { return place == model_ || (place.empty() && site_->rows_are_targets); }

  // Whether a word is said of the vectors that this attention is on the way to. A model with losses shows these instead.
  bool says_words() const {
    const auto steps = trace_.steps();
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& s) { return s.role == Role::logits && is_of_model(place_of(s.name)); }) &&
           std::none_of(steps.begin(), steps.end(), [](const Step& s) { return s.role == Role::loss; });
  }

  // The steps of this attention and, if it is the layer's last attention, the steps after it; behind the last layer, or in every
  // layer of a model that says words, also those of the whole model.
  std::vector<const Step*> own_steps() const {
    std::vector<const Step*> own;
    bool last_attention = true, last_layer = true;
    for (const AttentionSite& other : trace_.sites()) {
      if (other.layer == site_->layer && other.prefix.starts_with(layer_) && other.prefix.size() > site_->prefix.size())
        last_attention = false;
      if (other.layer > site_->layer && other.prefix.starts_with(model_ + "layer.")) last_layer = false;
    }
    bool seen = false, ended = false;
    for (const Step& step : trace_.steps()) {
      const std::string_view place = place_of(step.name);
      ended |= seen && !last_attention && place != site_->prefix;  // the next attention begins
      const bool in_site = place == site_->prefix && !ended;
      const bool of_model = is_of_model(place) && (words_ || (last_attention && last_layer));
      const bool behind = seen && ((last_attention && place == layer_) || of_model);
      if (in_site || behind) own.push_back(&step);
      seen |= in_site;
    }
    return own;
  }

  // Steps that are shown in the box of a later one, by that one: the mask with the masked scores.
  // The parts of a loss are in the box of the one that follows, of either kind.
  static bool also_in(Role wanted, Role role) { return wanted == Role::loss && role == Role::loss_shifted; }
  using Shared = std::map<const Step*, std::vector<const Step*>>;
  static bool in_another(const Shared& shared, const Step* step) {
    return std::any_of(shared.begin(), shared.end(), [&](const auto& one) {
      return std::find(one.second.begin(), one.second.end(), step) != one.second.end();
    });
  }
  static Shared shared_boxes(const std::vector<const Step*>& own) {
    Shared shared;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const WalkRole* words = walk_role(WalkBox::Kind::step, own[i]->role);
      if (!words || words->shown_in == Role::other) continue;
      const auto in = std::find_if(own.begin() + static_cast<std::ptrdiff_t>(i) + 1, own.end(), [&](const Step* later) {
        return later->role == words->shown_in || also_in(words->shown_in, later->role);
      });
      if (in != own.end()) shared[*in].push_back(own[i]);
    }
    return shared;
  }

  void add_layer() {
    const std::vector<const Step*> own = own_steps();
    const auto is_own = [&](const std::string& name) {
      return std::any_of(own.begin(), own.end(), [&](const Step* s) { return s->name == name; });
    };
    // The inputs from outside: first this stream's own vectors, then the encoder's.
    std::vector<const Step*> outside;
    for (const Step* step : own) {
      if (words_ && is_of_model(place_of(step->name))) continue;  // connect() leads to it through the layers in between
      for (const std::string& input : step->inputs) {
        if (box_of_step_.contains(input) || is_own(input)) continue;
        const Step* from = trace_.find(input);
        if (from && std::find(outside.begin(), outside.end(), from) == outside.end()) outside.push_back(from);
      }
    }
    for (const Step* step : outside)
      if (step->of_targets == site_->rows_are_targets) add_outside(*step, WalkBox::Kind::layer_input);
    bool memory = false;
    const auto add_memory = [&] {
      if (memory) return;
      memory = true;
      for (const Step* step : outside)
        if (step->of_targets != site_->rows_are_targets) add_outside(*step, WalkBox::Kind::encoder_output);
    };
    const auto shared = shared_boxes(own);
    has_loss_ = std::any_of(own.begin(), own.end(), [](const Step* step) { return step->role == Role::loss; });
    WalkPart part = WalkPart::stream;
    for (const Step* step : own) {
      if (in_another(shared, step)) continue;
      part = part_of(*step, part);
      if (part == WalkPart::heads) add_memory();
      if (words_ && step->role == Role::logits) add_unembedding(*step);
      WalkBox box = box_of(*step, WalkBox::Kind::step, part);
      if (const auto others = shared.find(step); others != shared.end()) join(box, others->second);
      box.flow = flow_of(*step, part);
      add(std::move(box));
    }
    add_memory();
    if (words_) {
      WalkBox word = empty_box(WalkBox::Kind::word, Role::other);
      word.operation = tr_later("the largest share");
      word.of_targets = site_->rows_are_targets;
      add(std::move(word));
    }
  }

  void add_unembedding(const Step& logits) {
    WalkBox box = empty_box(WalkBox::Kind::unembedding, Role::other);
    box.operation = tr_later("a column for each token");
    box.formula = logits.formula;
    for (const std::string& input : logits.inputs)
      for (const NamedParameter& parameter : trace_.parameters())
        if (parameter.name == input && box.parameters.empty()) {
          box.parameters = {input};
          box.shape = parameter.shape;
          box.axes = parameter.axes;
          box.random_weights = parameter.origin == Origin::random;
        }
    box.of_targets = logits.of_targets;
    unembedding_ = add(std::move(box));
  }

  // Puts steps before the box's own one.
  void join(WalkBox& box, const std::vector<const Step*>& others) const {
    std::vector<const Step*> all = others;
    all.push_back(trace_.find(box.step()));
    box.chain = walk_chain(all, [&](const Step& step) { return own_shape(step); });
    std::vector<std::string> names;
    std::string notes;
    for (const Step* step : others) {
      names.push_back(step->name);
      if (!step->note.empty()) notes += step->note + "; ";
      for (const std::string& input : step->inputs)
        if (input.starts_with("parameters.") &&
            std::find(box.parameters.begin(), box.parameters.end(), input) == box.parameters.end())
          box.parameters.push_back(input);
    }
    box.steps.insert(box.steps.begin(), names.begin(), names.end());
    if (box.note.empty() && !notes.empty()) notes.resize(notes.size() - 2);
    box.note = notes + box.note;
  }

  // A mask's shape before it is repeated for every query or sentence; else the step's own.
  Shape own_shape(const Step& step) const {
    return step.role == Role::mask && site_ && !site_->mask.mask.empty() ? site_->mask.mask.shape() : step.shape;
  }

  // The one box of q, k or v, or behind them, that the step is made from; -1: it is made from others too, or has more than one.
  int single_source(const Step& step) const {
    int source = -1;
    for (const std::string& input : step.inputs) {
      const auto from = box_of_step_.find(input);
      if (from == box_of_step_.end()) continue;
      if (source >= 0 && source != from->second) return -1;
      source = from->second;
    }
    return source >= 0 && graph_.boxes[static_cast<std::size_t>(source)].part >= WalkPart::heads &&
                   graph_.boxes[static_cast<std::size_t>(source)].part <= WalkPart::scored
               ? source
               : -1;
  }

  // A step whose role says nothing of it stands where the one before it does. Between Q, K, V and the scores it stands right of
  // the box that it is made from, if that is one and nothing else does, and otherwise before the scores.
  WalkPart part_of(const Step& step, WalkPart before) {
    if (has_loss_ && (step.role == Role::logits || before == WalkPart::last)) return WalkPart::last;
    if (words_ && (before == WalkPart::last || (before >= WalkPart::pattern && is_of_model(place_of(step.name)))))
      return WalkPart::last;
    const WalkRole* words = walk_role(WalkBox::Kind::step, step.role);
    const WalkPart part = words && words->part ? *words->part : before;
    if (part != WalkPart::scored && (words || part != WalkPart::heads)) return part;
    const int source = single_source(step);
    return source >= 0 && has_follower_.insert(source).second ? WalkPart::scored : WalkPart::pattern;
  }

  WalkFlow flow_of(const Step& step, WalkPart part) const {
    if (step.role == Role::q) return WalkFlow::q;
    if (step.role == Role::k) return WalkFlow::k;
    if (step.role == Role::v) return WalkFlow::v;
    const int source = part == WalkPart::scored ? single_source(step) : -1;
    return source >= 0 ? graph_.boxes[static_cast<std::size_t>(source)].flow : WalkFlow::plain;
  }

  void add_outside(const Step& step, WalkBox::Kind kind) {
    WalkBox box = box_of(step, kind, WalkPart::stream);
    box.parameters.clear();
    add(std::move(box));
  }

  // The boxes of the steps that the box's steps read, none twice.
  void connect_steps(WalkBox& box, int at, const std::vector<std::string>& steps) const {
    for (const std::string& name : steps) {
      const Step* step = trace_.find(name);
      if (!step) continue;
      for (const std::string& input : step->inputs) {
        const auto from = box_of_step_.find(input);
        if (from == box_of_step_.end() || from->second == at) continue;
        if (std::none_of(box.inputs.begin(), box.inputs.end(), [&](const WalkInputOf& k) { return k.box == from->second; }))
          box.inputs.push_back({from->second});
      }
    }
  }

  void connect() {
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) {
      WalkBox& box = graph_.boxes[static_cast<std::size_t>(i)];
      if (box.kind == WalkBox::Kind::text && words_)
        box.inputs.push_back({static_cast<int>(graph_.boxes.size()) - 1, false, true});
      if (box.role == Role::tokens) box.inputs.push_back({0});
      if (box.kind == WalkBox::Kind::layer_input) {
        // The input of the model, changed by the layers in between.
        const auto input = std::find_if(graph_.boxes.begin(), graph_.boxes.end(), [](const WalkBox& one) {
          return one.kind == WalkBox::Kind::step && one.role == Role::input;
        });
        if (input != graph_.boxes.end()) box.inputs.push_back({static_cast<int>(input - graph_.boxes.begin()), true});
        continue;
      }
      if (box.kind == WalkBox::Kind::encoder_output) continue;
      // The vectors meet the unembedding, and the logits come from there.
      if (box.kind == WalkBox::Kind::unembedding)
        connect_steps(box, i, {graph_.boxes[static_cast<std::size_t>(i) + 1].step()});
      else if (words_ && box.role == Role::logits)
        box.inputs.push_back({unembedding_});
      else if (box.kind == WalkBox::Kind::word)
        box.inputs.push_back({i - 1});
      else
        connect_steps(box, i, box.steps);
      // The layers between this one and the model's last steps.
      if (words_ && box.part == WalkPart::last && box.inputs.empty()) box.inputs.push_back({i - 1, true});
    }
  }

  void add_stops() {
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) {
      const WalkBox& box = graph_.boxes[static_cast<std::size_t>(i)];
      const WalkRole* words = walk_role(box.kind, box.role);
      const bool together = box.part == WalkPart::heads || box.part == WalkPart::scored;
      if (together && i > 0 && graph_.boxes[static_cast<std::size_t>(i) - 1].part == box.part) {
        graph_.stops.back().boxes.push_back(i);
        continue;
      }
      graph_.stops.push_back({words && words->stop ? words->stop : box.title, {i}});
    }
  }

  const Trace& trace_;
  const AttentionSite* site_;
  WalkGraph graph_;
  std::string model_, layer_;
  std::map<std::string, int, std::less<>> box_of_step_;
  bool has_loss_ = false;       // the model's last steps go on to its losses
  bool words_ = false;          // they go on to a word
  int unembedding_ = -1;        // its box
  std::set<int> has_follower_;  // boxes that have a box of WalkPart::scored right of them
};

}  // namespace

int WalkGraph::find(std::string_view id) const {
  for (std::size_t i = 0; i < boxes.size(); ++i)
    if (boxes[i].id == id) return static_cast<int>(i);
  return -1;
}
int WalkGraph::stop_of(int box) const {
  for (std::size_t i = 0; i < stops.size(); ++i)
    for (const int one : stops[i].boxes)
      if (one == box) return static_cast<int>(i);
  return -1;
}

WalkGraph walk_graph(const Trace& trace, const AttentionSite* site) { return Builder(trace, site).build(); }

int nearest_box(const WalkGraph& graph, std::string_view id) {
  if (const int at = graph.find(id); at >= 0) return at;
  const std::ptrdiff_t wanted = walk_rank(id);
  int best = 0;
  std::ptrdiff_t best_rank = -1;
  for (std::size_t i = 0; i < graph.boxes.size(); ++i)
    if (const auto rank = walk_rank(graph.boxes[i]); rank <= wanted && rank > best_rank) {
      best = static_cast<int>(i);
      best_rank = rank;
    }
  return best;
}

std::string walk_step_title(const WalkBox& box, const std::string& step) {
  const std::string own = own_name(step);
  const bool whole = box.steps.size() == 1 || (step == box.step() && own == box.id);
  return tr(whole ? box.title.c_str() : spaced(own).c_str());
}

namespace {

// What stands before the shape of a step that is not the first of its box.
std::string joint(const Step& step) {
  switch (step.role) {
    case Role::position_part:
      if (step.shape.size() == 1) return " × ";  // the frequencies, beside the places
      return " → ";
    case Role::mask_part_squeezed: return step.shape.size() == 2 ? "; " : " → ";
    case Role::mask: return std::string("; ") + tr("together") + " ";
    case Role::scores: return "; Q Kᵀ ";
    case Role::loss_part: return step.dtype == DType::i32 ? std::string(" ") + tr("against") + " " : " → ";
    default: return " → ";
  }
}

}  // namespace

std::string walk_chain(const std::vector<const Step*>& steps, const std::function<Shape(const Step&)>& own) {
  std::string text;
  for (std::size_t i = 0; i < steps.size(); ++i)
    text += (i > 0 ? joint(*steps[i]) : std::string()) + to_string(own ? own(*steps[i]) : steps[i]->shape);
  return text;
}

std::string walk_shape(const Shape& shape, const Axes& axes, WalkShape form) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == 0 && shape[0] == 1 && shape.size() > 1 && i < axes.size() && axes[0] == "batch") continue;
    if (text.size() > 1) text += form == WalkShape::tight ? "," : ", ";
    if (form == WalkShape::named && i < axes.size()) text += axes[i] + " ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace headlight::figures
