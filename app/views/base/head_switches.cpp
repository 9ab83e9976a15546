#include "app/views/base/head_switches.h"

#include <algorithm>

#include "app/text/language.h"
#include "engine/core/parameter.h"
#include "engine/core/sorting.h"

namespace headlight::views {

using Kind = Intervention::Kind;

std::string place_words(const ModelAddress& at) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  if (at.side == "encoder.") add(tr("encoder"));
  if (at.side == "decoder.") add(at.cross ? tr("cross") : tr("decoder"));
  if (at.part == ModelAddress::Part::positions) {
    add(tr("positions"));
    return words;
  }
  add(fill(tr("layer {}"), {std::to_string(at.layer)}));
  if (at.part == ModelAddress::Part::head) add(fill(tr("head {}"), {std::to_string(at.head)}));
  if (at.part == ModelAddress::Part::attention) add(tr("attention"));
  if (at.part == ModelAddress::Part::feed_forward) add(tr("feed-forward"));
  return words;
}

namespace {

std::string change_words(const Intervention& one) {
  switch (one.kind) {
    case Kind::zero: return tr("taken out");
    case Kind::mean: return tr("replaced by its mean");
    case Kind::uniform: return tr("equal weights");
    case Kind::pattern: return fill(tr("the pattern of “{}”"), {one.sentence});
    case Kind::scale: return fill(tr("times {}"), {to_string(Value(one.factor))});
    case Kind::cells:
      return one.cells.size() == 1 ? std::string(tr("1 masked cell"))
                                   : fill(tr("{} masked cells"), {std::to_string(one.cells.size())});
  }
  return {};
}

}  // namespace

HeadSwitches switches_of(const Document& document, const ModelAddress& head) {
  HeadSwitches switches;
  for (const Intervention& one : document.interventions) {
    if (!(one.at == head)) continue;
    if (one.kind == Kind::zero) switches.out = HeadSwitches::Out::zero;
    if (one.kind == Kind::mean) switches.out = HeadSwitches::Out::mean;
    if (one.kind == Kind::scale) switches.factor = one.factor;
    if (one.kind == Kind::uniform) switches.uniform = true;
    if (one.kind == Kind::pattern) switches.sentence = one.sentence;
  }
  return switches;
}

Document with_switches(Document document, const ModelAddress& head, const HeadSwitches& switches) {
  auto& all = document.interventions;
  std::erase_if(all, [&](const Intervention& one) { return one.at == head && one.kind != Kind::cells; });
  const auto add = [&](Kind kind, double factor) { all.push_back({kind, head, factor, {}, {}}); };
  if (switches.uniform)
    add(Kind::uniform, 1);
  else if (!switches.sentence.empty())
    all.push_back({Kind::pattern, head, 1, switches.sentence, {}});
  if (switches.out != HeadSwitches::Out::no)
    add(switches.out == HeadSwitches::Out::zero ? Kind::zero : Kind::mean, 1);
  else if (switches.factor != 1)
    add(Kind::scale, switches.factor);
  sort_stably(all, [](const Intervention& a, const Intervention& b) { return a.kind < b.kind; });
  return document;
}

bool is_masked(const Document& document, const ModelAddress& head, Intervention::Cell cell) {
  return std::any_of(document.interventions.begin(), document.interventions.end(), [&](const Intervention& one) {
    return one.at == head && std::find(one.cells.begin(), one.cells.end(), cell) != one.cells.end();
  });
}

Document with_cell(Document document, const ModelAddress& head, Intervention::Cell cell, bool masked) {
  auto& all = document.interventions;
  for (Intervention& one : all)
    if (one.at == head) std::erase(one.cells, cell);
  std::erase_if(all, [](const Intervention& one) { return one.kind == Kind::cells && one.cells.empty(); });
  if (!masked) return document;
  auto at =
      std::find_if(all.begin(), all.end(), [&](const Intervention& one) { return one.kind == Kind::cells && one.at == head; });
  if (at == all.end())
    at = all.insert(std::find_if(all.begin(), all.end(), [](const Intervention& one) { return one.kind > Kind::cells; }),
                    {Kind::cells, head, 1, {}, {}});
  at->cells.push_back(cell);
  return document;
}

std::vector<std::string> intervention_words(const Document& document) {
  std::vector<std::string> words;
  for (const Intervention& one : document.interventions)
    words.push_back(fill(tr("{}: {}"), {place_words(one.at), change_words(one)}));
  return words;
}

Document without_intervention(Document document, std::size_t which) {
  if (which < document.interventions.size())
    document.interventions.erase(document.interventions.begin() + static_cast<std::ptrdiff_t>(which));
  return document;
}

Document untouched(Document document) {
  document.interventions.clear();
  return document;
}

}  // namespace headlight::views
