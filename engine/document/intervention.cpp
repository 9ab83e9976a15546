#include "engine/document/intervention.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/core/nearest_name.h"
#include "engine/core/parameter.h"
#include "engine/document/document.h"

namespace headlight {
namespace {

using ChangeKind = Intervention::Kind;
using Part = ModelAddress::Part;

constexpr Phrase<0> kInterventionForm =
    "write layer.2.head.3, layer.2.attention, layer.2.feed_forward, layer.2 or positions; of a model with an encoder and a "
    "decoder encoder.layer.0.head.1, decoder.layer.0.cross.head.1 or encoder.positions";

Error no_address(std::string_view text, const Message& why) {
  return usage_error("'{}' is no part of a model: {}", text, why).mend(kInterventionForm);
}

// The words of an address between its dots, taken one after another.
class Words {
 public:
  explicit Words(std::string_view text) : left_(text) {}
  bool empty() const { return left_.empty(); }
  std::string_view next() const { return left_.substr(0, left_.find('.')); }
  bool take(std::string_view word) {
    if (next() != word || left_.empty()) return false;
    drop();
    return true;
  }
  // A number from 0; negative: the next word is none.
  std::int64_t take_number() {
    const std::string_view word = next();
    std::int64_t number = -1;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    if (word.empty() || read.ec != std::errc{} || read.ptr != word.data() + word.size() || number < 0) return -1;
    drop();
    return number;
  }

