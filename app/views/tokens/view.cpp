// The Tokens view: the sentence cut by any number of tokenizers side by side, what each way of cutting costs, one word under
// three algorithms, the price of a language, and a tokenizer in training.
#include "app/views/base/view.h"

#include <algorithm>

#include "app/session/trainer.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/tokens/pages.h"
#include "imgui.h"

namespace headlight::views {

const View& tokens_view();

namespace tokens {
namespace {

using Node = Sheet::Node;

// What the menu's field holds while it is typed into.
struct PathField {
  std::string path, error;
};

// Lines that add and remove rows.
void draw_names(const Context& context, const ui::Look& look) {
  const std::vector<std::string> chosen = token_row_names(context);
  for (const std::string& name : offered_names(context)) {
    ImGui::PushID(name.c_str());
    const bool on = std::ranges::find(chosen, name) != chosen.end();
    ImGui::PushItemFlag(ImGuiItemFlags_AutoClosePopups, false);
    if (ImGui::MenuItem(token_row_label(name).c_str(), nullptr, on, !on || chosen.size() > 1)) {
      std::vector<std::string> next = chosen;
      if (on)
        std::erase(next, name);
      else
        next.push_back(name);
      state_of(context).rows = next;
    }
    ImGui::PopItemFlag();
    ui::tooltip(look, name);
    ImGui::PopID();
  }
}

// The menu has every bundled and trained tokenizer, and a field for a file's path.
void draw_set(const Scene& scene, PathField& field) {
  const Context& context = scene.context;
  const ui::Look look = look_of(scene);
  draw_names(context, look);
  ImGui::Separator();
  ImGui::SetNextItemWidth(look.px(300));
  const bool entered =
      ui::text_input("##path", field.path, tr("path of a tokenizer's file or folder"), ImGuiInputTextFlags_EnterReturnsTrue);
  ui::tooltip(look, tr("tokenizer.json, vocab.json, vocab.txt, a .model, a .tiktoken, a .gguf, or the folder of one"));
  if ((ui::button(look, ui::labelled(tr("Add it"), "add").c_str(), 0, 28, false, !field.path.empty()) || entered) &&
      !field.path.empty()) {
    const auto opened = open_token_row(context, field.path);
    field.error = opened ? "" : spoken_in_window(opened.error());
    std::vector<std::string> next = token_row_names(context);
    if (opened && std::ranges::find(next, field.path) == next.end()) {
      next.push_back(field.path);
      state_of(context).rows = next;
      field.path.clear();
    }
  }
  ui::tooltip(look, tr("Opens it and puts it below the others"));
  if (!field.error.empty()) {
    ImGui::PushTextWrapPos(look.px(420));
    ui::words(look, field.error, look.theme.wrong, 13);
    ImGui::PopTextWrapPos();
  }
  if (state_of(context).rows.empty()) return;
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ui::labelled(tr("The usual ones"), "usual").c_str(), 0, 28)) state_of(context).rows.clear();
  ui::tooltip(look, tr("The four kinds that come with the program, and the sentence's own"));
}

Node set_menu(Sheet& sheet) {
  return sheet.menu({"set", tr("tokenizers"), std::to_string(token_row_names(sheet.scene.context).size()),
                     tr("The tokenizers side by side: those that come with the program, trained ones, and any published file"),
                     [scene = &sheet.scene, field = own_transient<PathField>(sheet.scene)] { draw_set(*scene, *field); }});
}

struct PageParts {
  std::vector<Node> (*choices)(Sheet&);
  Node (*page)(Sheet&);
  figures::Figure (*filed)(const Context&, float width, float height);
};
const PageParts& parts_of(const Context& context) {
  static const PageParts all[] = {{rows_choices, rows_page, figure_of_rows},
                                  {measured_choices, measured_page, figure_of_measured},
                                  {word_choices, word_page, figure_of_word},
                                  {languages_choices, languages_page, figure_of_languages},
                                  {training_choices, training_page, figure_of_training}};
  return all[tokens_view().shown_page(context)];
}

Node controls(Sheet& sheet) {
  Node pages = page_choice(sheet, tokens_view());
  if (pages.forms[0].wide.wished > sheet.scene.room.w) pages = page_menu(sheet, tokens_view());
  std::vector<Node> all = {std::move(pages)};
  if (state_of(sheet.scene.context).picture != "training") all.push_back(set_menu(sheet));  // training has its own choices
  for (Node& node : parts_of(sheet.scene.context).choices(sheet)) all.push_back(std::move(node));
  return Sheet::flow("controls", 10, std::move(all));
}

void add_filed(Sheet& sheet, const char* id, figures::Figure (*figure)(const Context&, float, float)) {
  sheet.picture(
      {.id = id, .picture = [context = &sheet.scene.context, figure](Size s, const Pen&) { return figure(*context, s.w, s.h); }},
      900, 600);
}

Sheet sheet_of(const Scene& scene) {
  Sheet sheet(scene);
  const PageParts& parts = parts_of(scene.context);
  if (scene.medium == sheet::Medium::file) {
    add_filed(sheet, "page", parts.filed);
    add_filed(sheet, "story", figure_of_token);
    add_filed(sheet, "language", figure_of_language);
    return sheet;
  }
  Node choices = controls(sheet);
  sheet.root = Sheet::column("tokens", {4, 8, 8}, {std::move(choices), parts.page(sheet)});
  return sheet;
}

// The training's film.
std::vector<Control> strip_controls(Context& context) {
  Trainer* const job = job_of<Trainer>(context, "tokens");
  if (state_of(context).picture != "training" || !job || job->steps() == 0) return {};
  Trainer& trainer = *job;
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

void show_training(ViewState& v) { v.own.of<State>().picture = "training"; }

}  // namespace

sheet::Node choose_one(Sheet& sheet, std::string id, std::string label, std::vector<std::string> labels, std::size_t at,
                       std::string why, std::function<void(std::size_t)> choose) {
  std::string value = at < labels.size() ? labels[at] : "";
  return sheet.menu({std::move(id), std::move(label), std::move(value), std::move(why),
                     [labels = std::move(labels), at, choose = std::move(choose)] {
                       for (std::size_t i = 0; i < labels.size(); ++i) {
                         ImGui::PushID(static_cast<int>(i));
                         if (ImGui::MenuItem(labels[i].c_str(), nullptr, i == at) && i != at) choose(i);
                         ImGui::PopID();
                       }
                     }});
}

}  // namespace tokens

