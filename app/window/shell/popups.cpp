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
#include "engine/architectures/architecture.h"
#include "engine/attention/positions/position.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/insight/found_roles.h"
#include "engine/models/formula_numbers.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

// A line of a list: label, quiet words behind it, a formula as tooltip. True if chosen.
bool row(const Look& look, const std::string& id, std::string_view label, std::string_view quiet, bool selected,
         bool enabled = true, std::string_view formula = {}) {
  ImGui::PushID(id.c_str());
  ImGui::BeginDisabled(!enabled);
  const bool chosen = ImGui::Selectable("##row", selected, ImGuiSelectableFlags_NoAutoClosePopups, {look.px(320), look.px(28)});
  const ImVec2 low = ImGui::GetItemRectMin();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = low.y + look.px(28) / 2 - look.figures.line_height(14, Font::words) * look.scale / 2;
  look.figures.text(list, {low.x + look.px(8), y}, label, 14, Font::words, selected ? look.theme.selected : look.theme.text);
  if (!quiet.empty()) {
    const float w = std::min(look.figures.width(quiet, kSmall, Font::words) * look.scale, look.px(220));
    look.figures.text(list, {ImGui::GetItemRectMax().x - w - look.px(8), y + look.px(1)}, quiet, kSmall, Font::words,
                      look.theme.secondary, w + 1);
  }
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

// Why something is greyed.
void why_fixed(const Look& look, const char* why) {
  ImGui::PushTextWrapPos(look.px(340));
  words(look, why, look.theme.secondary);
  ImGui::PopTextWrapPos();
}

}  // namespace

void invalid_note(Shell& shell, const Look& look) {
  if (const Status status = validate(shell.document()); !status.ok()) {
    ImGui::PushTextWrapPos(look.px(340));
    words(look, spoken_in_window(status.error()), look.theme.wrong);
    ImGui::PopTextWrapPos();
  }
}

bool has_random_weights(const Shell& shell) {
  const Document& document = shell.document();
  if (document.model != "sandbox") return false;
  const auto& trace = shell.published().trace;
  if (document.matrices.empty() || !trace || trace->document().matrices != document.matrices) return document.matrices.empty();
  return std::any_of(trace->steps().begin(), trace->steps().end(),
                     [](const Step& step) { return step.origin == Origin::random; });
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

// The formula, for the positions of a published model with the model's own base, and with the dimensions that turn.
std::string position_formula(const positions::Entry& entry, const Document& document) {
  std::string words = tr(entry.formula.c_str());
  if (entry.id != document.position) return words;
  const auto model = stored_model_of(document);
  if (!model.ok() || !*model || !is_published(**model)) return words;
  const architectures::Architecture& a = (*model)->checkpoint->architecture;
  if (!a.rope) return words;
  const auto replace = [&](const std::string& what, double by) {
    if (const std::size_t at = words.rfind(what); at != std::string::npos) words.replace(at, what.size(), models::number(by));
  };
  if (a.rope->turned < a.head_size) replace("d_k", a.rope->exponent_width());
  replace("10000", a.rope->base);
  return words;
}

void position_popup(Shell& shell, const Look& look) {
  words(look, tr("Positions"), look.theme.text, kHeading);
  const Document& document = shell.document();
  const bool trained = document.model != "sandbox";
  for (const positions::Entry& entry : positions::registry().entries())
    if (row(look, entry.id, tr(entry.label.c_str()), entry.random && !trained ? tr("random") : "", document.position == entry.id,
            !trained || document.position == entry.id, position_formula(entry, document).c_str())) {
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
