// The Embeddings view's page of the model's table: the tokens nearest to a sum of words, two differences compared, and the tokens
// nearest to a token of the sentence.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/embeddings/parts.h"
#include "engine/core/one_nan.h"
#include "engine/insight/analogies.h"
#include "engine/insight/residual_stream.h"
#include "imgui.h"

namespace headlight::views::word_vectors {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kModelGap = 28, kModelLeastThree = 980, kModelLeastTwo = 620;

// The token of a list that is under the mouse lights up in the other list, too.
struct Pointed {
  std::int32_t token = -1, next = -1;
};

// The page during one frame.
struct ModelFrame {
  const Scene& scene;
  State& state;
  SharedSpace shared;
  std::shared_ptr<Pointed> pointed;

  const Context& context() const { return scene.context; }
  const EmbeddingSpace& space() const { return *shared.space; }
};
using SharedModel = std::shared_ptr<const ModelFrame>;

std::int64_t place_in_sentence(const Sentence* sentence, std::int32_t token) {
  if (!sentence) return -1;
  for (std::size_t i = 0; i < sentence->tokens.size(); ++i)
    if (sentence->tokens[i].id == token) return static_cast<std::int64_t>(i);
  return -1;
}

figures::NeighboursInput list_input(const Context& context, const EmbeddingSpace& space, const Neighbours& nearest,
                                    std::size_t rows) {
  figures::NeighboursInput input;
  const Sentence* const sentence = chosen_sentence(context);
  for (std::size_t i = 0; i < std::min(rows, nearest.size()); ++i) {
    const std::int64_t at = place_in_sentence(sentence, nearest[i].token);
    input.rows.push_back(
        {space.tokenizer->display_text(nearest[i].token), nearest[i].cosine, at < 0 ? -1 : static_cast<int>(at % 12)});
  }
  return input;
}

// A row under the mouse lights the same token in the other list and its chip; a click puts the word into the calculator.
void follow_list(const ModelFrame& frame, const Neighbours& nearest, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0) return;
  const std::int32_t token = nearest[static_cast<std::size_t>(hit.tag.a)].token;
  frame.pointed->next = token;
  const std::string word = word_of(frame.space(), token);
  say_at_mouse(frame.scene, fill(tr("A click asks for the words nearest to {}"), {word}));
  if (hit.clicked) frame.state.sum = word;
  const Sentence* const sentence = chosen_sentence(frame.context());
  const std::int64_t at = place_in_sentence(sentence, token);
  if (at < 0) return;
  const auto& there = sentence->tokens[static_cast<std::size_t>(at)];
  Hot& next = frame.context().hover.next;
  next.byte_start = there.start;
  next.byte_end = there.end;
  next.in_target = shows_targets(frame.context());
}

Node list(Sheet& sheet, const SharedModel& frame, const char* id, const std::shared_ptr<const Neighbours>& nearest,
          std::size_t rows, const std::string& title) {
  auto input = std::make_shared<figures::NeighboursInput>(list_input(frame->context(), frame->space(), *nearest, rows));
  for (std::size_t i = 0; i < input->rows.size(); ++i)
    if ((*nearest)[i].token == frame->pointed->token) input->hot = static_cast<std::int64_t>(i);
  return sheet.picture(
      {.id = id,
       .picture = [input](Size s, const Pen& pen) { return figures::neighbour_list(*input, s.w, pen.theme, pen.measure); },
       .hit = [frame, nearest](const Drawn& drawn) { follow_list(*frame, *nearest, drawn.hit); },
       .paper = {560, 0},
       .on_paper =
           [frame, nearest, title](Size s, const Pen& pen) {
             figures::NeighboursInput paper = list_input(frame->context(), frame->space(), *nearest, 24);
             paper.title = title;
             return figures::stacked({figures::neighbour_list(paper, s.w, pen.theme, pen.measure)}, 0, 16);
           }},
      {200, 400, kAny});
}

