// One word: the unigram lattice, WordPiece's tries and BPE's joins side by side.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/menu.h"
#include "app/panels/tokens/tokens_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "engine/text/grouped_number.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Figure;
using figures::Font;

constexpr float kColumnGap = 28, kLeastThree = 820, kFolds = 560, kNoPaths = 480;

// The letters that the mouse points at, as bytes of the text.
struct PointedLetter {
  figures::TokenLight light;
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

void light_letter(Context& context, const gl::Hit& hit, const std::vector<figures::Letter>& letters, figures::TokenLight& next) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::column || hit.tag.a >= static_cast<std::int64_t>(letters.size())) return;
  const auto& letter = letters[static_cast<std::size_t>(hit.tag.a)];
  next = {letter.start, letter.end};
  (void)context;
}

void choose_word(Context& context, const ui::Look& look, const WordData& data) {
  const char* const menu = "word menu";
  const std::string shown_word = data.word.size() > 40 ? tr("a long one") : data.word;
  if (ImGui::GetContentRegionAvail().x < ui::pill_width(look, tr("word"), shown_word)) ImGui::NewLine();
  if (ui::pill(look, "word", tr("word"), shown_word, 0, ImGui::IsPopupOpen(menu))) ImGui::OpenPopup(menu);
  ui::tooltip(look, tr("The word that is taken apart: one of the sentence, or any that you type"));
  name_part(context, "tokens:word");
  if (!begin_menu(context, look, menu, true)) return;
  if (const std::string* text = token_text(context)) {
    std::vector<std::string> shown;
    for (const auto& [start, end] : words_of(*text)) {
      const std::string word = text->substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
      if (shown.size() >= 20 || std::ranges::find(shown, word) != shown.end()) continue;
      shown.push_back(word);
      if (ImGui::MenuItem((word + "##" + std::to_string(start)).c_str(), nullptr, word == data.word)) {
        context.view.tokens.word = word;
        context.view.tokens.path = 0;
        context.view.tokens.forbidden.clear();
      }
    }
  }
  ImGui::SetNextItemWidth(look.px(220));
  if (ui::text_input("##word", context.view.tokens.word, tr("any word"))) {
    context.view.tokens.path = 0;
    context.view.tokens.forbidden.clear();
  }
  ui::tooltip(look, tr("Any word: it need not be in the sentence"));
  end_menu();
}

// The pill that chooses the tokenizer of one algorithm, where there is a choice.
void choose_tokenizer(Context& context, const ui::Look& look, const char* kind, const char* label, const char* part,
                      const NamedTokenizer& now, std::string& field) {
  std::vector<std::string> labels, names;
  std::size_t at = 0;
  for (const NamedTokenizer& one : token_set(context)) {
    if (!one.tokenizer || one.tokenizer->kind() != kind) continue;
    if (one.name == now.name) at = names.size();
    names.push_back(one.name);
    labels.push_back(one.label);
  }
  if (names.empty()) return;
  ImGui::SameLine(0, look.px(10));
  if (ImGui::GetContentRegionAvail().x < ui::pill_width(look, label, labels[at])) ImGui::NewLine();
  if (choose_one(context, look, kind, label, labels, at, tr("Whose word it is: one of the rows' tokenizers of this kind"))) {
    field = names[at];
    context.view.tokens.path = 0;
    context.view.tokens.forbidden.clear();
  }
  name_part(context, part);
}

class WordPage {
 public:
  WordPage(Context& context, const ui::Look& look, WordData& data, float height)
      : context_(context), look_(look), data_(data), height_(height) {}

  void unigram(float width) {
    const Column column = unigram_words(data_);
    head(column, "unigram head", width);
    if (data_.lattice.letters.empty()) return;
    const gl::Hit hit = picture(figures::lattice_picture(data_.lattice, width, look_.theme, context_.measure), "lattice");
    name_part(context_, "tokens:lattice");
    light_letter(context_, hit, data_.lattice.letters, next_);
    TokensView& view = context_.view.tokens;
    if (hit.hovered && hit.tag.kind == figures::Tag::bar && hit.tag.a < static_cast<std::int64_t>(data_.lattice_ids.size())) {
      const auto at = static_cast<std::size_t>(hit.tag.a);
      const std::int64_t id = data_.lattice_ids[at];
      const auto& piece = data_.lattice.pieces[at];
      char score[32];
      std::snprintf(score, sizeof score, "%.2f", piece.score);
      ui::tooltip(look_, piece.unknown ? tr("A character without a piece costs ten more than the worst piece.")
                                       : fill(piece.forbidden ? tr("{0}, id {1}, log-probability {2}. A click allows it again.")
                                                              : tr("{0}, id {1}, log-probability {2}. A click forbids it."),
                                              {piece.text, std::to_string(id), score}));
      if (hit.clicked && !piece.unknown) {
        if (piece.forbidden)
          std::erase(view.forbidden, id);
        else
          view.forbidden.push_back(id);
        view.path = 0;
      }
    }
    figure_menu(context_, "lattice menu", hit, [&] { return figure_of_word(context_, 1100, 600); });
    if (height_ >= kNoPaths) {
      const gl::Hit below = picture(figures::lattice_paths(data_.lattice, width, look_.theme, context_.measure), "paths");
      name_part(context_, "tokens:paths");
      if (below.hovered && below.tag.kind == figures::Tag::row) {
        ui::tooltip(look_, tr("A click makes this path the amber one"));
        if (below.clicked) view.path = below.tag.a;
      }
    }
    foot(column, "unigram foot", width);
  }
  void wordpiece(float width) {
    const Column column = wordpiece_words(data_);
    head(column, "wordpiece head", width);
    if (data_.tries.letters.empty()) return;
    data_.tries.folded = height_ < kFolds || static_cast<float>(data_.tries.tries.size()) * 17 > height_ - 180;
    const gl::Hit hit = picture(figures::tries_picture(data_.tries, width, look_.theme, context_.measure), "tries");
    name_part(context_, "tokens:tries");
    light_letter(context_, hit, data_.tries.letters, next_);
    figure_menu(context_, "tries menu", hit, [&] { return figure_of_word(context_, 1100, 600); });
    foot(column, "wordpiece foot", width);
  }
  void bpe(float width) {
    const Column column = bpe_words(data_);
    head(column, "bpe head", width);
    if (data_.joins.letters.empty()) return;
    const gl::Hit hit = picture(figures::joins_picture(data_.joins, width, look_.theme, context_.measure), "joins");
    name_part(context_, "tokens:joins");
    light_letter(context_, hit, data_.joins.letters, next_);
    figure_menu(context_, "joins menu", hit, [&] { return figure_of_word(context_, 1100, 600); });
    foot(column, "bpe foot", width);
  }
  figures::TokenLight pointed() const { return next_; }

