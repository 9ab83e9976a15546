// The Embeddings view: the tokens that are nearest to a token of the sentence, sums and differences of words, and two differences
// compared. Two further pages show a one-hot vector times the table
// (one_hot_page.cpp) and learn vectors from a text (learnt_words.cpp).
#include <algorithm>
#include <cmath>

#include "app/figures/base/stack.h"
#include "app/figures/embeddings/embedding_figures.h"
#include "app/gl/figure_view.h"
#include "app/panels/embeddings/embeddings_data.h"
#include "app/panels/embeddings/learnt_words.h"
#include "app/panels/embeddings/one_hot_page.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/growing_column.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/ui/widgets.h"
#include "engine/insight/analogies.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kGap = 28, kLeastThree = 980, kLeastTwo = 620;

struct EmbeddingsTransient {
  std::int32_t pointed = -1;   // the token of a list that is under the mouse
  std::int32_t pointing = -1;  // the same, found in this frame
};

// The view while it is drawn.
struct Page {
  Context& context;
  const ui::Look& look;
  const SharedSpace& shared;
  EmbeddingsTransient& own;
};

void heading(const Page& page, const std::string& words, float width) {
  const ui::Look& look = page.look;
  look.figures.text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), words, 17, Font::words_bold, look.theme.text,
                    look.px(width));
  ImGui::Dummy({look.px(width), look.px(look.figures.line_height(17, Font::words_bold) + 4)});
}

void field(const Page& page, const char* id, std::string& text, const char* hint, float width, const char* tip) {
  push_font(page.context, Font::words, 15);
  ImGui::SetNextItemWidth(page.look.px(width));
  ui::live_text_input((std::string("##") + id).c_str(), text, hint);
  ImGui::PopFont();
  ui::tooltip(page.look, tip);
  name_part(page.context, std::string("embeddings:") + id);
}

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

// A list under the mouse: a row lights the same token in the other list and its chip; a click puts the word into the calculator.
void draw_list(const Page& page, const char* id, const Neighbours& nearest, std::size_t rows, float width,
               const std::string& title) {
  Context& context = page.context;
  EmbeddingsTransient& own = page.own;
  const EmbeddingSpace& space = *page.shared.space;
  figures::NeighboursInput input = list_input(context, space, nearest, rows);
  for (std::size_t i = 0; i < input.rows.size(); ++i)
    if (nearest[i].token == own.pointed) input.hot = static_cast<std::int64_t>(i);
  figures::Figure figure = figures::neighbour_list(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, id);
  name_part(context, std::string("embeddings:") + id);
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0) {
    const std::int32_t token = nearest[static_cast<std::size_t>(hit.tag.a)].token;
    own.pointing = token;
    const std::string word = word_of(space, token);
    ui::tooltip(page.look, fill(tr("A click asks for the words nearest to {}"), {word}));
    if (hit.clicked) context.view.embeddings.sum = word;
    const Sentence* const sentence = chosen_sentence(context);
    if (const std::int64_t at = place_in_sentence(sentence, token); at >= 0) {
      const auto& there = sentence->tokens[static_cast<std::size_t>(at)];
      Hot& next = context.hover.next;
      next.byte_start = there.start;
      next.byte_end = there.end;
      next.in_target = shows_targets(context);
    }
  }
  figure_menu(context, (std::string(id) + " menu").c_str(), hit, [&] {
    figures::NeighboursInput paper = list_input(context, space, nearest, 24);
    paper.title = title;
    return figures::stacked({figures::neighbour_list(paper, 560, context.theme, context.measure)}, 0, 16);
  });
}

std::string nearest_title(const std::string& sum) { return fill(tr("Nearest to {}"), {sum}); }

void draw_notes(const Page& page, const EmbeddingSum& sum) {
  for (const EmbeddingTerm& term : sum.terms)
    if (term.tokens.size() > 1)
      ui::words(
          page.look,
          fill(tr("{} is {} tokens here: the mean of their vectors is taken."), {term.word, std::to_string(term.tokens.size())}),
          page.look.theme.secondary, 13);
  if (page.shared.space->random)
    ui::words(
        page.look,
        tr("These embeddings are random: the arithmetic is real, but no word is near another for its meaning. Choose a trained "
           "model, course for kinship."),
        page.look.theme.secondary, 13);
}

