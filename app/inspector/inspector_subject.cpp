#include "app/inspector/inspector_subject.h"

#include <algorithm>

#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/view.h"
#include "engine/insight/explain_word_cell.h"
#include "engine/insight/predictions.h"

namespace headlight::views {
namespace {

// Rows with more keys, and long tables that are computed from their beginning, are written out in the background.
constexpr std::int64_t kManyKeys = 4096, kLongTable = 200000;

DerivedKey key_of(DerivedKey::Tag tag, const Context& context, const ValueAddress& at) {
  DerivedKey key(tag, {context.trace->generation(), at.step});
  for (const std::int64_t i : at.index) key.add(i);
  return key;
}

bool is_weights(const Trace& trace, const ValueAddress& at) {
  const Step* step = trace.find(at.step);
  return step && step->role == Role::weights && at.index.size() == 4 && find_site(trace, place_of(at.step)) != nullptr;
}

template <class T>
struct Made {
  std::shared_ptr<const T> value;
  std::shared_ptr<const Error> error;
};
// Stored in Visited while it is shown; what is slow is computed in the background.
template <class T>
Made<T> make(const Context& context, const DerivedKey& key, bool slow, const std::function<Result<T>(const CancelToken&)>& how) {
  if (slow) {
    const auto answer = context.derived.later<T>(key, how);
    return {answer.value, answer.error ? std::make_shared<const Error>(*answer.error) : nullptr};
  }
  Visited* visited = context.transient ? &context.transient->visited : nullptr;
  if (visited && visited->written_key == key)
    if (const auto* written = std::any_cast<std::shared_ptr<const T>>(&visited->written)) return {*written, nullptr};
  Result<T> made = how({});
  if (!made.ok()) return {nullptr, std::make_shared<const Error>(made.error())};
  auto value = std::make_shared<const T>(std::move(made).value());
  if (visited) {
    visited->written_key = key;
    visited->written = value;
  }
  return {std::move(value), nullptr};
}

// Writes out one number; a weight is written out as its whole cell.
void write_value(const Context& context, Subject& subject) {
  const auto trace = context.trace;
  const ValueAddress at = subject.address;
  const Step* step = trace->find(at.step);
  const bool slow =
      step && ((at.index.size() == 4 && step->shape[3] > kManyKeys) ||
               (step->role == Role::position && !at.index.empty() && at.index[0] * step->shape.back() > kLongTable));
  subject.key = key_of("inspector/value", context, at);
  const AttentionSite* site = find_site(*trace, place_of(at.step));
  // Attention that was read from arrays may lack what a cell is computed from: then its weight is a number like any other.
  if (is_weights(*trace, at) && site && !site->q.empty() && !site->k.empty() && !site->v.empty()) {
    const CellAddress cell{std::string(place_of(at.step)), at.index[0], at.index[1], at.index[2], at.index[3]};
    const auto made = make<CellExplanation>(context, subject.key, slow,
                                            [trace, cell](const CancelToken&) { return explain_cell(*trace, cell); });
    subject.cell = made.value;
    subject.error = made.error;
    return;
  }
  const auto made =
      make<ValueExplanation>(context, subject.key, slow, [trace, at](const CancelToken&) { return explain_value(*trace, at); });
  subject.value = made.value;
  subject.error = made.error;
}

ValueAddress cell_address(const Context& context, const AttentionChoice& choice, std::int64_t row, std::int64_t column) {
  return {context.trace->name_at(choice.prefix(), Role::weights), {choice.batch, choice.head, row, column}};
}

// Writes out the weight between the words of a cell's pieces. Returns false if each of the two is a word by itself.
bool write_words(const Context& context, const AttentionChoice& choice, Subject& subject) {
  const auto words = choice.words;
  const ValueAddress at = subject.address;
  if (!words || !is_weights(*context.trace, at)) return false;
  const std::int64_t row = words->rows.at(at.index[2]), column = words->columns.at(at.index[3]);
  if (row < 0 || column < 0) return false;
  const WordCell cell{std::string(place_of(at.step)), at.index[0], at.index[1], words->rows.words[static_cast<std::size_t>(row)],
                      words->columns.words[static_cast<std::size_t>(column)]};
  if (cell.row.end - cell.row.begin < 2 && cell.column.end - cell.column.begin < 2) return false;
  subject.key = key_of("inspector/words", context, at);
  const auto made =
      make<ValueExplanation>(context, subject.key, choice.site->keys > kManyKeys,
                             [trace = context.trace, cell](const CancelToken&) { return explain_word_cell(*trace, cell); });
  subject.value = made.value;
  subject.error = made.error;
  subject.words = true;
  return true;
}

bool inside(const AttentionChoice& choice, std::int64_t row, std::int64_t column) {
  return choice.site && row >= 0 && column >= 0 && row < choice.site->queries && column < choice.site->keys;
}

ValueAddress pinned_value(const ViewState& view) { return {view.inspector.step, view.inspector.index}; }

// The pinned number, of either kind; an empty step: none.
ValueAddress pinned_address(const Context& context) {
  const AttentionChoice choice = choose_attention(context);
  if (context.trace && has_value(*context.trace, pinned_value(context.view))) return pinned_value(context.view);
  if (inside(choice, context.view.pinned_row, context.view.pinned_column))
    return cell_address(context, choice, context.view.pinned_row, context.view.pinned_column);
  return {};
}

// A link to a cell of pieces pins this number: the cell itself stands for its words where these are shown.
void pin_address(const Context& context, const ValueAddress& at, bool link) {
  ViewState& view = context.view;
  const bool pieces = choose_attention(context).words != nullptr &&
                      (link || at.index.size() != 4 || at.index[2] != view.pinned_row || at.index[3] != view.pinned_column);
  if (!pieces && is_weights(*context.trace, at) && is_shown_cell(context, at)) {
    view.pinned_row = at.index[2];
    view.pinned_column = at.index[3];
    view.inspector.step.clear();
    view.inspector.index.clear();
  } else {
    view.inspector.step = at.step;
    view.inspector.index = at.index;
  }
  if (!context.transient) return;
  Visited& visited = context.transient->visited;
  visited.pinned = pinned_value(view);
  visited.row = view.pinned_row;
  visited.column = view.pinned_column;
}

// The cell with its query named as the rows of the picture are: by the word that it writes, where it writes one.
CellExplanation named_cell(const Context& context, const CellExplanation& cell) {
  CellExplanation named = cell;
  const AttentionSite* const site = find_site(*context.trace, cell.cell.prefix);
  if (!site || !writes_words(*site) || context.view.row_word == "read") return named;
  const auto targets = context.trace->targets();
  const auto batch = static_cast<std::size_t>(cell.cell.batch), next = static_cast<std::size_t>(cell.cell.query + 1);
  const bool known = batch < targets.size() && next < targets[batch].labels.size();
  named.query_label = fill(tr("to write {}"),
                           {known ? targets[batch].labels[next] : best_guess(*context.trace, cell.cell.batch, cell.cell.query)});
  return named;
}

}  // namespace

bool is_shown_cell(const Context& context, const ValueAddress& at) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || at.index.size() != 4 || place_of(at.step) != choice.prefix()) return false;
  const Step* step = context.trace->find(at.step);
  const bool cell = step && step->axes.size() == 4 && step->axes[2] == "query" && step->axes[3] == "key";
  return cell && at.index[0] == choice.batch && (step->shape[1] == 1 || at.index[1] == choice.head) &&
         inside(choice, at.index[2], at.index[3]);
}

