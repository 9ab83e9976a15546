// The Embeddings view: the tokens that are nearest to a token of the sentence, sums and differences of words, and two differences
// compared. Two further pages show a one-hot vector times the table, and learn vectors from a text.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/figures/base/stack.h"
#include "app/session/word_film.h"
#include "app/text/language.h"
#include "app/ui/text_input.h"
#include "app/views/embeddings/parts.h"
#include "imgui.h"

namespace headlight::views {

const View& embeddings_view();

namespace word_vectors {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;

sheet::Node plain_words(Sheet& sheet, const char* id, std::string text, float size, figures::Color color) {
  return shown_everywhere(sheet.words(id, std::move(text), size, color));
}

sheet::Node heading(Sheet& sheet, const char* id, std::string text) {
  return shown_everywhere(sheet.words(id, std::move(text), 17, sheet.scene.pen.theme.text, Font::words_bold));
}

sheet::Node live_field(Sheet& sheet, const char* id, std::string* text, std::string hint, std::string why, sheet::Span wide,
                       float size) {
  Part part{.id = id,
            .draw =
                [&scene = sheet.scene, label = "##" + std::string(id), text, hint = std::move(hint), size](const ui::Look& look,
                                                                                                           Size room) {
                  push_font(scene.context, Font::words, size);
                  ImGui::SetNextItemWidth(look.px(room.w));
                  ui::live_text_input(label.c_str(), *text, hint.c_str());
                  ImGui::PopFont();
                },
            .explains = std::move(why)};
  return shown_everywhere(sheet.by_hand(std::move(part), wide, 30));
}

sheet::Node waiting(Sheet& sheet, const std::string& error) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  return sheet.notice(error.empty() ? tr("computing …") : error, error.empty() ? theme.secondary : theme.wrong);
}

float room_below(const Scene& scene, float above) { return std::max(0.0f, scene.room.h - above); }

namespace {

Node page_of(Sheet& sheet, const State& state) {
  const Context& context = sheet.scene.context;
  if (state.page == "learn") return learn_page(sheet);
  if (!context.trace)
    return sheet.notice(context.error       ? ""
                        : context.computing ? tr("computing …")
                                            : tr("Nothing is computed yet."),
                        sheet.scene.pen.theme.secondary);
  if (state.page == "one-hot") return one_hot_page(sheet);
  std::string error;
  const SharedSpace shared = space_of(context, &error);
  return shared.space ? model_page(sheet, shared) : waiting(sheet, error);
}

// The shown page in a file.
figures::Figure figure_of_page(const Context& context, float width, float height) {
  const std::string& page = context.view.own.of<State>().page;
  if (page == "one-hot") return figure_of_one_hot(context, width, height);
  const float inner = std::min(width, 640.0f) - 32;
  if (page == "learn") {
    const figures::Figure plane = figure_of_plane(context, inner, 0.75f * inner);
    return plane.items.empty() ? plane : figures::stacked({plane, figure_of_losses(context, inner, 240)}, 20, 16);
  }
  return figures::stacked({figure_of_sum(context, inner), figure_of_differences(context, inner), figure_of_token(context, inner)},
                          24, 16);
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "all", .picture = [&context = scene.context](Size s, const Pen&) { return figure_of_page(context, s.w, s.h); }},
        {0, 640, kAny});
    return sheet;
  }
  sheet.root = Sheet::column("embeddings", {4, 8, 8},
                             {shown_everywhere(page_choice(sheet, embeddings_view())), page_of(sheet, scene.state<State>())});
  return sheet;
}

figures::Figure with_margin(const figures::Figure& figure) {
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}
// A picture for --what.
template <figures::Figure (*draw)(const Context&, float)>
figures::Figure alone(const Context& context, float width, float) {
  return with_margin(draw(context, std::min(width, 640.0f) - 32));
}
figures::Figure plane_alone(const Context& context, float width, float) {
  const float inner = std::min(width, 760.0f) - 32;
  return with_margin(figure_of_plane(context, inner, 0.75f * inner));
}
figures::Figure losses_alone(const Context& context, float width, float) {
  return with_margin(figure_of_losses(context, std::min(width, 760.0f) - 32, 280));
}

}  // namespace
}  // namespace word_vectors

const View& embeddings_view() {
  using namespace word_vectors;
  static const View view = {
      .id = "embeddings",
      .label = tr_later("Embeddings"),
      .sees = tr_later("Words as arrows: which are alike, and sums such as king - man + woman"),
      .formula = "cos(x, E_t) = x · E_t / (|x| |E_t|)",
      .source = "Mikolov et al. 2013",
      .group = "meaning",
      .icon = "4,16 16,7; 12,6 16,7 14.5,10.5; 4,16 8,4; 5,7 8,4 10,7.5",
      .pages = {{"", tr_later("the model's words"), tr_later("The embedding table of the shown model"), true, ""},
                {"one-hot", tr_later("one-hot times table"),
                 tr_later("Why a vector with a single 1 times a matrix is a look-up of one row"), true, ""},
                {"learn", tr_later("learn from a text"), tr_later("word2vec: the table is learnt from a text while you look on"),
                 true, ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "model",
      .sheet = sheet_of,
      .needs = {Role::embedding},
      .full_width = true,
      .job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<WordFilm>(host.busy, host.wake); },
      .filed = "all",
      .pictures = {{"nearest-words", "the tokens nearest to a sum of words", alone<figure_of_sum>},
                   {"differences", "two differences of words and their cosine", alone<figure_of_differences>},
                   {"nearest-tokens", "the tokens nearest to one of the sentence", alone<figure_of_token>},
                   {"one-hot", "a token's one-hot vector times the embedding table", figure_of_one_hot},
                   {"word-plane", "words in a plane, with their ways there while word2vec learnt them", plane_alone},
                   {"word-losses", "the losses of word vectors that are learnt", losses_alone}},
      .token = [](ViewState& v) -> std::int64_t& { return v.own.of<State>().token; },
      .target = [](ViewState& v) -> bool& { return v.own.of<State>().target; },
      .token_commands = {{tr_later("Nearest words"), [](ViewState& v, std::int64_t token, bool in_target) {
                            State& state = v.own.of<State>();
                            state.page = "model";
                            state.token = token;
                            state.target = in_target;
                          }}}};
  return view;
}

}  // namespace headlight::views