std::string nearest_title(const std::string& sum) { return fill(tr("Nearest to {}"), {sum}); }

Node note(Sheet& sheet, const char* id, std::string text) {
  Node node = plain_words(sheet, id, std::move(text), 13, sheet.scene.pen.theme.secondary);
  node.rank = 2;
  return node;
}

void add_notes(Sheet& sheet, const SharedModel& frame, const EmbeddingSum& sum, std::vector<Node>& all) {
  std::string cut;
  for (const EmbeddingTerm& term : sum.terms)
    if (term.tokens.size() > 1)
      cut += (cut.empty() ? "" : " ") + fill(tr("{} is {} tokens here: the mean of their vectors is taken."),
                                             {term.word, std::to_string(term.tokens.size())});
  if (!cut.empty()) all.push_back(note(sheet, "cut words", cut));
  if (frame->space().random)
    all.push_back(note(sheet, "random",
                       tr("These embeddings are random: the arithmetic is real, but no word is near another for its meaning. "
                          "Choose a trained model, course for kinship.")));
}

// What the calculator answers.
void add_answer(Sheet& sheet, const SharedModel& frame, const AskedSum& asked, std::size_t rows, std::vector<Node>& all) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const std::string known = std::to_string(known_analogies().size());
  if (asked.none) {
    all.push_back(plain_words(
        sheet, "no analogy",
        fill(tr("None of {} analogies that are known from other tables holds in this one. Write a sum of your own."), {known}),
        14, theme.secondary));
    return;
  }
  std::string error;
  const auto answer = asked.text.empty() ? nullptr : answer_of(frame->context(), frame->shared, asked.text, &error);
  if (!answer) {
    all.push_back(plain_words(sheet, "no answer", error.empty() ? tr("computing …") : error, 14,
                              error.empty() ? theme.secondary : theme.wrong));
    return;
  }
  if (answer->nearest.empty()) {
    all.push_back(
        plain_words(sheet, "zero", tr("The sum is zero: it has no direction, so no token is near it."), 14, theme.secondary));
  } else {
    all.push_back(list(sheet, frame, "nearest", std::shared_ptr<const Neighbours>(answer, &answer->nearest), rows,
                       nearest_title(asked.text)));
    if (asked.found)
      all.push_back(note(sheet, "holds",
                         fill(tr("{0} = {1} holds here; it was looked for among {2} known analogies."),
                              {asked.text, word_of(frame->space(), answer->nearest.front().token), known})));
  }
  add_notes(sheet, frame, answer->sum, all);
}

Node calculator(Sheet& sheet, const SharedModel& frame, std::size_t rows) {
  State& state = frame->state;
  std::vector<Node> all = {heading(sheet, "sum name", tr("Calculate with words"))};
  if (has_target_embeddings(*frame->context().trace))
    all.push_back(shown_everywhere(sheet.choice("side", {tr("source"), tr("target")}, state.target ? 1 : 0,
                                                {tr("The words of the language that is read, or of the one that is written")},
                                                [&state](int chosen) { state.target = chosen == 1; })));
  const AskedSum asked = asked_sum(frame->context(), frame->shared);
  all.push_back(live_field(sheet, "sum", &state.sum, asked.text.empty() ? tr("aunt - uncle + man") : asked.text,
                           tr("A word, or words with + and - between them, with spaces around the signs"), {120, 300, kAny}));
  add_answer(sheet, frame, asked, rows, all);
  return Sheet::column("sums", 6, std::move(all));
}

figures::DifferencesInput differences_input(const EmbeddingComparison& two) {
  return {two.first, two.second, two.first_length, two.second_length, two.cosine, {}};
}

