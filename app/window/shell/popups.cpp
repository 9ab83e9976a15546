#include "app/window/shell/popups.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/figures/base/compose.h"
#include "app/session/translator.h"
#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/window/shell/shell.h"
#include "engine/attention/positions/position.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/insight/found_roles.h"
#include "engine/models/architectures/architecture.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kModelRow = 368;  // of the list of models, which says what each is for

// A line of a list: label, quiet words behind it, a formula as tooltip; `below`: quiet words on the lines below. True if chosen.
bool row(const Look& look, const std::string& id, std::string_view label, std::string_view quiet, bool selected,
         bool enabled = true, std::string_view formula = {}, std::string_view below = {}) {
  ImGui::PushID(id.c_str());
  ImGui::BeginDisabled(!enabled);
  const float wide = below.empty() ? 320 : kModelRow, line = look.figures.line_height(kSmall, Font::words) + 1;
  const std::vector<std::string> more =
      below.empty() ? std::vector<std::string>() : figures::wrap(below, wide - 16, kSmall, Font::words, look.figures);
  const bool chosen = ImGui::Selectable("##row", selected, ImGuiSelectableFlags_NoAutoClosePopups,
                                        {look.px(wide), look.px(28 + line * static_cast<float>(more.size()))});
  const ImVec2 low = ImGui::GetItemRectMin();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = low.y + look.px(28) / 2 - look.figures.line_height(14, Font::words) * look.scale / 2;
  look.figures.text(list, {low.x + look.px(8), y}, label, 14, Font::words, selected ? look.theme.selected : look.theme.text);
  if (!quiet.empty()) {
    const float w = std::min(look.figures.width(quiet, kSmall, Font::words) * look.scale, look.px(220));
    look.figures.text(list, {ImGui::GetItemRectMax().x - w - look.px(8), y + look.px(1)}, quiet, kSmall, Font::words,
                      look.theme.secondary, w + 1);
  }
  for (std::size_t i = 0; i < more.size(); ++i)
    look.figures.text(list, {low.x + look.px(8), low.y + look.px(24 + line * static_cast<float>(i))}, more[i], kSmall,
                      Font::words, look.theme.secondary, look.px(wide - 8));
  ImGui::EndDisabled();
  tooltip(look, formula);
  ImGui::PopID();
  return chosen;
}

const char* why_backend(const std::string& id) {
  if (id == "reference") return tr("Plain loops in double precision: slow, and what the others are checked against");
  if (id == "cpu") return tr("All cores of the processor, in single precision");
  return tr("A graphics card; what it cannot do is done on the processor");
}

// Null where it cannot be opened, which the document's error says.
std::shared_ptr<const StoredModel> stored_model_named(const std::string& name) {
  const auto model = open_stored_model(name);
  return model.ok() ? *model : nullptr;
}

void invalid_note(Shell& shell, const Look& look) {
  if (const Status status = validate(shell.document()); !status.ok()) {
    ImGui::PushTextWrapPos(look.px(340));
    words(look, spoken_in_window(status.error()), look.theme.wrong);
    ImGui::PopTextWrapPos();
  }
}

// Why something is greyed.
void why_fixed(const Look& look, const char* why) {
  ImGui::PushTextWrapPos(look.px(340));
  words(look, why, look.theme.secondary);
  ImGui::PopTextWrapPos();
}

}  // namespace

bool has_random_weights(const Shell& shell) {
  const Document& document = shell.document();
  if (document.model != "sandbox") return false;
  const auto& trace = shell.published().trace;
  if (document.matrices.empty() || !trace || trace->document().matrices != document.matrices) return document.matrices.empty();
  return std::any_of(trace->steps().begin(), trace->steps().end(),
                     [](const Step& step) { return step.origin == Origin::random; });
}

