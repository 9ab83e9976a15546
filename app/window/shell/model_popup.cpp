// The popup under the first picker: the list of models by group, with getting and removing, and the sandbox's choices.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/session/model_shelf.h"
#include "app/session/translator.h"
#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/next_place.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/architectures/architecture.h"
#include "engine/core/byte_words.h"
#include "engine/core/user_folder.h"
#include "engine/document/stored_model.h"
#include "engine/insight/found_roles.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;
using Group = ListedModel::Group;

constexpr float kFirstLine = 28, kBelow = 17;  // points: a row's first line, and each line below it
constexpr float kWordsAt = 176, kHeadsEnd = 196, kSizeEnd = 118, kStateEnd = 8;  // the columns; the last three from the right

// Of a model that has just been chosen, the head that is worth being seen first; where none has a role, the view stays.
void show_telling_head(Shell& shell) {
  if (shell.document().model == "sandbox") return;
  const auto model = open_stored_model(shell.document().model);
  if (!model.ok()) return;
  const auto measured = open_measured_heads(**model);
  const HeadScores* const head = measured.ok() && *measured ? telling_head(**measured) : nullptr;
  if (!head) return;
  ViewState& view = shell.view();
  view.site = head->site == "cross"     ? "decoder.cross."
              : head->site == "encoder" ? "encoder."
              : head->site == "decoder" ? "decoder."
                                        : "";
  view.layer = head->layer;
  view.head = head->head;
  view.chosen_heads.clear();
  view.pinned_row = view.pinned_column = -1;
}

// Makes an open model the document's; one that is not open yet is opened meanwhile.
Status take_model(Shell& shell, const std::string& name) {
  Document next = shell.document();
  HL_TRY(find_field("model")->set(next, {name}));
  // A model that translates begins with its own translation, where no other second sentence was typed.
  if (translates(next))
    shell.view().translates = next.targets.empty() || shell.view().translates;
  else if (shell.view().translates || name != "sandbox")
    next.targets.clear();  // it was the other model's, or this one reads one sentence
  const std::string before = shell.document().model;
  shell.edit(std::move(next));
  if (shell.document().model != before) show_telling_head(shell);
  return {};
}

std::string megabytes(std::uint64_t bytes) { return byte_words(static_cast<double>(bytes)); }

// "30 × 9 over 3": layers, and query heads over key heads.
std::string heads_words(const checkpoints::FoundModel& model) {
  if (model.layers <= 0 || model.heads <= 0) return {};
  std::string sizes = std::to_string(model.layers) + " \xC3\x97 " + std::to_string(model.heads);
  if (model.kv_heads <= 0 || model.kv_heads == model.heads) return sizes;
  return fill(tr("{} over {}"), {sizes, std::to_string(model.kv_heads)});
}

std::string purpose_of(const ListedModel& model) {
  if (!model.predicts) return tr("attention and vectors alone");
  if (model.task == ModelTask::encoder) return tr("fills in hidden words");
  if (model.task == ModelTask::decoder) return tr("continues a text");
  if (model.language.empty() || model.target_language.empty()) return tr("translates");
  return fill(tr("translates {} into {}"), {tr(model.language.c_str()), tr(model.target_language.c_str())});
}

// "Llama · continues a text"; a bundled model's architecture is Headlight's own.
std::string words_of(const ListedModel& model) {
  if (model.id == "sandbox") return tr("random");
  if (!model.is_known || model.group == Group::bundled || model.family.empty() || model.family == "headlight")
    return model.is_known ? purpose_of(model) : model.family;
  return model.family + " \xC2\xB7 " + purpose_of(model);
}

// A folder as a person writes it: "~/.cache/…".
std::string short_path(const std::filesystem::path& path) {
  const std::string home = environment("HOME"), whole = path.string();
  return !home.empty() && whole.starts_with(home + "/") ? "~" + whole.substr(home.size()) : whole;
}

