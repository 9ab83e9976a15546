// The Tokens view: the sentence cut by any number of tokenizers side by side, what each way of cutting costs, one word under
// three algorithms, the price of a language, and a tokenizer in training.
#include <array>

#include "app/panels/panels.h"
#include "app/panels/tokens/tokens_tab.h"
#include "app/panels/tokens/training_view.h"
#include "app/session/trainer.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

struct TokensPage {
  const char *id, *label, *why;
};
constexpr std::array kPages = {
    TokensPage{"rows", tr_later("side by side"), tr_later("The sentence cut by every tokenizer, aligned by character")},
    TokensPage{"measured", tr_later("measured"), tr_later("What each way of cutting costs, on the sentence or on a corpus")},
    TokensPage{"word", tr_later("one word"), tr_later("One word under three algorithms, step by step")},
    TokensPage{"languages", tr_later("languages"), tr_later("How many more tokens each language needs")},
    TokensPage{"training", tr_later("training"), tr_later("A tokenizer in training, one merge at a time")},
};

int page_of(const std::string& id) {
  for (std::size_t i = 0; i < kPages.size(); ++i)
    if (id == kPages[i].id) return static_cast<int>(i);
  return 0;
}

void draw_pages(Context& context, const ui::Look& look, int page) {
  std::array<const char*, kPages.size()> labels{}, why{};
  for (std::size_t i = 0; i < kPages.size(); ++i) {
    labels[i] = tr(kPages[i].label);
    why[i] = tr(kPages[i].why);
  }
  float needs = 0;
  for (const char* label : labels) needs += context.measure.width(label, 15, figures::Font::words) + 28;
  int clicked = -1;
  if (look.px(needs) <= ImGui::GetContentRegionAvail().x) {
    clicked = ui::segmented(look, "page", labels.data(), static_cast<int>(labels.size()), page, why.data());
  } else {  // a list takes less room
    auto at = static_cast<std::size_t>(page);
    if (choose_one(context, look, "page", tr("picture"), {labels.begin(), labels.end()}, at, why[at]))
      clicked = static_cast<int>(at);
  }
  name_part(context, "tokens:pages");
  if (clicked >= 0) context.view.tokens.picture = kPages[static_cast<std::size_t>(clicked)].id;
  if (page == 4) return;  // training has its own choices
  ImGui::SameLine(0, look.px(16));
  if (ImGui::GetContentRegionAvail().x < look.px(160)) ImGui::NewLine();
  draw_token_set(context, look);
  if (page != 0) return;
  const std::vector<std::string> columns = {tr("characters"), tr("bytes")};
  std::size_t at = context.view.tokens.columns == "bytes" ? 1 : 0;
  ImGui::SameLine(0, look.px(10));
  if (ImGui::GetContentRegionAvail().x < ui::pill_width(look, tr("same width"), columns[at])) ImGui::NewLine();
  if (choose_one(context, look, "columns", tr("same width"), columns, at,
                 tr("What is equally wide: a character, or a byte of it")))
    context.view.tokens.columns = at == 1 ? "bytes" : "characters";
  name_part(context, "tokens:columns");
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const int page = page_of(context.view.tokens.picture);
  if (!context.view.presentation) {
    draw_pages(context, look, page);
    if (page == 2 || page == 3)
      ImGui::SameLine(0, look.px(10));  // their own choices stand in the same line
    else
      ImGui::Dummy({0, look.px(2)});
  }
  switch (page) {
    case 1: draw_measured_page(context, look); break;
    case 2: draw_word_page(context, look); break;
    case 3: draw_languages_page(context, look); break;
    case 4: {
      const ImVec2 low = ImGui::GetCursorScreenPos();
      const float right = low.x + ImGui::GetContentRegionAvail().x;
      draw_training(context);
      if (context.parts) context.parts->add("tokens:training", low.x, low.y, right, ImGui::GetCursorScreenPos().y);
      break;
    }
    default: draw_rows_page(context, look); break;
  }
}

figures::Figure figure(const Context& context, float width, float height) {
  switch (page_of(context.view.tokens.picture)) {
    case 1: return figure_of_measured(context, width, height);
    case 2: return figure_of_word(context, width, height);
    case 3: return figure_of_languages(context, width, height);
    default: return figure_of_rows(context, width, height);
  }
}

// The training's film.
std::vector<Control> strip_controls(Context& context) {
  if (context.view.tokens.picture != "training" || !context.trainer || context.trainer->steps() == 0) return {};
  Trainer& trainer = *context.trainer;
  const std::string last = std::to_string(trainer.steps());
  return {{.id = "step",
           .label = tr("step"),
           .why = tr("One step on"),
           .value = fill(tr("{0} of {1}"), {std::to_string(trainer.step()), last}),
           .widest = fill(tr("{0} of {1}"), {last, last}),
           .at = trainer.step(),
           .count = trainer.steps() + 1,
           .step = [&trainer](std::int64_t to) { trainer.go_to(to); }},
          {.id = "play",
           .label = trainer.playing() ? tr("pause") : tr("play"),
           .why = tr("Plays the training as a film"),
           .press = [&trainer] { trainer.play(!trainer.playing()); },
           .on = trainer.playing(),
           .widest = tr("pause")}};
}

}  // namespace

Entry tokens_panel() {
  Entry entry = {"tokens",
                 "Tokens",
                 "text → pieces → ids, any number of ways",
                 "Sennrich et al. 2016; Schuster and Nakajima 2012; Kudo 2018",
                 draw,
                 figure,
                 true};
  entry.pages = pages_in([](ViewState& view) -> std::string& { return view.tokens.picture; }, {});
  for (const TokensPage& page : kPages) entry.pages.list.push_back({page.id, page.label, page.why});
  entry.controls = strip_controls;
  entry.pictures = {{"tokens-rows", "the sentence cut by every tokenizer", figure_of_rows},
                    {"tokens-token", "one token written out", figure_of_token},
                    {"tokens-measured", "what each way of cutting costs", figure_of_measured},
                    {"tokens-word", "one word under three algorithms", figure_of_word},
                    {"tokens-languages", "how many more tokens each language needs", figure_of_languages},
                    {"tokens-language", "what one language costs", figure_of_language}};
  return entry;
}

}  // namespace headlight::panels