Subject choose_subject(const Context& context) {
  Subject subject;
  if (!context.trace) return subject;
  const auto trace = context.trace;
  const AttentionChoice choice = choose_attention(context);
  // What the inspector's own links highlight elsewhere must not change what it shows.
  const Hot hot = context.transient && context.transient->visited.own_hover ? Hot{} : context.hover.now;

  if (has_value(*trace, hot.value)) {
    subject.address = hot.value;
    subject.source = "hovered";
    if (!hot.words || !write_words(context, choice, subject)) write_value(context, subject);
    return subject;
  }
  if (hot.byte_start >= 0 && hot.token >= 0) {
    subject.address = {trace->targets().empty() ? "tokens"
                       : hot.in_target          ? "decoder.tokens"
                                                : "encoder.tokens",
                       {choice.batch, hot.token}};
    subject.key = key_of("inspector/token", context, subject.address);
    const auto made = make<TokenExplanation>(context, subject.key, false, [trace, hot, batch = choice.batch](const CancelToken&) {
      return explain_token(*trace, hot.in_target, batch, hot.token);
    });
    subject.source = "hovered";
    subject.token = made.value;
    if (subject.token) return subject;
  }
  const ValueAddress pinned = pinned_address(context);
  bool words = shown_role(context.view) == Role::weights;  // the number may stand for words
  if (hot.byte_start < 0 && inside(choice, hot.row, hot.column)) {
    subject.address = cell_address(context, choice, hot.row, hot.column);
    subject.source = "hovered";
    words = hot.words;
  } else if (!pinned.step.empty()) {
    subject.address = pinned;
    subject.source = "pinned";
    subject.pinned = true;
    words &= !(pinned == pinned_value(context.view));
  } else if (const View* view = registry().find(context.view.tab); view && view->subject) {
    subject.address = view->subject(context);
    if (!has_value(*trace, subject.address)) return {};
    subject.source = "in this view";
    words = false;
  } else if (choice.site && choice.site->queries > 0 && choice.site->keys > 0) {
    const std::string prefix = choice.prefix();
    const auto axes = words ? choice.words : nullptr;
    const DerivedKey key("inspector/strongest", {trace->generation(), prefix, choice.batch, choice.head, axes != nullptr});
    const bool slow = choice.site->queries * choice.site->keys > 512 * 512;
    const auto find = [trace, prefix, batch = choice.batch, head = choice.head, axes](const CancelToken&) {
      return axes ? strongest_word_cell(*trace, prefix, batch, head, *axes) : strongest_cell(*trace, prefix, batch, head);
    };
    const auto strongest = slow ? context.derived.later<CellAddress>(key, find) : context.derived.now<CellAddress>(key, find);
    if (!strongest.value) return subject;
    subject.address = cell_address(context, choice, strongest.value->query, strongest.value->key);
    subject.source = "strongest cell";
  } else {
    return subject;
  }
  if (!words || !write_words(context, choice, subject)) write_value(context, subject);
  return subject;
}