// What stands below a model's name.
std::string words_below(const ListedModel& model) {
  if (model.id == "sandbox") return tr("any size, every choice: the arithmetic");
  if (!model.is_known) return fill(tr("cannot be opened: its architecture is not known; known are {}"), {known_families()});
  if (!model.trained_on.empty()) {
    const char* const good = views::good_for_filling(model.id);
    return fill(tr("Trained on {}."), {tr(model.trained_on.c_str())}) + (good ? std::string(" ") + tr(good) : "");
  }
  if (model.group == Group::get)
    return (model.model.license.empty() ? "" : model.model.license + " \xC2\xB7 ") + tr(model.good_for.c_str());
  if (model.group == Group::own) return model.title.empty() ? short_path(model.model.path) : model.title;
  return model.model.place + "  " + short_path(model.model.path);
}

// Whether what the model does has room in its column.
bool words_fit(const Look& look, const ListedModel& model, float width) {
  const float heads = look.figures.width(heads_words(model.model), kSmall, Font::words) * look.scale;
  const float words = look.figures.width(words_of(model), kSmall, Font::words) * look.scale;
  return words <= width - look.px(kHeadsEnd + 12 + kWordsAt) - heads &&
         look.figures.width(model.model.name, 14, Font::words) <= kWordsAt - 16;
}

// The first line of a row, in its columns.
void draw_words(const Look& look, const ListedModel& model, ImVec2 low, float width, bool current, bool has_button) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = low.y + std::round((look.px(kFirstLine) - look.figures.line_height(14, Font::words) * look.scale) / 2);
  const float small = y + look.px(1);
  const figures::Color quiet = look.theme.secondary;
  const bool in_columns = words_fit(look, model, width);
  const auto right = [&](const std::string& text, float end, figures::Color color) {
    const float wide = std::min(look.figures.width(text, kSmall, Font::words) * look.scale, look.px(kSizeEnd - kStateEnd - 10));
    look.figures.text(list, {low.x + width - look.px(end) - wide, small}, text, kSmall, Font::words, color, wide + 1);
  };
  look.figures.text(list, {low.x + look.px(8), y}, model.id == "sandbox" ? tr("sandbox") : model.model.name, 14, Font::words,
                    current          ? look.theme.selected
                    : model.is_known ? look.theme.text
                                     : quiet,
                    in_columns ? look.px(kWordsAt - 16) : width - look.px(kSizeEnd + 80));
  if (in_columns) {
    look.figures.text(list, {low.x + look.px(kWordsAt), small}, words_of(model), kSmall, Font::words, quiet);
    right(heads_words(model.model), kHeadsEnd, quiet);
  }
  if (model.model.bytes > 0) right(megabytes(model.model.bytes), kSizeEnd, quiet);
  if (!has_button) right(current ? tr("open now") : model.model.license, kStateEnd, current ? look.theme.good : quiet);
}

// The lines below the first.
std::vector<std::string> lines_below(const Look& look, const ListedModel& model, float width, const std::string& opening,
                                     float kept_free) {
  std::string below = opening.empty() ? words_below(model) : opening;
  if (opening.empty() && !words_fit(look, model, width)) {
    const std::string heads = heads_words(model.model);
    below = words_of(model) + (heads.empty() ? "" : " \xC2\xB7 " + heads) + (below.empty() ? "" : " \xC2\xB7 ") + below;
  }
  if (below.empty()) return {};
  return figures::wrap(below, width / look.scale - 16 - kept_free, kSmall, Font::words, look.figures);
}

void draw_below(const Look& look, ImVec2 low, float width, int line, std::string_view text, figures::Color color) {
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {low.x + look.px(8), low.y + look.px(kFirstLine - 3 + kBelow * static_cast<float>(line))}, text, kSmall,
                    Font::words, color, width - look.px(16));
}

// A button at the row's right end; the cursor stays.
bool row_button(Shell& shell, const Look& look, const std::string& label, const std::string& part, ImVec2 low, float width,
                float top, bool enabled, const char* why) {
  constexpr float kWide = 92, kHigh = 22;
  const ImVec2 before = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({low.x + width - look.px(kStateEnd + kWide), low.y + look.px(top)});
  const bool clicked = button(look, labelled(label.c_str(), part.c_str()).c_str(), look.px(kWide), kHigh, false, enabled);
  shell.name_part(part);
  tooltip(look, why);
  ImGui::SetCursorScreenPos(before);
  return clicked && enabled;
}

