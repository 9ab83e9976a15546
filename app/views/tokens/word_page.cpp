// One word: the unigram lattice, WordPiece's tries and BPE's joins side by side.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/tokens/pages.h"
#include "engine/text/grouped_number.h"
#include "imgui.h"

namespace headlight::views::tokens {
namespace {

using figures::Figure;
using figures::Font;
using Node = Sheet::Node;
using sheet::Span;
using Word = std::shared_ptr<const WordData>;

constexpr float kColumnGap = 28, kLeastThree = 764, kMostOne = 560, kNoPaths = 540;

// The letters that the mouse pointed at in the last frame, and those that it points at in this one, as bytes of the text.
struct PointedLetter {
  figures::TokenLight light, next;
};

// One of the three columns.
struct Column {
  std::string title, right, why, answer;
  std::string nothing;  // why there is no picture
};

std::string of_pieces(const NamedTokenizer& one) {
  return one.tokenizer ? fill(tr("{} pieces"), {text::grouped_number(one.tokenizer->vocabulary_size())}) : "";
}
std::string missing(const char* kind) {
  return fill(tr("No tokenizer of the rows is of the kind {}. The control \"tokenizers\" adds one."), {tr(kind)});
}

Column unigram_words(const WordData& data) {
  Column column{tr("Unigram: the best sum"), of_pieces(data.unigram), "", "", ""};
  if (!data.unigram.tokenizer) {
    column.nothing = missing("Unigram");
    return column;
  }
  const std::string count = data.all_paths < 1e9 ? text::grouped_number(static_cast<std::int64_t>(data.all_paths)) : ">10⁹";
  column.why =
      fill(tr("Every known piece has a log-probability, and of all {} paths through the word the one with the highest sum "
              "wins. A click on a piece forbids it."),
           {count});
  if (data.lattice.paths.empty()) return column;
  const auto& path = data.lattice.paths[data.lattice.chosen];
  char sum[32], ahead[32];
  std::snprintf(sum, sizeof sum, "%.2f", path.sum);
  column.answer = fill(path.pieces.size() == 1 ? tr("{0} piece, {1} in all") : tr("{0} pieces, {1} in all"),
                       {std::to_string(path.pieces.size()), sum});
  if (data.lattice.chosen == 0 && data.lattice.paths.size() > 1) {
    std::snprintf(ahead, sizeof ahead, "%.2f", path.sum - data.lattice.paths[1].sum);
    column.answer += fill(tr(", {} ahead of the next"), {ahead});
  }
  return column;
}
Column wordpiece_words(const WordData& data) {
  Column column{tr("WordPiece: longest first"), of_pieces(data.wordpiece), "", "", ""};
  if (!data.wordpiece.tokenizer) {
    column.nothing = missing("WordPiece");
    return column;
  }
  column.why = tr("It cuts off the longest piece it knows, goes on, and never looks back.");
  std::int64_t found = 0;
  for (const auto& one : data.tries.tries) found += one.found;
  column.answer = data.tries.covered ? fill(found == 1 ? tr("{0} piece, {1} tries") : tr("{0} pieces, {1} tries"),
                                            {std::to_string(found), std::to_string(data.tries.tries.size())})
                                     : tr("nothing fits: the whole word is unknown");
  return column;
}
Column bpe_words(const WordData& data) {
  Column column{tr("BPE: the oldest pair first"), of_pieces(data.bpe), "", "", ""};
  if (!data.bpe.tokenizer) {
    column.nothing = missing("BPE");
    return column;
  }
  column.why =
      tr("From single letters or bytes it joins, again and again, the neighbouring pair with the lowest rank, until no pair is "
         "in its "
         "table.");
  if (!data.joins.states.empty())
    column.answer = fill(data.joins.states.back().parts.size() == 1 ? tr("{0} piece, {1} joins") : tr("{0} pieces, {1} joins"),
                         {std::to_string(data.joins.states.back().parts.size()), std::to_string(data.joins.states.size() - 1)});
  return column;
}

// A column's words, above its picture.
Figure column_head(const Column& column, float width, const figures::Theme& theme, const figures::TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, theme, measure};
  const float right = measure.width(column.right, 13, Font::words);
  const bool fits = measure.width(column.title, 16, Font::words_bold) + right + 10 <= width;
  pen.text(0, 10,
           figures::first_that_fits({column.title, column.title.substr(0, column.title.find_first_of(':'))}, width, 16,
                                    Font::words_bold, measure),
           16, Font::words_bold, theme.text);
  if (fits) pen.text(width, 10, column.right, 13, Font::words, theme.secondary, figures::Align::end);
  float y = 34;
  for (const std::string& line :
       figures::wrap(column.nothing.empty() ? column.why : column.nothing, width, 14, Font::words, measure)) {
    pen.text(0, y, line, 14, Font::words, theme.secondary);
    y += 20;
  }
  figure.height = y;
  return figure;
}
Figure column_foot(const Column& column, float width, const figures::Theme& theme, const figures::TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  float y = 12;
  for (const std::string& line : figures::wrap(column.answer, width, 14, Font::words_bold, measure)) {
    figures::Composer{figure, theme, measure}.text(0, y, line, 14, Font::words_bold, theme.text);
    y += 20;
  }
  figure.height = y;
  return figure;
}

void light_letter(const Scene& scene, const gl::Hit& hit, const std::vector<figures::Letter>& letters) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::column || hit.tag.a >= static_cast<std::int64_t>(letters.size())) return;
  const auto& letter = letters[static_cast<std::size_t>(hit.tag.a)];
  own_transient<PointedLetter>(scene)->next = {letter.start, letter.end};
}