void draw_calculator(const Page& page, float width, std::size_t rows) {
  Context& context = page.context;
  heading(page, tr("Calculate with words"), width);
  if (has_target_embeddings(*context.trace)) {
    const char* const labels[] = {tr("source"), tr("target")};
    const int clicked = ui::segmented(page.look, "side", labels, 2, context.view.embeddings.target ? 1 : 0,
                                      tr("The words of the language that is read, or of the one that is written"));
    name_part(context, "embeddings:side");
    if (clicked >= 0) context.view.embeddings.target = clicked == 1;
  }
  const AskedSum asked = asked_sum(context, page.shared);
  field(page, "sum", context.view.embeddings.sum, asked.text.empty() ? tr("aunt - uncle + man") : asked.text.c_str(), width,
        tr("A word, or words with + and - between them, with spaces around the signs"));
  std::string error;
  const auto answer = asked.text.empty() ? nullptr : answer_of(context, page.shared, asked.text, &error);
  ImGui::Dummy({0, page.look.px(4)});
  if (asked.none) {
    ui::words(page.look,
              fill(tr("None of {} analogies that are known from other tables holds in this one. Write a sum of your own."),
                   {std::to_string(known_analogies().size())}),
              page.look.theme.secondary, 14);
    name_part(context, "embeddings:no analogy");
    return;
  }
  if (!answer) {
    ui::words(page.look, error.empty() ? tr("computing …") : error,
              error.empty() ? page.look.theme.secondary : page.look.theme.wrong, 14);
    return;
  }
  if (answer->nearest.empty())
    ui::words(page.look, tr("The sum is zero: it has no direction, so no token is near it."), page.look.theme.secondary, 14);
  else
    draw_list(page, "nearest", answer->nearest, rows, width, nearest_title(asked.text));
  if (asked.found)
    ui::words(
        page.look,
        fill(tr("{0} = {1} holds here; it was looked for among {2} known analogies."),
             {asked.text, word_of(*page.shared.space, answer->nearest.front().token), std::to_string(known_analogies().size())}),
        page.look.theme.secondary, 13);
  draw_notes(page, answer->sum);
}

figures::DifferencesInput differences_input(const EmbeddingComparison& two) {
  return {two.first, two.second, two.first_length, two.second_length, two.cosine, {}};
}

void draw_differences(const Page& page, float width, float height) {
  Context& context = page.context;
  heading(page, tr("Two differences"), width);
  std::string error;
  const auto two = comparison_of(context, page.shared, &error);
  const bool own_words = !context.view.embeddings.first.empty() || !context.view.embeddings.second.empty();
  const float each = std::floor((width - 8) / 2);
  const std::string first = two && !own_words ? two->first : tr("aunt - uncle"),
                    second = two && !own_words ? two->second : tr("woman - man");
  field(page, "first", context.view.embeddings.first, first.c_str(), each,
        tr("A difference of words; both fields empty: those of the calculator's a - b + c and the best answer that is a whole "
           "word"));
  ImGui::SameLine(0, page.look.px(8));
  field(page, "second", context.view.embeddings.second, second.c_str(), each, tr("The difference that it is compared with"));
  ImGui::Dummy({0, page.look.px(4)});
  if (!two) {
    ui::words(page.look, error.empty() ? tr("Write a - b + c into the calculator, or two differences here.") : error,
              error.empty() ? page.look.theme.secondary : page.look.theme.wrong, 14);
    return;
  }
  figures::Figure figure = figures::difference_arrows(differences_input(*two), width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "differences");
  name_part(context, "embeddings:differences");
  figure_menu(context, "differences menu", hit, [&] {
    figures::DifferencesInput paper = differences_input(*two);
    paper.title = tr("Two differences");
    return figures::stacked({figures::difference_arrows(paper, 480, 340, context.theme, context.measure)}, 0, 16);
  });
  ui::words(
      page.look,
      tr("Lengths and the angle are true, in the plane that the two span. Cosine 1: the same direction; 0: nothing in common."),
      page.look.theme.secondary, 13);
}