std::shared_ptr<const SubjectPage> page_of(const Context& context, const Subject& subject, float width) {
  // The text of a sentence identifies the language.
  const DerivedKey key("inspector/page", {subject.key, width, context.scale, context.theme.id, context.view.presentation,
                                          context.view.row_word, tr("strongest cell")});
  Visited* visited = context.transient ? &context.transient->visited : nullptr;
  if (visited && visited->page_key == key) return std::any_cast<std::shared_ptr<const SubjectPage>>(visited->page);
  const auto lay_out = [&] {
    SubjectPage page;
    page.subject = subject;
    std::string subtitle;
    const auto add = [&](const std::string& words) { subtitle += (subtitle.empty() ? "" : " · ") + words; };
    for (const ExplainLine& crumb : value_crumbs(*context.trace, subject.address)) add(figures::spoken(crumb));
    if (subject.token) add(fill(tr("token {}"), {std::to_string(subject.token->position)}));
    if (subject.value) add(tr(subject.value->operation.c_str()));
    const bool random = subject.cell    ? subject.cell->random_weights
                        : subject.token ? subject.token->random_weights
                                        : subject.value->random_weights;
    if (random) add(fill(tr("random weights, seed {}"), {std::to_string(context.trace->document().seed)}));
    if (subject.cell) page.subject.cell = std::make_shared<const CellExplanation>(named_cell(context, *subject.cell));
    page.written = subject.cell    ? figures::explanation(*page.subject.cell, subtitle, width, context.theme, context.measure)
                   : subject.token ? figures::explanation(*subject.token, subtitle, width, context.theme, context.measure)
                                   : figures::explanation(*subject.value, subtitle, width, context.theme, context.measure);
    page.link_boxes.resize(page.written.links.size());
    for (const auto& item : page.written.figure.items)
      if (const auto* text = std::get_if<figures::Text>(&item); text && text->tag.kind == figures::Tag::link) {
        const float w = context.measure.width(text->text, text->size, text->font);
        const float x = text->horizontal == figures::Align::end ? text->at.x - w : text->at.x;
        page.link_boxes[static_cast<std::size_t>(text->tag.a)] = {x, text->at.y - 9, w, 18};
      }
    return page;
  };
  auto page = std::make_shared<const SubjectPage>(lay_out());
  if (visited) {
    visited->page_key = key;
    visited->page = page;
  }
  return page;
}