void choose_word(State& state, const std::string& word) {
  state.word = word;
  state.path = 0;
  state.forbidden.clear();
}

// The words of the sentence, and a field for any other.
void draw_words(const Scene& scene, const std::string& now) {
  const ui::Look look = look_of(scene);
  State& state = scene.state<State>();
  if (const std::string* text = token_text(scene.context)) {
    std::vector<std::string> shown;
    for (const auto& [start, end] : words_of(*text)) {
      const std::string word = text->substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
      if (shown.size() >= 20 || std::ranges::find(shown, word) != shown.end()) continue;
      shown.push_back(word);
      if (ImGui::MenuItem((word + "##" + std::to_string(start)).c_str(), nullptr, word == now)) choose_word(state, word);
    }
  }
  ImGui::SetNextItemWidth(look.px(220));
  std::string typed = state.word;
  if (ui::text_input("##word", typed, tr("any word"))) choose_word(state, typed);
  ui::tooltip(look, tr("Any word: it need not be in the sentence"));
}

// The menu that chooses the tokenizer of one algorithm, where there is one.
void add_tokenizer(Sheet& sheet, const char* kind, const char* label, const NamedTokenizer& now, std::string State::*field,
                   std::vector<Node>& all) {
  std::vector<std::string> labels, names;
  std::size_t at = 0;
  for (const NamedTokenizer& one : token_set(sheet.scene.context)) {
    if (!one.tokenizer || one.tokenizer->kind() != kind) continue;
    if (one.name == now.name) at = names.size();
    names.push_back(one.name);
    labels.push_back(one.label);
  }
  if (names.empty()) return;
  all.push_back(choose_one(sheet, kind, label, std::move(labels), at,
                           tr("Whose word it is: one of the rows' tokenizers of this kind"),
                           [state = &sheet.scene.state<State>(), names, field](std::size_t to) {
                             state->*field = names[to];
                             state->path = 0;
                             state->forbidden.clear();
                           }));
}

void follow_lattice(const Scene& scene, const WordData& data, const gl::Hit& hit) {
  light_letter(scene, hit, data.lattice.letters);
  if (!hit.hovered || hit.tag.kind != figures::Tag::bar || hit.tag.a >= static_cast<std::int64_t>(data.lattice_ids.size()))
    return;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  const std::int64_t id = data.lattice_ids[at];
  const auto& piece = data.lattice.pieces[at];
  char score[32];
  std::snprintf(score, sizeof score, "%.2f", piece.score);
  say_at_mouse(scene, piece.unknown ? tr("A character without a piece costs ten more than the worst piece.")
                                    : fill(piece.forbidden ? tr("{0}, id {1}, log-probability {2}. A click allows it again.")
                                                           : tr("{0}, id {1}, log-probability {2}. A click forbids it."),
                                           {piece.text, std::to_string(id), score}));
  if (!hit.clicked || piece.unknown) return;
  State& state = scene.state<State>();
  if (piece.forbidden)
    std::erase(state.forbidden, id);
  else
    state.forbidden.push_back(id);
  state.path = 0;
}
void follow_paths(const Scene& scene, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
  say_at_mouse(scene, tr("A click makes this path the amber one"));
  if (hit.clicked) scene.state<State>().path = hit.tag.a;
}