const View& tokens_view() {
  using namespace tokens;
  static const View view = {
      .id = "tokens",
      .label = tr_later("Tokens"),
      .sees = tr_later("The sentence cut into pieces by four tokenizers, and a film of how such pieces are learnt"),
      .formula = "text → pieces → ids, any number of ways",
      .source = "Sennrich et al. 2016; Schuster and Nakajima 2012; Kudo 2018",
      .group = "text",
      .icon = "2,6 7,6 7,14 2,14 2,6; 9.5,6 12,6 12,14 9.5,14 9.5,6; 14.5,6 18,6 18,14 14.5,14 14.5,6",
      .pages = {{"", tr_later("side by side"), tr_later("The sentence cut by every tokenizer, aligned by character"), true,
                 "tokens-rows", "the sentence cut by every tokenizer"},
                {"measured", tr_later("measured"), tr_later("What each way of cutting costs, on the sentence or on a corpus"),
                 true, nullptr, "what each way of cutting costs"},
                {"word", tr_later("one word"), tr_later("One word under three algorithms, step by step"), true, nullptr,
                 "one word under three algorithms"},
                {"languages", tr_later("languages"), tr_later("How many more tokens each language needs"), true, nullptr,
                 "how many more tokens each language needs"},
                {"training", tr_later("training"), tr_later("A tokenizer in training, one merge at a time"), false, ""}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().picture; },
      .first = "rows",
      .sheet = sheet_of,
      .full_width = true,
      .job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<Trainer>(host.lane, host.wake); },
      .exports = {{"story", "tokens-token", "one token written out"}, {"language", "tokens-language", "what one language costs"}},
      .filed = "page",
      .controls = strip_controls,
      .offers = {{Offers::tokenizer_training, show_training}},
      .toured = {.staged = {{"training-half", show_training, [](Job& job) {
                               auto& trainer = dynamic_cast<Trainer&>(job);
                               trainer.go_to((trainer.steps() + 1) / 2);
                               return true;
                             }}}}};
  return view;
}

}  // namespace headlight::views