std::string text_of(const Subject& subject) {
  return subject.cell    ? to_text(*subject.cell)
         : subject.token ? to_text(*subject.token)
         : subject.value ? to_text(*subject.value)
                         : "";
}
std::string latex_of(const Subject& subject) {
  return subject.cell    ? to_latex(*subject.cell)
         : subject.token ? to_latex(*subject.token)
         : subject.value ? to_latex(*subject.value)
                         : "";
}

void follow(const Context& context, const ValueAddress& to, const ValueAddress& from) {
  if (!context.trace || !has_value(*context.trace, to)) return;
  if (context.transient && !from.step.empty()) {
    context.transient->visited.before.push_back(from);
    context.transient->visited.after.clear();
  }
  pin_address(context, to, true);
}

bool can_go(const Context& context, int direction) {
  if (!context.transient || !context.trace) return false;
  const auto& places = direction < 0 ? context.transient->visited.before : context.transient->visited.after;
  return std::any_of(places.begin(), places.end(), [&](const ValueAddress& at) { return has_value(*context.trace, at); });
}

void go(const Context& context, int direction, const ValueAddress& from) {
  if (!can_go(context, direction)) return;
  Visited& visited = context.transient->visited;
  auto& places = direction < 0 ? visited.before : visited.after;
  auto& others = direction < 0 ? visited.after : visited.before;
  // Skips numbers that an edit has removed.
  while (!has_value(*context.trace, places.back())) places.pop_back();
  const ValueAddress to = places.back();
  places.pop_back();
  if (!from.step.empty()) others.push_back(from);
  pin_address(context, to, false);
}

void let_go(const Context& context) {
  context.view.inspector.step.clear();
  context.view.inspector.index.clear();
  context.view.pinned_row = context.view.pinned_column = -1;
  if (!context.transient) return;
  Visited& visited = context.transient->visited;
  visited.pinned = {};
  visited.row = visited.column = -1;
}

void notice_pins(const Context& context) {
  if (!context.transient || !context.trace) return;
  Visited& visited = context.transient->visited;
  ViewState& view = context.view;
  const bool cell = view.pinned_row != visited.row || view.pinned_column != visited.column;
  const bool value = !(pinned_value(view) == visited.pinned);
  if (!cell && !value) return;
  // A cell that was just pinned counts more than a number pinned before.
  if (cell && !value && view.pinned_row >= 0) {
    view.inspector.step.clear();
    view.inspector.index.clear();
  }
  if (has_value(*context.trace, visited.shown) && !pinned_address(context).step.empty() &&
      !(visited.shown == pinned_address(context))) {
    visited.before.push_back(visited.shown);
    visited.after.clear();
  }
  visited.pinned = pinned_value(view);
  visited.row = view.pinned_row;
  visited.column = view.pinned_column;
}

}  // namespace headlight::views