 private:
  void drop() {
    const std::size_t dot = left_.find('.');
    left_ = dot == std::string_view::npos ? std::string_view() : left_.substr(dot + 1);
  }
  std::string_view left_;
};

Message unknown_word(std::string_view word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  if (word.empty()) return Message("something is missing");
  return nearest.empty() ? Message("there is no '{}'", word) : Message("there is no '{}', did you mean '{}'?", word, nearest);
}

bool of_heads_alone(ChangeKind kind) { return kind != ChangeKind::zero && kind != ChangeKind::mean; }

Status read_value(std::string_view value, Intervention& one) {
  const std::string at = to_text(one.at);
  if (one.kind == ChangeKind::pattern) {
    if (value.empty())
      return usage_error("no sentence is given whose pattern is taken").at(at).mend("write {}=another sentence", at);
    one.sentence = std::string(value);
    return {};
  }
  if (one.kind == ChangeKind::scale) {
    if (value.empty()) return usage_error("no factor is given").at(at).mend("write {}=0.5, from -1000000 to 1000000", at);
    const auto read = std::from_chars(value.data(), value.data() + value.size(), one.factor);
    if (read.ec != std::errc{} || read.ptr != value.data() + value.size() || !std::isfinite(one.factor) ||
        std::abs(one.factor) > 1e6)
      return usage_error("'{}' is no factor", value).at(at).mend("write {}=0.5, from -1000000 to 1000000", at);
    return {};
  }
  while (!value.empty()) {
    const std::string_view cell = value.substr(0, value.find(','));
    value.remove_prefix(std::min(value.size(), cell.size() + 1));
    Intervention::Cell c;
    const std::size_t colon = std::min(cell.find(':'), cell.size());
    const char* const middle = cell.data() + colon;
    const char* const end = cell.data() + cell.size();
    const auto query = std::from_chars(cell.data(), middle, c.query);
    const bool has_key = middle < end;
    const auto key = std::from_chars(has_key ? middle + 1 : end, end, c.key);
    if (!has_key || query.ec != std::errc{} || query.ptr != middle || key.ec != std::errc{} || key.ptr != end || c.query < 0 ||
        c.key < 0)
      return usage_error("'{}' is no cell", cell).at(at).mend("write query:key, as in {}=4:1,5:0", at);
    if (std::find(one.cells.begin(), one.cells.end(), c) == one.cells.end()) one.cells.push_back(c);
  }
  if (one.cells.empty())
    return usage_error("no cells are given that are masked").at(at).mend("write query:key, as in {}=4:1,5:0", at);
  return {};
}

// What both change, so that they cannot both be: the weights, or what they make. Cells are masked in whatever weights there are.
bool contradict(const Intervention& a, const Intervention& b) {
  return a.at == b.at && changes_pattern(a) == changes_pattern(b) && a.kind != ChangeKind::cells && b.kind != ChangeKind::cells;
}

}  // namespace

std::string ModelAddress::prefix() const { return side + "layer." + std::to_string(layer) + "." + (cross ? "cross." : ""); }

bool ModelAddress::covers_head(std::string_view at, std::int64_t head_there) const {
  return prefix() == at && (part == Part::attention || (part == Part::head && head == head_there));
}
bool ModelAddress::covers_attention(std::string_view at) const {
  if (part == Part::layer) return at == prefix() || at == prefix() + "cross.";
  return part == Part::attention && at == prefix();
}
bool ModelAddress::covers_feed_forward(std::string_view at) const {
  return (part == Part::layer || part == Part::feed_forward) && at == prefix();
}

std::string to_text(const ModelAddress& address) {
  if (address.part == Part::positions) return address.side + "positions";
  std::string text = address.prefix();
  switch (address.part) {
    case Part::layer: text.pop_back(); break;
    case Part::attention: text += "attention"; break;
    case Part::feed_forward: text += "feed_forward"; break;
    case Part::head: text += "head." + std::to_string(address.head); break;
    case Part::positions: break;
  }
  return text;
}

Result<ModelAddress> address_from_text(std::string_view text) {
  if (text.empty()) return usage_error("no part of the model is named").mend(kInterventionForm);
  ModelAddress address;
  Words words(text);
  if (words.take("encoder")) address.side = "encoder.";
  if (address.side.empty() && words.take("decoder")) address.side = "decoder.";
  if (words.take("positions")) {
    address.part = Part::positions;
    if (!words.empty()) return no_address(text, Message("nothing is within '{}'", to_text(address)));
    return address;
  }
  if (!words.take("layer")) return no_address(text, unknown_word(words.next(), {"layer", "positions", "encoder", "decoder"}));
  const std::string_view number = words.next();
  address.layer = words.take_number();
  if (address.layer < 0)
    return no_address(text, number.empty() ? Message("the layer's number is missing") : Message("a layer has a number"));
  if (words.empty()) return address;
  address.cross = words.take("cross");
  if (words.take("head")) {
    address.part = Part::head;
    const std::string_view which = words.next();
    address.head = words.take_number();
    if (address.head < 0)
      return no_address(text, which.empty() ? Message("the head's number is missing") : Message("a head has a number"));
  } else if (words.take("attention") || (address.cross && words.empty())) {
    address.part = Part::attention;
  } else if (!address.cross && words.take("feed_forward")) {
    address.part = Part::feed_forward;
  } else {
    return no_address(text, unknown_word(words.next(), {"head", "attention", "feed_forward", "cross"}));
  }
  if (!words.empty()) return no_address(text, Message("nothing is within '{}'", to_text(address)));
  return address;
}

std::string to_text(const Intervention& one) {
  std::string text = to_text(one.at);
  if (one.kind == ChangeKind::scale) text += "=" + to_string(Value(one.factor));
  if (one.kind == ChangeKind::pattern) text += "=" + one.sentence;
  char separator = '=';
  for (const Intervention::Cell& cell : one.cells) {
    text += separator + std::to_string(cell.query) + ":" + std::to_string(cell.key);
    separator = ',';
  }
  return text;
}

Result<std::vector<Intervention>> interventions_from_text(ChangeKind kind, std::string_view text) {
  std::vector<Intervention> all;
  const bool has_value = kind == ChangeKind::scale || kind == ChangeKind::pattern || kind == ChangeKind::cells;
  const std::size_t equals = has_value ? std::min(text.find('='), text.size()) : text.size();
  std::string_view places = text.substr(0, equals);
  do {
    const std::string_view place = places.substr(0, has_value ? places.size() : places.find(','));
    places.remove_prefix(std::min(places.size(), place.size() + 1));
    Intervention one;
    one.kind = kind;
    HL_ASSIGN(one.at, address_from_text(place));
    if (one.at.part == ModelAddress::Part::positions && kind != ChangeKind::zero)
      return usage_error("positions can be taken out and nothing else").at(to_text(one.at)).mend("write it with --without");
    if (of_heads_alone(kind) && one.at.part != Part::head && one.at.part != Part::attention)
      return usage_error("this is done to heads, and '{}' is none", to_text(one.at))
          .mend("name a head, or an attention for all of its heads");
    if (has_value) HL_TRY(read_value(text.substr(std::min(text.size(), equals + 1)), one));
    all.push_back(std::move(one));
  } while (!places.empty());
  return all;
}

bool positions_are_out(std::span<const Intervention> interventions, std::string_view side) {
  return std::any_of(interventions.begin(), interventions.end(), [side](const Intervention& one) {
    return one.at.part == Part::positions && (one.at.side.empty() || one.at.side == side);
  });
}

bool leaves_out_positions(const Document& document) {
  return std::any_of(document.interventions.begin(), document.interventions.end(),
                     [](const Intervention& one) { return one.at.part == Part::positions; });
}

void leave_out_positions(Document& document, bool out) {
  auto& all = document.interventions;
  std::erase_if(all, [](const Intervention& one) { return one.at.part == Part::positions; });
  if (!out) return;
  Intervention positions;
  positions.at.part = Part::positions;
  const auto behind = std::find_if(all.begin(), all.end(), [](const Intervention& one) { return one.kind > ChangeKind::zero; });
  all.insert(behind, positions);  // in the order of kinds
}

namespace {

Status check_positions(const Document& document, const ModelAddress& at, bool reads_two) {
  if (!at.side.empty() && !reads_two)
    return usage_error("{} has no encoder and decoder here", document.model)
        .at(to_text(at))
        .mend("write positions, or give a second sentence");
  if (document.position == "none")
    return usage_error("{} has no positions that could be taken out", document.model).at(to_text(at)).mend("leave it out");
  return {};
}

// An address with a side, of a model that has none, or without one, of a model that has two.
Failure wrong_side(const ModelAddress& at, const std::string& model, bool reads_two) {
  const std::string text = to_text(at);
  if (!reads_two)
    return usage_error("{} has no encoder and decoder here", model)
        .at(text)
        .mend("write {}, or give a second sentence", text.substr(at.side.size()));
  return usage_error("{} has an encoder and a decoder here", model)
      .at(text)
      .mend(at.cross ? Message("write decoder.{}", text) : Message("write encoder.{} or decoder.{}", text, text));
}

}  // namespace

Status check_interventions(const Document& document, bool reads_two) {
  const std::string& who = document.model;
  const auto& all = document.interventions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ModelAddress& at = all[i].at;
    const std::string text = to_text(at);
    if (at.part == Part::positions) {
      HL_TRY(check_positions(document, at, reads_two));
      continue;
    }
    if (at.side.empty() == reads_two) return wrong_side(at, who, reads_two);
    if (at.cross && at.side != "decoder.")
      return usage_error("only a decoder has cross-attention").at(text).mend("write decoder.layer.0.cross.head.0");
    if (at.layer >= document.layers)
      return usage_error("{} has layers 0 to {}", who, document.layers - 1)
          .at(text)
          .mend("name one of these, or take the intervention back");
    if (at.part == Part::head && at.head >= document.heads)
      return usage_error("{} has heads 0 to {} in each layer", who, document.heads - 1)
          .at(text)
          .mend("name one of these, or take the intervention back");
    if (at.part == Part::feed_forward && !document.feed_forward)
      return usage_error("{} has no feed-forward part", who).at(text).mend("name its attention or a head");
    for (std::size_t j = 0; j < i; ++j)
      if (contradict(all[i], all[j])) return usage_error("it is replaced twice").at(text).mend("replace it once");
  }
  return {};
}

}  // namespace headlight
