#include "app/figures/walk/walk_graph.h"

#include <algorithm>
#include <map>

#include "app/text/language.h"

namespace headlight::figures {
namespace {

using Part = WalkBox::Part;

// Titles of the boxes and labels of the dots, by the step's own name; other steps are called by their names. The order is the
// usual one in a layer, which nearest_box() uses.
struct Name {
  const char *id, *title, *stop;
};
constexpr Name kNames[] = {
    {"text", tr_later("text"), tr_later("text")},
    {"tokens", tr_later("tokens"), tr_later("tokens")},
    {"embedding", tr_later("embedding"), tr_later("embedding")},
    {"position", tr_later("positions"), tr_later("positions")},
    {"input", tr_later("input x"), tr_later("input x")},
    {"x", tr_later("layer input"), tr_later("layer input")},
    {"memory", tr_later("encoder"), tr_later("encoder")},
    {"attention_norm", tr_later("norm"), tr_later("norm")},
    {"q", tr_later("Q"), tr_later("Q K V")},
    {"k", tr_later("K"), tr_later("Q K V")},
    {"v", tr_later("V"), tr_later("Q K V")},
    {"scores", tr_later("scores"), tr_later("scores")},
    {"scaled_scores", tr_later("scaled"), tr_later("scale")},
    {"mask", tr_later("mask"), tr_later("mask")},
    {"weights", tr_later("weights"), tr_later("softmax")},
    {"context", tr_later("context"), tr_later("context")},
    {"concat", tr_later("concat"), tr_later("concat")},
    {"attention_output", tr_later("output"), tr_later("W_O")},
    {"attention_residual", tr_later("residual"), tr_later("residual")},
    {"mlp_norm", tr_later("norm"), tr_later("norm")},
    {"mlp_hidden", tr_later("MLP hidden"), tr_later("hidden")},
    {"mlp_output", tr_later("MLP output"), tr_later("MLP")},
    {"mlp_residual", tr_later("residual"), tr_later("residual")},
};
const Name* name_of(std::string_view id) {
  for (const Name& name : kNames)
    if (id == name.id) return &name;
  return nullptr;
}
std::ptrdiff_t rank_of(std::string_view id) {
  const Name* name = name_of(id);
  return name ? name - std::begin(kNames) : -1;
}

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
    add_text();
    bool passed = false;  // the layers have begun; steps of the whole model come after them
    for (const Step& step : trace_.steps()) {
      const std::string& name = step.name;
      if (!name.starts_with(model_)) continue;
      if (name.compare(model_.size(), 6, "layer.") == 0) {
        passed = true;
        continue;
      }
      // A model without targets has no prefix.
      if (!passed && name.find('.', model_.size()) == std::string::npos) add_front(step);
    }
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
  WalkBox box_of(const Step& step, std::string id, Part part) const {
    WalkBox box;
    const Name* name = name_of(id);
    box.title = name ? name->title : spaced(id);
    box.id = std::move(id);
    box.steps = {step.name};
    box.operation = step.operation;
    box.formula = step.formula;
    box.shape = step.shape;
    box.axes = step.axes;
    box.part = part;
    box.random_weights = step.origin == Origin::random;
    box.note = step.note;
    for (const std::string& input : step.inputs)
      if (input.starts_with("parameters.")) box.parameters.push_back(input);
    return box;
  }
  bool front_is_target() const { return model_ == "decoder."; }

  void add_text() {
    WalkBox box;
    box.id = box.title = "text";
    box.part = Part::text;
    box.of_targets = front_is_target();
    add(std::move(box));
  }

  void add_front(const Step& step) {
    const std::string id = step.name.substr(model_.size());
    WalkBox box = box_of(step, id, id == "input" ? Part::stream : Part::text);
    box.of_targets = front_is_target();
    add(std::move(box));
  }

  // The steps of this attention and, if it is the layer's last attention, the steps after it.
  std::vector<const Step*> own_steps() const {
    std::vector<const Step*> own;
    bool last_attention = true;
    for (const AttentionSite& other : trace_.sites())
      if (other.prefix != site_->prefix && other.prefix.starts_with(layer_) && other.prefix.size() > site_->prefix.size())
        last_attention = false;
    bool seen = false, over = false;
    for (const Step& step : trace_.steps()) {
      if (!step.name.starts_with(layer_)) continue;
      const bool in_site = step.name.starts_with(site_->prefix) && step.name.find('.', site_->prefix.size()) == std::string::npos;
      const bool in_layer = step.name.find('.', layer_.size()) == std::string::npos;
      if (seen && !last_attention && !in_site) over = true;  // the next attention begins
      if (over) break;
      if (in_site || (seen && last_attention && in_layer)) own.push_back(&step);
      seen |= in_site;
    }
    return own;
  }