// A picture of the word; a file shows all three algorithms.
Part word_part(const Scene& scene, std::string id, std::function<Figure(Size, const Pen&)> picture,
               std::function<void(const Drawn&)> hit) {
  return {.id = std::move(id),
          .picture = std::move(picture),
          .hit = std::move(hit),
          .paper = {1100, 600},
          .on_paper = [&scene](Size s, const Pen&) { return figure_of_word(scene.context, s.w, s.h); }};
}

// Title, words and pictures of an algorithm, and what came out.
Node column_node(Sheet& sheet, const std::string& id, Column words, std::vector<Node> pictures) {
  const auto column = std::make_shared<const Column>(std::move(words));
  std::vector<Node> all = {
      sheet.picture({.id = id + " head",
                     .picture = [column](Size s, const Pen& pen) { return column_head(*column, s.w, pen.theme, pen.measure); }},
                    {100, 300, sheet::kAny})};
  const bool shown = !pictures.empty();
  for (Node& picture : pictures) all.push_back(std::move(picture));
  if (shown) {
    all.push_back(
        sheet.picture({.id = id + " foot",
                       .picture = [column](Size s, const Pen& pen) { return column_foot(*column, s.w, pen.theme, pen.measure); }},
                      {100, 300, sheet::kAny}));
    all.back().rank = 2;
  }
  return Sheet::column(id + " column", 4, std::move(all));
}

Node unigram_column(Sheet& sheet, const Word& data) {
  const Scene* const scene = &sheet.scene;
  std::vector<Node> pictures;
  if (!data->lattice.letters.empty()) {
    pictures.push_back(sheet.picture(
        word_part(
            *scene, "lattice",
            [data](Size s, const Pen& pen) { return figures::lattice_picture(data->lattice, s.w, pen.theme, pen.measure); },
            [scene, data](const Drawn& drawn) { follow_lattice(*scene, *data, drawn.hit); }),
        {100, 300, sheet::kAny}));
    if (scene->room.h >= kNoPaths) {
      pictures.push_back(sheet.picture(
          word_part(
              *scene, "paths",
              [data](Size s, const Pen& pen) { return figures::lattice_paths(data->lattice, s.w, pen.theme, pen.measure); },
              [scene](const Drawn& drawn) { follow_paths(*scene, drawn.hit); }),
          {100, 300, sheet::kAny}));
      pictures.back().rank = 3;
    }
  }
  return column_node(sheet, "unigram", unigram_words(*data), std::move(pictures));
}

// The tries that failed are folded where there is no room for a line each.
Node wordpiece_column(Sheet& sheet, const Word& data) {
  const Scene* const scene = &sheet.scene;
  std::vector<Node> pictures;
  if (!data->tries.letters.empty()) {
    const auto draw = [data](bool folded, float width, const Pen& pen) {
      figures::TriesInput tries = data->tries;
      tries.folded = folded;
      return figures::tries_picture(tries, width, pen.theme, pen.measure);
    };
    const auto high = [draw, scene, kept = std::make_shared<std::map<float, Span>>()](float width) {
      const auto [at, fresh] = kept->try_emplace(width);
      if (fresh) {
        const float all = draw(false, width, scene->pen).height, folded = draw(true, width, scene->pen).height;
        at->second = {std::min(all, folded), all, all};
      }
      return at->second;
    };
    pictures.push_back(
        sheet.picture(word_part(
                          *scene, "tries",
                          [draw](Size s, const Pen& pen) {
                            Figure all = draw(false, s.w, pen);
                            return s.h <= 0 || all.height <= s.h + 0.5f ? all : draw(true, s.w, pen);
                          },
                          [scene, data](const Drawn& drawn) { light_letter(*scene, drawn.hit, data->tries.letters); }),
                      {100, 300, sheet::kAny}, high));
  }
  return column_node(sheet, "wordpiece", wordpiece_words(*data), std::move(pictures));
}

Node bpe_column(Sheet& sheet, const Word& data) {
  const Scene* const scene = &sheet.scene;
  std::vector<Node> pictures;
  if (!data->joins.letters.empty())
    pictures.push_back(sheet.picture(
        word_part(
            *scene, "joins",
            [data](Size s, const Pen& pen) { return figures::joins_picture(data->joins, s.w, pen.theme, pen.measure); },
            [scene, data](const Drawn& drawn) { light_letter(*scene, drawn.hit, data->joins.letters); }),
        {100, 300, sheet::kAny}));
  return column_node(sheet, "bpe", bpe_words(*data), std::move(pictures));
}