// "48 of 98 MB, 12 s left" and a bar.
void draw_fetching(const Look& look, const ModelShelf::Progress& fetching, ImVec2 low, float width, int line) {
  const float track = look.px(kWordsAt), free = kStateEnd + 104;
  std::string text = tr("asking pip");
  if (fetching.done > 0) {
    text = fill(tr("{} of {}"), {megabytes(fetching.done), megabytes(fetching.total)});
    const double left = fetching.seconds * (1 / std::max(fetching.share(), 1e-6) - 1);
    if (fetching.seconds > 2 && fetching.share() < 1)
      text += ", " + fill(tr("{} s left"), {std::to_string(static_cast<long>(std::ceil(left)))});
    if (fetching.share() >= 1) text = tr("checking its sum");
  }
  draw_below(look, low, width, line, text, look.theme.text);
  const float begin = low.x + track + look.px(32), end = low.x + width - look.px(free), half = look.px(3);
  const float middle = low.y + look.px(kFirstLine + 5 + kBelow * static_cast<float>(line));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (end <= begin) return;
  list.AddRectFilled({begin, middle - half}, {end, middle + half}, gl::packed(look.theme.raised), half);
  const auto share = static_cast<float>(std::min(1.0, fetching.share()));
  if (share > 0)
    list.AddRectFilled({begin, middle - half}, {begin + (end - begin) * share, middle + half}, gl::packed(look.theme.info), half);
}

// The line that asks whether a fetched model is to be removed.
void draw_removing(Shell& shell, const Look& look, const ListedModel& model) {
  ImGui::Dummy({look.px(1), look.px(2)});
  ImGui::Indent(look.px(8));
  ImGui::PushTextWrapPos(look.px(640));
  words(look, fill(tr("Remove {} from this machine? {} become free."), {model.model.name, megabytes(model.model.bytes)}),
        look.theme.text);
  ImGui::PopTextWrapPos();
  if (button(look, labelled(tr("Remove"), "remove it").c_str(), 0, 26)) {
    shell.ui.removing_model.clear();
    shell.models().remove(model.model.name);
  }
  shell.name_part("model:remove it");
  tooltip(look, tr("Deletes the fetched files. It can be fetched again."));
  ImGui::SameLine();
  if (button(look, labelled(tr("Keep it"), "keep it").c_str(), 0, 26)) shell.ui.removing_model.clear();
  tooltip(look, tr("Leaves the model where it is"));
  ImGui::Unindent(look.px(8));
}

// What can be done with one's own and with one to be had, beside what its row is for.
void draw_row_buttons(Shell& shell, const Look& look, const ListedModel& model, ImVec2 low, float width, bool current,
                      int lines) {
  const std::string& name = model.model.name;
  const auto fetching = shell.models().fetching();
  if (model.group == Group::own && model.fetched &&
      row_button(shell, look, tr("Remove…"), "remove:" + name, low, width, kFirstLine - 4, !current,
                 current ? tr("It is open now: open another model first") : tr("Removes the fetched model from this machine")))
    shell.ui.removing_model = name;
  if (model.group != Group::get) return;
  if (fetching && fetching->name == name) {
    draw_fetching(look, *fetching, low, width, lines);
    if (row_button(shell, look, tr("Cancel"), "cancel:" + name, low, width, kFirstLine + kBelow * static_cast<float>(lines) - 8,
                   true, tr("Ends the download; nothing of it stays")))
      shell.models().cancel();
    return;
  }
  const bool clicked = row_button(shell, look, tr("Get…"), "get:" + name, low, width, 4, !fetching,
                                  fetching ? tr("Another model is being fetched")
                                           : tr("Fetches it with pip and checks it, in the background; the window stays free"));
  if (clicked) get_model(shell, name);
}