 private:
  gl::Hit picture(const Figure& figure, const char* id) const { return context_.figures.draw(figure, id); }
  void head(const Column& column, const char* id, float width) const {
    picture(column_head(column, width, look_.theme, context_.measure), id);
    ImGui::Dummy({0, look_.px(4)});
  }
  void foot(const Column& column, const char* id, float width) const {
    picture(column_foot(column, width, look_.theme, context_.measure), id);
  }

  Context& context_;
  const ui::Look& look_;
  WordData& data_;
  float height_;
  figures::TokenLight next_;
};

void set_light(WordData& data, figures::TokenLight light) { data.lattice.light = data.tries.light = data.joins.light = light; }

}  // namespace

void draw_word_page(Context& context, const ui::Look& look) {
  WordData data = word_data(context);
  TokensView& view = context.view.tokens;
  if (!context.view.presentation) {
    choose_word(context, look, data);
    choose_tokenizer(context, look, "unigram", "unigram", "tokens:unigram", data.unigram, view.unigram);
    choose_tokenizer(context, look, "wordpiece", "WordPiece", "tokens:wordpiece", data.wordpiece, view.wordpiece);
    choose_tokenizer(context, look, "bpe", "BPE", "tokens:bpe", data.bpe, view.bpe);
    ImGui::Dummy({0, look.px(4)});
  }
  if (data.word.empty()) {
    ui::words(look, tr("Type a sentence, or a word of your own: it is taken apart here in three ways."), look.theme.secondary,
              15);
    return;
  }
  PointedLetter none;
  PointedLetter& pointed = context.transient ? context.transient->of<PointedLetter>() : none;
  set_light(data, pointed.light);
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 10,
              height = ImGui::GetContentRegionAvail().y / context.scale;
  WordPage page(context, look, data, height);
  if (!data.ready) ui::words(look, tr("reading the tokenizers …"), look.theme.secondary, 14);
  if (width >= kLeastThree) {
    // The lattice has the widest marks, the tries the narrowest.
    const bool lattice = data.unigram.tokenizer != nullptr;
    const float all = width - 2 * kColumnGap, unigram = std::floor(all * (lattice ? 0.40f : 0.22f)),
                wordpiece = std::floor(all * (lattice ? 0.24f : 0.36f)), bpe = all - unigram - wordpiece;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    const float high = ImGui::GetContentRegionAvail().y;
    const auto column = [&](const char* id, float wide, auto draw) {
      if (ImGui::BeginChild(id, {look.px(wide + 10), high}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground))
        draw(std::min(wide, ImGui::GetContentRegionAvail().x / context.scale - 2));  // a scroll bar takes its room
      ImGui::EndChild();
    };
    column("unigram column", unigram, [&](float wide) { page.unigram(wide); });
    ImGui::SameLine(0, look.px(kColumnGap - 10));
    column("wordpiece column", wordpiece, [&](float wide) { page.wordpiece(wide); });
    ImGui::SameLine(0, look.px(kColumnGap - 10));
    column("bpe column", bpe - 10, [&](float wide) { page.bpe(wide); });
    ImGui::PopStyleVar();
  } else {
    const float wide = std::min(width, 560.0f);
    page.unigram(wide);
    ImGui::Dummy({0, look.px(10)});
    page.wordpiece(wide);
    ImGui::Dummy({0, look.px(10)});
    page.bpe(wide);
  }
  pointed.light = page.pointed();
}

figures::Figure figure_of_word(const Context& context, float width, float) {
  WordData data = word_data(context);
  if (data.word.empty()) return {};
  const float all = std::max(width, 1000.0f) - 32 - 2 * kColumnGap;
  const bool lattice = data.unigram.tokenizer != nullptr;
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
  const float unigram = std::floor(all * (lattice ? 0.40f : 0.22f)), wordpiece = std::floor(all * (lattice ? 0.24f : 0.36f));
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

}  // namespace headlight::panels