  void add_layer() {
    const std::vector<const Step*> own = own_steps();
    const auto is_own = [&](const std::string& name) {
      return std::any_of(own.begin(), own.end(), [&](const Step* s) { return s->name == name; });
    };
    // The inputs from outside: first this stream's own vectors, then the encoder's.
    std::vector<const Step*> outside;
    for (const Step* step : own)
      for (const std::string& input : step->inputs) {
        if (box_of_step_.contains(input) || is_own(input)) continue;
        const Step* from = trace_.find(input);
        if (from && std::find(outside.begin(), outside.end(), from) == outside.end()) outside.push_back(from);
      }
    for (const Step* step : outside)
      if (step->name.starts_with(model_)) add_outside(*step, "x");
    bool memory = false;
    const auto add_memory = [&] {
      if (memory) return;
      memory = true;
      for (const Step* step : outside)
        if (!step->name.starts_with(model_)) add_outside(*step, "memory");
    };
    Part part = Part::stream;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Step& step = *own[i];
      const std::size_t cut = step.name.starts_with(site_->prefix) ? site_->prefix.size() : layer_.size();
      std::string id = step.name.substr(cut);
      const bool head = id == "q" || id == "k" || id == "v";
      if (head) add_memory();
      if (head)
        part = Part::heads;
      else if (part == Part::heads)
        part = Part::pattern;
      if (id == "context") part = Part::result;
      if (id.starts_with("mlp")) part = Part::feed;
      // The mask and the masked scores are one box.
      const Step* covered = nullptr;
      if (id == "mask" && i + 1 < own.size() && own[i + 1]->name == site_->prefix + "masked_scores") {
        covered = &step;
        ++i;
      }
      WalkBox box = box_of(covered ? *own[i] : step, id, part);
      if (covered) {
        box.steps.insert(box.steps.begin(), covered->name);
        box.note = covered->note.empty() ? box.note : covered->note + (box.note.empty() ? "" : "; ") + box.note;
      }
      box.flow = id == "q" ? WalkFlow::q : id == "k" ? WalkFlow::k : id == "v" ? WalkFlow::v : WalkFlow::plain;
      box.of_targets = id == "k" || id == "v" ? site_->columns_are_targets : site_->rows_are_targets;
      add(std::move(box));
    }
  }

  void add_outside(const Step& step, const std::string& id) {
    WalkBox box = box_of(step, id, Part::stream);
    box.parameters.clear();
    box.of_targets = step.name.starts_with("decoder.");
    add(std::move(box));
  }

  void connect() {
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) {
      WalkBox& box = graph_.boxes[static_cast<std::size_t>(i)];
      if (box.id == "tokens") box.inputs.push_back({0, false});
      if (box.id == "x") {
        // The input of the model, changed by the layers in between.
        if (const int from = graph_.find("input"); from >= 0) box.inputs.push_back({from, true});
        continue;
      }
      if (box.id == "memory") continue;
      for (const std::string& name : box.steps) {
        const Step* step = trace_.find(name);
        if (!step) continue;
        for (const std::string& input : step->inputs) {
          const auto from = box_of_step_.find(input);
          if (from == box_of_step_.end() || from->second == i) continue;
          if (std::none_of(box.inputs.begin(), box.inputs.end(), [&](const WalkInputOf& k) { return k.box == from->second; }))
            box.inputs.push_back({from->second, false});
        }
      }
    }
  }

  void add_stops() {
    for (int i = 0; i < static_cast<int>(graph_.boxes.size()); ++i) {
      const WalkBox& box = graph_.boxes[static_cast<std::size_t>(i)];
      const Name* name = name_of(box.id);
      if (box.part == Part::heads && i > 0 && graph_.boxes[static_cast<std::size_t>(i) - 1].part == Part::heads) {
        graph_.stops.back().boxes.push_back(i);
        continue;
      }
      graph_.stops.push_back({name ? name->stop : box.title, {i}});
    }
  }

  const Trace& trace_;
  const AttentionSite* site_;
  WalkGraph graph_;
  std::string model_, layer_;
  std::map<std::string, int, std::less<>> box_of_step_;
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
  const std::ptrdiff_t wanted = rank_of(id);
  int best = 0;
  std::ptrdiff_t best_rank = -1;
  for (std::size_t i = 0; i < graph.boxes.size(); ++i)
    if (const auto rank = rank_of(graph.boxes[i].id); rank <= wanted && rank > best_rank) {
      best = static_cast<int>(i);
      best_rank = rank;
    }
  return best;
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