// One row of the list. True if it is to be opened.
bool draw_model(Shell& shell, const Look& look, const ListedModel& model, bool current) {
  const auto fetching = shell.models().fetching();
  const bool being_fetched = model.group == Group::get && fetching && fetching->name == model.model.name;
  const auto opened = shell.models().opening();
  const bool opening = opened && !model.id.empty() && (opened->name == model.id || opened->name == model.model.name);
  const float width = ImGui::GetContentRegionAvail().x;
  const bool has_button = model.group == Group::get;
  const std::vector<std::string> below =
      lines_below(look, model, width, opening ? opening_words(*opened) : std::string(), model.fetched ? 104 : 0);
  const auto lines = static_cast<int>(below.size());
  const float height = look.px(kFirstLine + kBelow * static_cast<float>(lines + (being_fetched ? 1 : 0)) + 2);
  ImGui::PushID((std::string(name_of(model.group)) + model.model.place + model.model.name + model.id).c_str());
  const ImVec2 low = ImGui::GetCursorScreenPos();
  bool chosen = false;
  ImGui::SetNextItemAllowOverlap();  // of the row's button
  if (model.group == Group::get) {
    ImGui::Dummy({width, height});
  } else {
    ImGui::BeginDisabled(!model.is_known);
    chosen = ImGui::Selectable("##model", current, ImGuiSelectableFlags_NoAutoClosePopups, {width, height});
    ImGui::EndDisabled();
    tooltip(look, tr(find_field("model")->parameter.help.c_str()), model.model.path.string());
  }
  shell.name_part("model:" + model.model.name);
  draw_words(look, model, low, width, current, has_button);
  for (int i = 0; i < lines; ++i)
    draw_below(look, low, width, i, below[static_cast<std::size_t>(i)],
               !model.is_known ? look.theme.wrong
               : opening       ? look.theme.selected
                               : look.theme.secondary);
  draw_row_buttons(shell, look, model, low, width, current, lines);
  if (model.group == Group::own && shell.ui.removing_model == model.model.name) draw_removing(shell, look, model);
  if (const auto error = shell.ui.model_errors.find(model.model.name); error != shell.ui.model_errors.end()) {
    ImGui::Indent(look.px(8));
    words(look, error->second, look.theme.wrong);
    ImGui::Unindent(look.px(8));
  }
  ImGui::PopID();
  return chosen;
}

// The sandbox and the bundled models are known at once; the others when the list has been read.
std::vector<ListedModel> models_of(const Shell& shell) {
  std::vector<ListedModel> all;
  ListedModel sandbox;
  sandbox.group = Group::bundled;
  sandbox.id = sandbox.model.name = "sandbox";
  all.push_back(std::move(sandbox));
  if (const auto list = shell.models().list()) all.insert(all.end(), list->begin(), list->end());
  return all;
}

// The document's model, if the list lacks it: a folder or file that was opened.
ListedModel opened_elsewhere(const std::string& name) {
  ListedModel out;
  out.group = Group::own;
  out.id = name;
  out.model.name = model_label(name);
  out.model.path = name;
  const auto model = open_stored_model(name);
  if (!model.ok()) {
    out.title = tr("its folder is not there");
    return out;
  }
  out.task = (*model)->task;
  out.predicts = (*model)->predicts;
  out.trained_on = (*model)->trained_on;
  out.model.layers = (*model)->document.layers;
  out.model.heads = out.model.kv_heads = (*model)->document.heads;
  if (!is_published(**model)) return out;
  out.family = (*model)->checkpoint->architecture.label;
  out.model.kv_heads = (*model)->checkpoint->architecture.kv_heads;
  return out;
}

const char* title_of(Group group) {
  switch (group) {
    case Group::bundled: return tr("With Headlight: small, trained for the lessons");
    case Group::own: return tr("Your own");
    case Group::found: return tr("Found on this machine");
    case Group::get: return tr("To be had: nothing is fetched unasked");
  }
  return "";
}

// Shown among many: of what was typed, a name, family or folder has each word.
bool is_wanted(const ListedModel& model, const std::string& typed) {
  const auto lower = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  return lower(model.model.name + " " + model.family + " " + model.model.place + " " + model.model.path.string())
             .find(lower(typed)) != std::string::npos;
}