Node arrows(Sheet& sheet, const std::shared_ptr<const EmbeddingComparison>& two, float most) {
  return sheet.picture({.id = "differences",
                        .picture =
                            [two](Size s, const Pen& pen) {
                              return figures::difference_arrows(differences_input(*two), s.w, s.h, pen.theme, pen.measure);
                            },
                        .paper = {480, 0},
                        .on_paper =
                            [two](Size s, const Pen& pen) {
                              figures::DifferencesInput paper = differences_input(*two);
                              paper.title = tr("Two differences");
                              return figures::stacked({figures::difference_arrows(paper, s.w, 340, pen.theme, pen.measure)}, 0,
                                                      16);
                            }},
                       {160, 400, kAny}, Span{160, most, most});
}

std::string two_places(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

// Why the calculator's answer is the nearest although the two differences have next to nothing in common; empty: they are alike.
std::string unlike_words(const SharedModel& frame, const EmbeddingComparison& two) {
  if (!(two.cosine < kAlikeDifferences)) return {};
  const auto answer = answer_of(frame->context(), frame->shared, asked_sum(frame->context(), frame->shared).text, nullptr);
  if (!answer || answer->counterpart < 0) return {};
  const EmbeddingTerm& third = answer->sum.terms[2];
  return fill(tr("The two differences have little in common (cosine {}): “{}” is near the sum because it is near “{}” by itself, "
                 "cosine {}."),
              {two_places(two.cosine), word_of(frame->space(), answer->counterpart), third.word,
               two_places(cosine_of(row_of_token(frame->space(), answer->counterpart), third.vector))});
}

Node differences(Sheet& sheet, const SharedModel& frame, float most) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  State& state = frame->state;
  std::string error;
  const auto two = comparison_of(frame->context(), frame->shared, &error);
  const bool own_words = !state.first.empty() || !state.second.empty();
  std::vector<Node> fields = {
      live_field(sheet, "first", &state.first, two && !own_words ? two->first : tr("aunt - uncle"),
                 tr("A difference of words; both fields empty: those of the calculator's a - b + c and the best answer that is a "
                    "whole word"),
                 {80, 140, kAny}),
      live_field(sheet, "second", &state.second, two && !own_words ? two->second : tr("woman - man"),
                 tr("The difference that it is compared with"), {80, 140, kAny})};
  std::vector<Node> all = {heading(sheet, "differences name", tr("Two differences")), Sheet::row("pair", 8, std::move(fields))};
  if (!two) {
    all.push_back(plain_words(sheet, "no differences",
                              error.empty() ? tr("Write a - b + c into the calculator, or two differences here.") : error, 14,
                              error.empty() ? theme.secondary : theme.wrong));
  } else {
    all.push_back(arrows(sheet, two, most));
    if (const std::string unlike = own_words ? std::string() : unlike_words(frame, *two); !unlike.empty())
      all.push_back(plain_words(sheet, "unlike", unlike, 14, theme.text));
    all.push_back(
        note(sheet, "true lengths",
             tr("Lengths and the angle are true, in the plane that the two span. Cosine 1: the same direction; 0: nothing "
                "in common.")));
  }
  return Sheet::column("pairs", 6, std::move(all));
}

Node token_column(Sheet& sheet, const SharedModel& frame, std::size_t rows) {
  const Context& context = frame->context();
  const figures::Theme& theme = sheet.scene.pen.theme;
  State& state = frame->state;
  const Sentence* const sentence = chosen_sentence(context);
  if (!sentence || sentence->tokens.empty()) return Sheet::column("one", 6, {});
  const bool pointed = frame->pointed->token >= 0;
  const std::int64_t at = chosen_token(context, *sentence, !pointed), count = static_cast<std::int64_t>(sentence->tokens.size());
  const std::string label = sentence->labels[static_cast<std::size_t>(at)];
  const bool chip = hovered_token(*context.trace, shows_targets(context), context.view.batch, context.hover.now) == at;
  if (chip && !pointed && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.token = at;
  std::vector<Node> all = {
      heading(sheet, "token name", nearest_title(label)),
      shown_everywhere(sheet.stepper("token", fill(tr("token {}: {}"), {std::to_string(at), label}), at, count,
                                     tr("Another token of the sentence; a click on its chip chooses it, too"),
                                     [&state](std::int64_t to) { state.token = to; }))};
  const auto nearest = neighbours_of(context, frame->shared, sentence->tokens[static_cast<std::size_t>(at)].id);
  if (!nearest)
    all.push_back(plain_words(sheet, "computing", tr("computing …"), 14, theme.secondary));
  else if (nearest->empty())
    all.push_back(plain_words(sheet, "zero token", tr("This token's vector is zero: no token is near it."), 14, theme.secondary));
  else
    all.push_back(list(sheet, frame, "neighbours", nearest, rows, nearest_title(label)));
  return Sheet::column("one", 6, std::move(all));
}

}  // namespace