// The models that were saved in the window or fetched, in alphabetical order. A fetch that goes on has a name with a dot.
std::vector<std::string> own_models() {
  std::vector<std::string> folders;
  std::error_code none;
  for (const auto& item : std::filesystem::directory_iterator(models_path(), none))
    if (item.path().filename().string().front() != '.' && architectures::is_checkpoint(item.path()))
      folders.push_back(item.path().string());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// What a model does.
std::string purpose_of(const StoredModel& model) {
  if (!model.predicts) return tr("attention and vectors alone");
  if (model.task == ModelTask::encoder) return tr("fills in hidden words");
  if (model.task == ModelTask::decoder) return tr("continues a text");
  if (model.language.empty() || model.target_language.empty()) return tr("translates");
  return fill(tr("translates {} into {}"), {tr(model.language.c_str()), tr(model.target_language.c_str())});
}

// What is said below a model's name.
std::string description_of(const StoredModel& model) {
  if (!model.trained_on.empty()) return fill(tr("Trained on {}."), {tr(model.trained_on.c_str())});
  if (!is_published(model)) return tr("trained");
  const architectures::Architecture& a = model.checkpoint->architecture;
  return fill(tr("{}, {} layers of {} heads"), {a.label, std::to_string(a.layers), std::to_string(a.heads)});
}

// The sandbox, the bundled models and one's own, as their names are too long to stand side by side: each with what it is for.
std::vector<std::string> model_names() {
  std::vector<std::string> names = find_field("model")->parameter.choices;
  for (std::string& folder : own_models()) names.push_back(std::move(folder));
  return names;
}

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
  view.heads.chosen.clear();
  view.pinned_row = view.pinned_column = -1;
}