void model_list(Shell& shell, const Look& look) {
  if (ImGui::IsWindowAppearing()) {
    shell.models().read();
    shell.ui.model_filter.clear();
    shell.ui.removing_model.clear();
  }
  std::string current = shell.document().model;
  std::vector<ListedModel> all = models_of(shell);
  const auto has = [&](const std::string& id) {
    return std::any_of(all.begin(), all.end(), [&](const ListedModel& one) { return one.id == id; });
  };
  // A document may name one's own model by its name alone.
  if (const std::string own = (models_path() / current).string(); has(own)) current = own;
  constexpr std::size_t kMany = 14;
  if (all.size() > kMany) {
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    live_text_input("##filter", shell.ui.model_filter, tr("name, family or folder"));
    shell.name_part("model:filter");
  }
  if (!has(current) && shell.models().list()) {
    const ListedModel elsewhere = opened_elsewhere(current);
    all.insert(std::find_if(all.begin(), all.end(), [](const ListedModel& one) { return one.group > Group::own; }), elsewhere);
  }
  std::optional<Group> shown;
  std::string chosen;
  for (const ListedModel& model : all) {
    if (all.size() > kMany && !is_wanted(model, shell.ui.model_filter)) continue;
    if (shown != model.group) {
      caption(look, title_of(model.group));
      shown = model.group;
    }
    if (draw_model(shell, look, model, model.id == current)) chosen = model.id;
  }
  if (!shell.models().list()) words(look, tr("looking for models …"), look.theme.secondary);
  if (!chosen.empty()) {
    if (const Status status = choose_model(shell, chosen); !status.ok())
      shell.ui.draft_errors["model"] = spoken_in_window(Error(status.error().kind, status.error().what, {}, status.error().mend));
    else
      shell.ui.draft_errors.erase("model");
  }
  if (const auto error = shell.ui.draft_errors.find("model"); error != shell.ui.draft_errors.end())
    words(look, error->second, look.theme.wrong);
  const bool open = button(look, labelled(tr("Open a file or folder…"), "open model").c_str(), 0, 28);
  tooltip(look,
          tr("A .gguf file, a folder with config.json and .safetensors, or a session; they can be dropped on the window, too"),
          "Ctrl+O");
  if (!open) return;
  ImGui::CloseCurrentPopup();
  shell.ask_open();
}

// How the sandbox's q, k and v are projected, and how its heads become one.
void heads_fields(Shell& shell, const Look& look) {
  const Document& document = shell.document();
  if (document.projected) {
    draw_field(shell, look, "qkv");
    ImGui::PushTextWrapPos(look.px(340));
    words(look,
          document.qkv == "one"      ? tr("Q = K = V: a token asks, answers and hands on by one projection; every word then "
                                               "resembles itself most. In cross-attention K = V.")
          : document.qkv == "shared" ? tr("K = V: what a token answers to is what it hands on; the query is projected apart.")
                                     : tr("All different: a token asks by W_Q, answers by W_K and hands on by W_V."),
          look.theme.secondary);
    ImGui::PopTextWrapPos();
  }
  draw_field(shell, look, "combiner");
  if (!has_wide_heads(document)) return;
  draw_field(shell, look, "stack_hidden");
  ImGui::PushTextWrapPos(look.px(340));
  words(look, tr("Every head is as wide as the model here: W_Q, W_K and W_V have d numbers for each head, d_k = d."),
        look.theme.secondary);
  ImGui::PopTextWrapPos();
}

}  // namespace

Status choose_model(Shell& shell, const std::string& name) {
  shell.models().forget_opening();
  shell.ui.lesson_model.clear();
  shell.ui.draft_errors.erase("model");
  if (name.find('/') == std::string::npos && opens_at_once(name)) return take_model(shell, name);
  shell.models().open(name);
  return {};
}

void get_model(Shell& shell, const std::string& name) {
  shell.ui.model_errors.erase(name);
  shell.models().get(name);
}