sheet::Node model_page(Sheet& sheet, const SharedSpace& shared) {
  const Scene& scene = sheet.scene;
  const auto frame =
      std::make_shared<const ModelFrame>(ModelFrame{scene, scene.state<State>(), shared, own_transient<Pointed>(scene)});
  frame->pointed->token = std::exchange(frame->pointed->next, -1);
  const float width = scene.room.w - 14, height = room_below(scene, 36);
  auto rows = static_cast<std::size_t>(std::clamp((height - 150) / 28, 6.0f, 20.0f));
  float most = std::clamp(height - 200, 160.0f, 420.0f);
  const bool three = width >= kModelLeastThree, two = width >= kModelLeastTwo;
  if (!three) {
    rows = std::min<std::size_t>(rows, 10);
    most = std::min(most, 320.0f);
  }
  std::vector<Node> columns = {calculator(sheet, frame, rows), differences(sheet, frame, most)};
  if (three || scene.medium != sheet::Medium::presented) columns.push_back(token_column(sheet, frame, rows));
  if (!two) {
    Node page = Sheet::column("model page", 16, std::move(columns));
    page.scrolls = true;
    return page;
  }
  const float each = three ? std::floor((width - 2 * kModelGap) / 3) : std::floor((width - kModelGap) / 2);
  Node below;
  if (!three && columns.size() == 3) {
    below = std::move(columns.back());
    columns.pop_back();
  }
  for (Node& column : columns) {
    column.wide = each;
    column.scrolls = three || below.children.empty();
  }
  Node row = Sheet::row("model page", kModelGap, std::move(columns));
  if (below.children.empty()) return row;
  below.wide = {each, each, each};
  Node page = Sheet::column("model and token", 16, {std::move(row), std::move(below)});
  page.scrolls = true;
  return page;
}

figures::Figure figure_of_sum(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const std::string sum = shared.space ? asked_sum(context, shared).text : std::string();
  const auto answer = sum.empty() ? nullptr : answer_of(context, shared, sum, nullptr);
  if (!answer || answer->nearest.empty()) return {};
  figures::NeighboursInput input = list_input(context, *shared.space, answer->nearest, 12);
  input.title = nearest_title(sum);
  return figures::neighbour_list(input, width, context.theme, context.measure);
}

figures::Figure figure_of_differences(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const auto two = shared.space ? comparison_of(context, shared, nullptr) : nullptr;
  if (!two) return {};
  figures::DifferencesInput input = differences_input(*two);
  input.title = tr("Two differences");
  return figures::difference_arrows(input, width, 340, context.theme, context.measure);
}

figures::Figure figure_of_token(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const Sentence* const sentence = chosen_sentence(context);
  if (!shared.space || !sentence || sentence->tokens.empty()) return {};
  const auto at = static_cast<std::size_t>(chosen_token(context, *sentence, false));
  const auto nearest = neighbours_of(context, shared, sentence->tokens[at].id);
  if (!nearest || nearest->empty()) return {};
  figures::NeighboursInput input = list_input(context, *shared.space, *nearest, 12);
  input.title = nearest_title(sentence->labels[at]);
  return figures::neighbour_list(input, width, context.theme, context.measure);
}

}  // namespace headlight::views::word_vectors