Status choose_model(Shell& shell, const std::string& name) {
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

void model_list(Shell& shell, const Look& look) {
  const Field& field = *find_field("model");
  std::string current = shell.document().model;
  std::vector<std::string> names = model_names();
  // A document may name one's own model by its name alone.
  if (const std::string own = (models_path() / current).string(); std::find(names.begin(), names.end(), own) != names.end())
    current = own;
  if (names.size() < 2) return;                                                                 // nothing to choose
  if (std::find(names.begin(), names.end(), current) == names.end()) names.push_back(current);  // a folder
  for (const std::string& name : names) {
    const bool sandbox = name == "sandbox";
    const auto stored = sandbox ? nullptr : stored_model_named(name);
    const std::string learnt =
        stored && !stored->trained_on.empty() ? fill(tr("Trained on {}."), {tr(stored->trained_on.c_str())}) : "";
    const std::string purpose = sandbox ? std::string(tr("random")) : stored ? purpose_of(*stored) : std::string();
    const std::string below = sandbox   ? std::string(tr("any size, every choice: the arithmetic"))
                              : !stored ? std::string(tr("its folder is not there"))
                                        : description_of(*stored);
    const bool chosen = row(look, name, sandbox ? tr("sandbox") : model_label(name), purpose, current == name, true,
                            learnt.empty() ? tr(field.parameter.help.c_str()) : learnt, below);
    shell.name_part("model:" + model_label(name));
    if (!chosen) continue;
    if (const Status status = choose_model(shell, name); !status.ok())
      shell.ui.draft_errors["model"] = spoken_in_window(Error(status.error().kind, status.error().what, {}, status.error().mend));
    else
      shell.ui.draft_errors.erase("model");
  }
  if (const auto error = shell.ui.draft_errors.find("model"); error != shell.ui.draft_errors.end())
    words(look, error->second, look.theme.wrong);
}

std::string model_label(const std::string& name) {
  return name.find('/') == std::string::npos ? name : std::filesystem::path(name).filename().string();
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

void size_popup(Shell& shell, const Look& look) {
  words(look, tr("Size"), look.theme.text, kHeading);
  // A model's own sizes are shown; a document that asks for others can be mended here.
  const bool fixed = shell.document().model != "sandbox" && validate(shell.document()).ok();
  ImGui::BeginDisabled(fixed);
  for (const char* id : {"layers", "heads", "d_model"}) draw_field(shell, look, id);
  ImGui::EndDisabled();
  if (fixed)
    why_fixed(look,
              tr("The model was trained with these sizes; with others its weights would have no place. The sandbox has any."));
  invalid_note(shell, look);
}

// Which of the document's tokenizers the list chooses: with a second sentence there are two.
std::string Document::*tokenizer_field(Shell& shell, const Look& look) {
  if (shell.document().targets.empty()) return &Document::tokenizer;
  const char* const labels[] = {tr("sentence"), tr("second sentence")};
  const char* const why[] = {
      tr("The tokenizer of the sentence, which the encoder reads"),
      tr("The tokenizer of the second sentence, which the decoder reads: another one gives it its own embedding table")};
  if (const int chosen = segmented(look, "whose", labels, 2, shell.ui.picks_target_tokenizer ? 1 : 0, why); chosen >= 0)
    shell.ui.picks_target_tokenizer = chosen == 1;
  return shell.ui.picks_target_tokenizer ? &Document::target_tokenizer : &Document::tokenizer;
}

void tokenizer_popup(Shell& shell, const Look& look) {
  words(look, tr("Tokenizer"), look.theme.text, kHeading);
  std::string Document::*const field = tokenizer_field(shell, look);
  const std::string current = shell.document().*field;
  // A model knows the ids of its own tokenizer alone; a document that asks for another one can be mended here.
  const bool fixed = shell.document().model != "sandbox" && validate(shell.document()).ok();
  if (fixed) {
    const auto& trace = shell.published().trace;
    const auto tokenizer = !trace || trace->document().model != shell.document().model ? nullptr
                           : field == &Document::target_tokenizer                      ? trace->target_tokenizer()
                                                                                       : trace->tokenizer();
    if (tokenizer) words(look, tokenizer->label(), look.theme.text);
    why_fixed(look, tr("The model was trained with this tokenizer: the ids of another one would mean other words to it."));
  }
  ImGui::BeginDisabled(fixed);
  const auto pick = [&](const std::string& name) {
    Document next = shell.document();
    next.*field = name;
    shell.edit(std::move(next));
  };
  if (field == &Document::target_tokenizer && row(look, "as the first", tr("as the first sentence"), {}, current.empty(), true,
                                                  tr("Both sentences are cut alike and share one embedding table")))
    pick({});
  for (const tokenizers::Entry& entry : tokenizers::registry().entries()) {
    if (row(look, entry.id, tr(entry.label.c_str()), {}, current == entry.id, true, tr(entry.formula.c_str()))) pick(entry.id);
  }
  for (const std::string& name : tokenizers::bundled_names())
    if (!tokenizers::registry().find(name) &&
        row(look, "bundled/" + name, name, tr("bundled"), current == name, true, tr("A vocabulary that came with the program")))
      pick(name);
  if (current.starts_with(tokenizers::kTrainedPrefix) || current.find('/') != std::string::npos)
    row(look, "current", current, current.starts_with(tokenizers::kTrainedPrefix) ? tr("trained here") : tr("folder"), true, true,
        tr("The tokenizer in use"));
  ImGui::EndDisabled();
  ImGui::Spacing();
  for (const char* id : {"plain", "add_begin", "add_end"}) draw_field(shell, look, id);
  // What the tokenizer's file asks for and is not done.
  const auto& shown = shell.published().trace;
  if (const auto opened = !shown                                 ? nullptr
                          : field == &Document::target_tokenizer ? shown->target_tokenizer()
                                                                 : shown->tokenizer())
    for (const Message& note : opened->notes()) words(look, spoken(note), look.theme.secondary);
  if (fixed) return;
  const bool open_folder = button(look, labelled(tr("Open a folder…"), "open folder").c_str());
  tooltip(look, tr("A tokenizer from its files: as train-tokenizer writes them, or as GPT-2's and BERT's were published"));
  if (open_folder) {
    ImGui::CloseCurrentPopup();
    shell.files.ask({FileDialog::Mode::open_folder,
                     tr("Open a tokenizer's folder"),
                     {},
                     shell.configuration().last_folder,
                     {},
                     [&shell, field](const std::filesystem::path& path) -> Status {
                       if (auto opened = tokenizers::open(path.string()); !opened.ok()) return opened.error();
                       Document next = shell.document();
                       next.*field = path.string();
                       shell.edit(std::move(next));
                       shell.configuration().last_folder = path.parent_path().string();
                       return {};
                     }});
  }
}

// What a trained model allows: its positions as they were trained, or none.
void trained_positions(Shell& shell, const Look& look) {
  bool out = leaves_out_positions(shell.document());
  if (toggle(look, labelled(tr("without positions"), "without positions").c_str(), &out)) {
    Document next = shell.document();
    leave_out_positions(next, out);
    shell.edit(std::move(next));
  }
  shell.name_part("positions:out");
  ImGui::PushTextWrapPos(look.px(340));
  words(look,
        out ? tr("The model was not trained so. No vector says any more where its token stands: but for a mask the model reads a "
                 "bag of words.")
            : tr("The model was trained with these positions; another kind would be another model. They can be left out, to see "
                 "what order means to it."),
        out ? look.theme.selected : look.theme.secondary);
  ImGui::PopTextWrapPos();
}

void position_popup(Shell& shell, const Look& look) {
  words(look, tr("Positions"), look.theme.text, kHeading);
  const Document& document = shell.document();
  const bool trained = document.model != "sandbox";
  for (const positions::Entry& entry : positions::registry().entries())
    if (row(look, entry.id, tr(entry.label.c_str()), entry.random && !trained ? tr("random") : "", document.position == entry.id,
            !trained || document.position == entry.id, tr(entry.formula.c_str()))) {
      Document next = document;
      next.position = entry.id;
      shell.edit(std::move(next));
    }
  if (trained && document.position != "none") trained_positions(shell, look);
}

void score_popup(Shell& shell, const Look& look) {
  words(look, tr("Scores"), look.theme.text, kHeading);
  draw_untrained(shell, look, {"score", "scale", "temperature"});
  draw_field(shell, look, "score");
  // The two usual scales as buttons; any number can be typed below them.
  caption(look, tr("scale"));
  const char* const labels[] = {"1/√d_k", tr("none")};
  const char* const values[] = {"sqrt", "none"};
  const std::string& scale = shell.document().scale;
  const int at = scale == "sqrt" ? 0 : scale == "none" ? 1 : -1;
  const char* const why[] = {tr("Divides by the square root of d_k: long vectors would make large scores and a softmax that sees "
                                "only one key"),
                             tr("The dot product as it is: watch the weights become sharp")};
  if (const int chosen = segmented(look, "scales", labels, 2, at, why); chosen >= 0) {
    Document next = shell.document();
    next.scale = values[chosen];
    shell.ui.draft_errors.erase("scale");
    shell.edit(std::move(next));
  }
  draw_field(shell, look, "scale");
  draw_field(shell, look, "temperature");
  ImGui::PushTextWrapPos(look.px(340));
  words(look,
        tr("The scores are multiplied by the scale; the softmax divides by the temperature: above 1 it is flatter, below 1 "
           "sharper."),
        look.theme.secondary);
  ImGui::PopTextWrapPos();
}

Derived::Answer<std::vector<backends::Device>> devices_here(Shell& shell) {
  return shell.derived().later<std::vector<backends::Device>>(
      DerivedKey("backends/devices"),
      [](const CancelToken&) -> Result<std::vector<backends::Device>> { return backends::devices(); });
}

void backend_popup(Shell& shell, const Look& look) {
  words(look, tr("Computed on"), look.theme.text, kHeading);
  const auto devices = devices_here(shell);
  if (!devices) {
    words(look, tr("asking the drivers"), look.theme.secondary);
    shell.frame_in(0.1);
    return;
  }
  for (const backends::Device& device : *devices.value) {
    if (row(look, device.id, device.id, device.available ? device_words(device.label) : std::string(tr("not available")),
            shell.document().backend == device.id, device.available, why_backend(device.id))) {
      Document next = shell.document();
      next.backend = device.id;
      shell.edit(std::move(next));
    }
    if (!device.available && !device.why.empty()) {
      ImGui::PushTextWrapPos(look.px(340));
      words(look, spoken(device.why), look.theme.secondary);
      ImGui::PopTextWrapPos();
    }
  }
  draw_device_check(shell, look, *devices.value);
}

}  // namespace headlight::window