// The columns' parts of the width: the lattice has the widest marks, the tries the narrowest.
std::pair<float, float> shares_of(const WordData& data) {
  return data.unigram.tokenizer ? std::pair(0.40f, 0.24f) : std::pair(0.22f, 0.36f);
}

}  // namespace

std::vector<sheet::Node> word_choices(Sheet& sheet) {
  const WordData data = word_data(sheet.scene.context);
  std::vector<Node> all = {sheet.menu({"word", tr("word"), data.word.size() > 40 ? tr("a long one") : data.word,
                                       tr("The word that is taken apart: one of the sentence, or any that you type"),
                                       [scene = &sheet.scene, word = data.word] { draw_words(*scene, word); }})};
  add_tokenizer(sheet, "unigram", "unigram", data.unigram, &State::unigram, all);
  add_tokenizer(sheet, "wordpiece", "WordPiece", data.wordpiece, &State::wordpiece, all);
  add_tokenizer(sheet, "bpe", "BPE", data.bpe, &State::bpe, all);
  return all;
}

sheet::Node word_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  WordData made = word_data(scene.context);
  if (made.word.empty())
    return sheet.notice(tr("Type a sentence, or a word of your own: it is taken apart here in three ways."),
                        scene.pen.theme.secondary);
  const auto pointed = own_transient<PointedLetter>(scene);
  pointed->light = std::exchange(pointed->next, {});
  made.lattice.light = made.tries.light = made.joins.light = pointed->light;
  const auto data = std::make_shared<const WordData>(std::move(made));
  std::vector<Node> columns = {unigram_column(sheet, data), wordpiece_column(sheet, data), bpe_column(sheet, data)};
  Node below = Sheet::column("word column", 14, columns);
  below.wide = {300, kMostOne, kMostOne};
  below.scrolls = true;
  const auto [unigram, wordpiece] = shares_of(*data);
  const float shares[] = {unigram, wordpiece, 1 - unigram - wordpiece};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].wide = {shares[i] * kLeastThree, shares[i] * 4 * kLeastThree, sheet::kAny};
    columns[i].scrolls = true;
  }
  Node page = Sheet::either({Sheet::row("word columns", kColumnGap, std::move(columns)), std::move(below)});
  if (data->ready) return page;
  Node waiting = sheet.words("waiting", tr("reading the tokenizers …"), 14, scene.pen.theme.secondary);
  waiting.presented = true;
  return Sheet::column("word page", 6, {std::move(waiting), std::move(page)});
}

figures::Figure figure_of_word(const Context& context, float width, float) {
  WordData data = word_data(context);
  if (data.word.empty()) return {};
  const float all = std::max(width, 1000.0f) - 32 - 2 * kColumnGap;
  Figure figure;
  float x = 0, height = 0;
  const auto add = [&](float wide, const Column& column, std::vector<Figure> parts) {
    parts.insert(parts.begin(), column_head(column, wide, context.theme, context.measure));
    parts.push_back(column_foot(column, wide, context.theme, context.measure));
    float y = 0;
    for (Figure& part : parts) {
      figures::move(part, x, y);
      y += part.height + 6;
      for (auto& item : part.items) figure.items.push_back(std::move(item));
      for (auto& numbers : part.data) figure.data.push_back(std::move(numbers));
    }
    x += wide + kColumnGap;
    height = std::max(height, y);
  };
  const auto [share, second] = shares_of(data);
  const float unigram = std::floor(all * share), wordpiece = std::floor(all * second);
  std::vector<Figure> parts;
  if (!data.lattice.letters.empty())
    parts = {figures::lattice_picture(data.lattice, unigram, context.theme, context.measure),
             figures::lattice_paths(data.lattice, unigram, context.theme, context.measure)};
  add(unigram, unigram_words(data), std::move(parts));
  parts = {};
  if (!data.tries.letters.empty()) parts = {figures::tries_picture(data.tries, wordpiece, context.theme, context.measure)};
  add(wordpiece, wordpiece_words(data), std::move(parts));
  parts = {};
  if (!data.joins.letters.empty())
    parts = {figures::joins_picture(data.joins, all - unigram - wordpiece, context.theme, context.measure)};
  add(all - unigram - wordpiece, bpe_words(data), std::move(parts));
  figure.width = x - kColumnGap;
  figure.height = height;
  return figures::framed(std::move(figure), fill(tr("{}: one word, three ways to find its pieces"), {data.word}), 16,
                         context.theme);
}

}  // namespace headlight::views::tokens