void take_model_news(Shell& shell) {
  // A training that was saved is a model of one's own.
  std::uint64_t saved = 0;
  for (const auto& [view, job] : shell.jobs()) saved += job ? job->models_saved() : 0;
  if (std::exchange(shell.ui.saved_models, saved) != saved) shell.models().read();
  for (ModelShelf::News& one : shell.models().take_news()) {
    using What = ModelShelf::News::What;
    const std::string label = model_label(one.name);
    if (one.what == What::session) {
      if (one.error)
        shell.take_session(one.name, *one.error);
      else
        shell.take_session(one.name, std::move(*one.session));
      continue;
    }
    if (one.error && one.error->kind == ErrorKind::cancelled) {
      shell.say(fill(tr("stopped fetching {}; nothing of it stays"), {label}));
      continue;
    }
    if (one.error) {
      if (one.what == What::opened) shell.ui.lesson_model.clear();
      (one.what == What::opened ? shell.ui.draft_errors["model"] : shell.ui.model_errors[label]) = spoken(*one.error);
      shell.say(spoken(*one.error), true);
      continue;
    }
    if (one.what == What::opened && one.name == shell.ui.lesson_model && shell.player().active()) {
      shell.ui.lesson_model.clear();
      if (const Status status = shell.player().play_on(shell, one.name); !status.ok()) shell.say(spoken(status.error()), true);
      continue;
    }
    if (one.what == What::opened) {
      if (const Status status = take_model(shell, one.name); !status.ok())
        shell.say(spoken(status.error()), true);
      else
        shell.say(fill(tr("opened {}"), {label}));
      continue;
    }
    if (one.what == What::fetched) shell.ui.offered_is_here = true;
    shell.say(one.what == What::fetched ? fill(tr("{} is here: choose it in the list of models"), {label})
                                        : fill(tr("removed {}, {}"), {label, megabytes(one.bytes)}));
    shell.models().read();
  }
}

std::string opening_words(const ModelShelf::Progress& opening) {
  const std::string name = model_label(opening.name);
  if (opening.total == 0) return fill(tr("opening {}"), {name});
  return fill(tr("opening {}, {} %"), {name, std::to_string(std::lround(100 * opening.share()))});
}

std::string model_label(const std::string& name) {
  return name.find('/') == std::string::npos ? name : std::filesystem::path(name).filename().string();
}

std::vector<std::string> model_names(const Shell& shell) {
  std::vector<std::string> names = find_field("model")->parameter.choices;
  if (const auto list = shell.models().list())
    for (const ListedModel& model : *list)
      if (model.group != Group::bundled && model.group != Group::get && model.is_known) names.push_back(model.id);
  return names;
}

void model_popup(Shell& shell, const Look& look) {
  const bool sandbox = shell.document().model == "sandbox";
  words(look, sandbox ? tr("Sandbox model") : model_label(shell.document().model), look.theme.text, kHeading);
  model_list(shell, look);
  if (has_random_weights(shell)) words(look, tr("Seeded random weights, not trained."), look.theme.selected);
  if (const std::size_t count = shell.document().matrices.size(); count > 0) {
    words(look, fill(tr("The document gives {} matrices or rows of them in numbers."), {std::to_string(count)}), look.theme.good);
    const bool dropped = button(look, labelled(tr("Draw them all"), "draw all").c_str());
    tooltip(look, tr("Takes the given matrices back: all weights are drawn from the seed again"));
    if (dropped) {
      Document next = shell.document();
      next.matrices.clear();
      shell.edit(std::move(next));
    }
  }
  if (!sandbox) {  // its layers are as they were trained
    invalid_note(shell, look);
    return;
  }
  draw_field(shell, look, "seed");
  draw_field(shell, look, "norm");
  if (shell.document().norm != "none") draw_field(shell, look, "norm_kind");
  for (const char* id : {"residual", "feed_forward", "projected", "bias"}) draw_field(shell, look, id);
  heads_fields(shell, look);
  draw_field(shell, look, "d_ff");
  if (shell.document().texts.size() > 1) draw_field(shell, look, "padding");
  invalid_note(shell, look);
}

}  // namespace headlight::window