void draw_token(const Page& page, float width, std::size_t rows) {
  Context& context = page.context;
  const Sentence* const sentence = chosen_sentence(context);
  if (!sentence || sentence->tokens.empty()) return;
  const std::int64_t at = chosen_token(context, *sentence, page.own.pointed < 0),
                     count = static_cast<std::int64_t>(sentence->tokens.size());
  const std::string label = sentence->labels[static_cast<std::size_t>(at)];
  const bool chip = hovered_token(*context.trace, shows_targets(context), context.view.batch, context.hover.now) == at;
  if (chip && page.own.pointed < 0 && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.view.embeddings.token = at;
  heading(page, fill(tr("Nearest to {}"), {label}), width);
  const std::int64_t to = stepper(page.look, "token", fill(tr("token {}: {}"), {std::to_string(at), label}), at, count,
                                  tr("Another token of the sentence; a click on its chip chooses it, too"));
  name_part(context, "embeddings:token");
  if (to >= 0) context.view.embeddings.token = to;
  ImGui::Dummy({0, page.look.px(4)});
  const auto nearest = neighbours_of(context, page.shared, sentence->tokens[static_cast<std::size_t>(at)].id);
  if (!nearest)
    ui::words(page.look, tr("computing …"), page.look.theme.secondary, 14);
  else if (nearest->empty())
    ui::words(page.look, tr("This token's vector is zero: no token is near it."), page.look.theme.secondary, 14);
  else
    draw_list(page, "neighbours", *nearest, rows, width, fill(tr("Nearest to {}"), {label}));
}

void draw_columns(const Page& page, float width, float height) {
  const ui::Look& look = page.look;
  const auto rows = static_cast<std::size_t>(std::clamp((height - 150) / 28, 6.0f, 20.0f));
  const float arrows = std::clamp(height - 200, 160.0f, 420.0f);
  if (width >= kLeastThree) {
    const float each = std::floor((width - 2 * kGap) / 3);
    growing_column("sums", look, each, [&] { draw_calculator(page, each, rows); });
    ImGui::SameLine(0, look.px(kGap));
    growing_column("pairs", look, each, [&] { draw_differences(page, each, arrows); });
    ImGui::SameLine(0, look.px(kGap));
    growing_column("one", look, each, [&] { draw_token(page, each, rows); });
    return;
  }
  const bool two = width >= kLeastTwo;
  const float each = two ? std::floor((width - kGap) / 2) : width;
  growing_column("sums", look, each, [&] { draw_calculator(page, each, std::min<std::size_t>(rows, 10)); });
  if (two) ImGui::SameLine(0, look.px(kGap));
  growing_column("pairs", look, each, [&] { draw_differences(page, each, std::min(arrows, 320.0f)); });
  if (!page.context.view.presentation)
    growing_column("one", look, each, [&] { draw_token(page, each, std::min<std::size_t>(rows, 10)); });
}

// The model's table, what a one-hot vector picks of it, or vectors that are learnt here.
Pages pages_of_embeddings() {
  return pages_in(
      [](ViewState& view) -> std::string& { return view.embeddings.page; },
      {{"model", tr_later("the model's words"), tr_later("The embedding table of the shown model")},
       {"one-hot", tr_later("one-hot times table"),
        tr_later("Why a vector with a single 1 times a matrix is a look-up of one row")},
       {"learn", tr_later("learn from a text"), tr_later("word2vec: the table is learnt from a text while you look on")}});
}

void draw_embedding_pages(Context& context, const ui::Look& look) {
  static const Pages pages = pages_of_embeddings();
  std::vector<const char*> labels, why;
  for (const Pages::Page& page : pages.list) {
    labels.push_back(tr(page.label));
    why.push_back(tr(page.why));
  }
  const int clicked = ui::segmented(look, "pages", labels.data(), static_cast<int>(labels.size()),
                                    static_cast<int>(pages.at(context)), why.data());
  name_part(context, "embeddings:pages");
  if (clicked >= 0) pages.show(context.view, pages.list[static_cast<std::size_t>(clicked)].value);
  ImGui::Dummy({0, look.px(2)});
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  draw_embedding_pages(context, look);
  if (context.view.embeddings.page == "learn") {
    const ImVec2 room = ImGui::GetContentRegionAvail();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    draw_learnt_words(context, look, std::floor(room.x / context.scale - 14), room.y / context.scale);
    ImGui::PopStyleVar();
    return;
  }
  if (!context.trace) {
    ui::words(look,
              context.error       ? ""
              : context.computing ? tr("computing …")
                                  : tr("Nothing is computed yet."),
              look.theme.secondary, 15);
    return;
  }
  if (context.view.embeddings.page == "one-hot") {
    const ImVec2 there = ImGui::GetContentRegionAvail();
    return draw_one_hot(context, look, std::floor(there.x / context.scale - 14), there.y / context.scale);
  }
  std::string error;
  const SharedSpace shared = space_of(context, &error);
  if (!shared.space) {
    ui::words(look, error.empty() ? tr("computing …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<EmbeddingsTransient>();
  own.pointing = -1;
  const Page page{context, look, shared, own};
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  draw_columns(page, std::floor(room.x / context.scale - 14), room.y / context.scale);
  ImGui::PopStyleVar();
  own.pointed = own.pointing;
}

figures::Figure calculator_figure(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const std::string sum = shared.space ? asked_sum(context, shared).text : std::string();
  const auto answer = sum.empty() ? nullptr : answer_of(context, shared, sum, nullptr);
  if (!answer || answer->nearest.empty()) return {};
  figures::NeighboursInput input = list_input(context, *shared.space, answer->nearest, 12);
  input.title = nearest_title(sum);
  return figures::neighbour_list(input, width, context.theme, context.measure);
}

figures::Figure differences_figure(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const auto two = shared.space ? comparison_of(context, shared, nullptr) : nullptr;
  if (!two) return {};
  figures::DifferencesInput input = differences_input(*two);
  input.title = tr("Two differences");
  return figures::difference_arrows(input, width, 340, context.theme, context.measure);
}

figures::Figure token_figure(const Context& context, float width) {
  if (!context.trace) return {};
  const SharedSpace shared = space_of(context, nullptr);
  const Sentence* const sentence = chosen_sentence(context);
  if (!shared.space || !sentence || sentence->tokens.empty()) return {};
  const auto at = static_cast<std::size_t>(chosen_token(context, *sentence, false));
  const auto nearest = neighbours_of(context, shared, sentence->tokens[at].id);
  if (!nearest || nearest->empty()) return {};
  figures::NeighboursInput input = list_input(context, *shared.space, *nearest, 12);
  input.title = fill(tr("Nearest to {}"), {sentence->labels[at]});
  return figures::neighbour_list(input, width, context.theme, context.measure);
}

figures::Figure with_margin(const figures::Figure& figure) {
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_view(const Context& context, float width, float height) {
  if (context.view.embeddings.page == "one-hot") return one_hot_figure(context, width, height);
  const float inner = std::min(width, 640.0f) - 32;
  if (context.view.embeddings.page == "learn") {
    const figures::Figure plane = learnt_plane_figure(context, inner, 0.75f * inner);
    return plane.items.empty() ? plane : figures::stacked({plane, learnt_loss_figure(context, inner, 240)}, 20, 16);
  }
  return figures::stacked({calculator_figure(context, inner), differences_figure(context, inner), token_figure(context, inner)},
                          24, 16);
}

}  // namespace

Entry embeddings_panel() {
  Entry entry = {"embeddings", "Embeddings", "cos(x, E_t) = x · E_t / (|x| |E_t|)", "Mikolov et al. 2013", draw, figure_of_view};
  entry.full_width = true;
  entry.job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<WordFilm>(host.busy, host.wake); };
  entry.pages = pages_of_embeddings();
  entry.pictures = {{"nearest-words", "the tokens nearest to a sum of words",
                     [](const Context& context, float width, float) {
                       return with_margin(calculator_figure(context, std::min(width, 640.0f) - 32));
                     }},
                    {"differences", "two differences of words and their cosine",
                     [](const Context& context, float width, float) {
                       return with_margin(differences_figure(context, std::min(width, 640.0f) - 32));
                     }},
                    {"nearest-tokens", "the tokens nearest to one of the sentence",
                     [](const Context& context, float width, float) {
                       return with_margin(token_figure(context, std::min(width, 640.0f) - 32));
                     }},
                    {"one-hot", "a token's one-hot vector times the embedding table", one_hot_figure},
                    {"word-plane", "words in a plane, with their ways there while word2vec learnt them",
                     [](const Context& context, float width, float) {
                       const float inner = std::min(width, 760.0f) - 32;
                       return with_margin(learnt_plane_figure(context, inner, 0.75f * inner));
                     }},
                    {"word-losses", "the losses of word vectors that are learnt", [](const Context& context, float width, float) {
                       return with_margin(learnt_loss_figure(context, std::min(width, 760.0f) - 32, 280));
                     }}};
  return entry;
}

}  // namespace headlight::panels
