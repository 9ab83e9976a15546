#include "app/window/commands/actions.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "app/text/error_words.h"
#include "app/views/base/view.h"
#include "app/window/shell/rail.h"
#include "app/window/shell/shell.h"
#include "app/window/shell/strip.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::window {
using namespace ui;
namespace {

// The neighbour of `current` in a registry, wrapping around at its ends; an unknown id counts as before the first.
template <class Entries>
const std::string& neighbour(const Entries& entries, const std::string& current, int step) {
  const auto n = static_cast<std::ptrdiff_t>(entries.size());
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.id == current; });
  const auto at = found == entries.end() ? -1 : found - entries.begin();
  return entries[static_cast<std::size_t>((std::max<std::ptrdiff_t>(at, step < 0 ? 0 : -1) + step + 2 * n) % n)].id;
}

void turn_tokenizer(Shell& shell, int step) {
  Document document = in_sandbox(shell.document());
  document.tokenizer = neighbour(tokenizers::registry().entries(), document.tokenizer, step);
  shell.edit(std::move(document));
}

void toggle_causal(Shell& shell) {
  Document document = shell.document();
  const auto at =
      std::find_if(document.masks.begin(), document.masks.end(), [](const Choice& choice) { return choice.id == "causal"; });
  if (at == document.masks.end())
    document.masks.push_back({"causal", {}});
  else
    document.masks.erase(at);
  shell.edit(std::move(document));
}

void another_seed(Shell& shell) {
  Document document = shell.document();
  document.seed = std::random_device()() % 1000;
  shell.edit(std::move(document));
}

void walk_heads(Shell& shell, int heads, int layers) {
  ViewState& view = shell.view();
  view.head += heads;
  view.layer += layers;
  if (const auto& trace = shell.published().trace) fit(view, *trace);
}

void zoom(Shell& shell, double factor) {
  const double now = shell.view().ui_scale > 0 ? shell.view().ui_scale : shell.display_scale();
  // Steps of an eighth keep pixels and text even.
  shell.view().ui_scale = std::clamp(std::round(now * factor * 8) / 8, 0.5, 4.0);
}

void next_view(Shell& shell, int step) { shell.view().tab = neighbour(views::registry().entries(), shell.view().tab, step); }

constexpr ImGuiKeyChord kCtrl = ImGuiMod_Ctrl, kShift = ImGuiMod_Shift, kAlt = ImGuiMod_Alt;

std::vector<Action> document_actions() {
  return {
      {"sentence",
       "Into the sentence",
       "Puts the caret at the end of the sentence, to type on",
       "document",
       {{kCtrl | ImGuiKey_L}},
       [](Shell& s) { s.ui.focus_sentence = true; },
       {}},
      {"tokenizer_next",
       "Next tokenizer",
       "Cuts the same sentence another way, to compare",
       "document",
       {{kCtrl | ImGuiKey_T}},
       [](Shell& s) { turn_tokenizer(s, 1); },
       {}},
      {"tokenizer_previous",
       "Previous tokenizer",
       "Goes back to the way of cutting before",
       "document",
       {{kCtrl | kShift | ImGuiKey_T}},
       [](Shell& s) { turn_tokenizer(s, -1); },
       {}},
      {"causal",
       "Causal mask on or off",
       "Hides the future from every query, as in a language model",
       "document",
       {{kCtrl | ImGuiKey_M}},
       toggle_causal,
       {}},
      {"seed",
       "Other random weights",
       "Draws another seed: what stays the same is the computation, what changes is chance",
       "document",
       {},
       another_seed,
       {}},
      {"undo",
       "Undo",
       "Takes the last change of the document back",
       "document",
       {{kCtrl | ImGuiKey_Z}},
       [](Shell& s) { s.undo(); },
       {},
       true},
      {"redo",
       "Redo",
       "Makes again what was taken back",
       "document",
       {{kCtrl | ImGuiKey_Y}, {kCtrl | kShift | ImGuiKey_Z}},
       [](Shell& s) { s.redo(); },
       {},
       true},
  };
}

std::vector<Action> file_actions() {
  return {
      {"open",
       "Open…",
       "A session, or a picture that carries the document that made it",
       "document",
       {{kCtrl | ImGuiKey_O}},
       [](Shell& s) { s.ask_open(); },
       {}},
      {"save",
       "Save",
       "Writes the session into its file, or asks for one",
       "document",
       {{kCtrl | ImGuiKey_S}},
       [](Shell& s) { s.save(); },
       {}},
      {"save_as",
       "Save as…",
       "Writes the session into another file, to hand it on",
       "document",
       {{kCtrl | kShift | ImGuiKey_S}},
       [](Shell& s) { s.ask_save(); },
       {}},
      {"export",
       "Export what is shown…",
       "As a picture for a page or a slide, or as numbers",
       "document",
       {{kCtrl | ImGuiKey_E}},
       [](Shell& s) { s.ask_export(); },
       has_trace},
      {"copy_numbers",
       "Copy the numbers shown",
       "To the clipboard as text, for a spreadsheet",
       "document",
       {{kCtrl | kShift | ImGuiKey_C}},
       [](Shell& s) { s.copy_shown_numbers(); },
       has_trace},
      {"copy_picture",
       "Copy the picture",
       "To the clipboard as PNG, where wl-copy or xclip is installed",
       "document",
       {},
       [](Shell& s) { s.copy_shown_picture(); },
       has_trace},
      {"page",
       "Save a page…",
       "One HTML file that any browser shows: the sentence, all heads, the selected one large, with its numbers to point at",
       "document",
       {},
       [](Shell& s) { s.ask_page(); },
       has_trace},
      {"report",
       "Save a report…",
       "A PDF of several pages with everything that the session shows",
       "document",
       {},
       [](Shell& s) { s.ask_report(); },
       has_trace},
  };
}

std::vector<Action> view_actions() {
  return {
      {"head_next",
       "Next head",
       "Another head of the same layer",
       "view",
       {{kAlt | ImGuiKey_RightArrow}},
       [](Shell& s) { walk_heads(s, 1, 0); },
       has_trace,
       true},
      {"head_previous",
       "Previous head",
       "Another head of the same layer",
       "view",
       {{kAlt | ImGuiKey_LeftArrow}},
       [](Shell& s) { walk_heads(s, -1, 0); },
       has_trace,
       true},
      {"layer_next",
       "Next layer",
       "The same head, a layer deeper",
       "view",
       {{kAlt | ImGuiKey_DownArrow}},
       [](Shell& s) { walk_heads(s, 0, 1); },
       has_trace,
       true},
      {"layer_previous",
       "Previous layer",
       "The same head, a layer before",
       "view",
       {{kAlt | ImGuiKey_UpArrow}},
       [](Shell& s) { walk_heads(s, 0, -1); },
       has_trace,
       true},
      {"tab_next",
       "Next view",
       "Another look at the same sentence",
       "view",
       {{kCtrl | ImGuiKey_PageDown}},
       [](Shell& s) { next_view(s, 1); },
       {}},
      {"tab_previous",
       "Previous view",
       "Another look at the same sentence",
       "view",
       {{kCtrl | ImGuiKey_PageUp}},
       [](Shell& s) { next_view(s, -1); },
       {}},
      {"rail",
       "Rail of views folded or unfolded",
       "Pictures instead of names, for a wider view; when presenting, shows the rail until a view is chosen",
       "view",
       {{kCtrl | ImGuiKey_B}},
       turn_rail,
       {}},
  };
}

std::vector<Action> look_actions() {
  return {
      {"transpose",
       "Transpose the pictures",
       "Keys down and queries across, or back: books draw it both ways",
       "view",
       {},
       [](Shell& s) { s.view().transposed = !s.view().transposed; },
       {}},
      {"words_together",
       "Words instead of pieces",
       "The pieces of a word as one in all maps of weights: the sum of the weights to them, the mean of those from them",
       "view",
       {},
       [](Shell& s) { s.view().words_together = !s.view().words_together; },
       {}},
      {"reset_zoom",
       "Whole picture again",
       "Ends zooming and panning of the large heatmap",
       "view",
       {},
       [](Shell& s) {
         s.view().zoom = 1;
         s.view().pan_x = s.view().pan_y = 0;
       },
       {}},
      {"pin_state",
       "Pin the present state to compare with",
       "Keeps it as A: change anything, and the Compare view shows both",
       "view",
       {{kCtrl | ImGuiKey_D}},
       [](Shell& s) { s.pin(true); },
       has_trace},
      {"unpin_state",
       "Drop the state to compare with",
       "Lets A of the Compare view go",
       "view",
       {},
       [](Shell& s) { s.pin(false); },
       [](const Shell& s) { return s.pinned().has_value(); }},
      {"inspector",
       "Inspector on or off",
       "Folds the column with the written-out numbers away, for a wider picture",
       "view",
       {{kCtrl | ImGuiKey_I}},
       [](Shell& s) { s.inspector_open() = !s.inspector_open(); },
       {}},
      {"inspector_back",
       "Back in the inspector",
       "The number that was written out before this one",
       "view",
       {{kAlt | ImGuiKey_Backspace}},
       [](Shell& s) { s.transient.visited.asked = -1; },
       {}},
      {"inspector_forward",
       "Forward in the inspector",
       "The number that was written out after this one",
       "view",
       {{kAlt | kShift | ImGuiKey_Backspace}},
       [](Shell& s) { s.transient.visited.asked = 1; },
       {}},
      {"theme",
       "Next theme",
       "Dark for projectors, light for paper and bright rooms",
       "view",
       {},
       [](Shell& s) { s.view().theme = neighbour(figures::themes().entries(), s.view().theme, 1); },
       {}},
  };
}

std::vector<Action> window_actions() {
  return {
      {"palette",
       "Command palette",
       "Everything that can be done or chosen, found by typing a few letters of it",
       "window",
       {{kCtrl | ImGuiKey_P}},
       [](Shell& s) { s.palette.ask(); },
       {}},
      {"shortcuts",
       "Shortcuts",
       "This list of keys",
       "window",
       {{ImGuiKey_F1}},
       [](Shell& s) { s.ui.sheet_open = !s.ui.sheet_open; },
       {}},
      {"glossary",
       "Glossary",
       "All terms with a dotted line under them, and what they mean",
       "window",
       {},
       [](Shell& s) { s.ui.glossary.open = !s.ui.glossary.open; },
       {}},
      {"presentation",
       "Presentation mode on or off",
       "Large type, high contrast and nothing but the picture, for the projector",
       "window",
       {{ImGuiKey_F11}},
       [](Shell& s) { s.view().presentation = !s.view().presentation; },
       {}},
      {"strip",
       "Strip at the lower edge on or off",
       "While presenting: the view's pages, layer and head, all heads small, and its controls; the mouse at the lower edge shows "
       "it, too",
       "window",
       {{ImGuiKey_F8}},
       turn_strip,
       [](const Shell& s) { return s.view().presentation; }},
      {"lessons",
       "Lessons",
       "A few minutes each, played beside the view; or one of your own",
       "window",
       {{kCtrl | kShift | ImGuiKey_L}},
       [](Shell& s) {
         s.view().presentation = false;  // the menu opens at a button that presentation mode hides
         s.player().menu_wanted = true;
       },
       {}},
      {"write_lesson",
       "Write a lesson",
       "Records what you show, step by step, as a lesson to play and to share",
       "window",
       {},
       [](Shell& s) { s.recorder().open(s); },
       {}},
      {"region_next",
       "Next part of the window",
       "Moves the keyboard on: sentence, pickers, rail, view, inspector",
       "window",
       {{ImGuiKey_F6}},
       [](Shell& s) { s.turn_region(1); },
       {}},
      {"region_previous",
       "Previous part of the window",
       "Moves the keyboard back",
       "window",
       {{kShift | ImGuiKey_F6}},
       [](Shell& s) { s.turn_region(-1); },
       {}},
  };
}

// Hide, guess, reveal.
std::vector<Action> guess_actions() {
  using figures::Hides;
  const auto about = [](const char* id, const char* label, const char* formula, void (*run)(Shell&)) {
    return Action{id, label, formula, "window", {}, run, has_trace};
  };
  return {
      {"guess",
       "Hide, guess, reveal",
       "Covers the picture or the predicted words, for a class to guess; again reveals; 1 to 9 count the guesses, 0 forgets them",
       "window",
       {{ImGuiKey_F9}},
       guess,
       has_trace,
       false,
       true,
       true},
      {"guess_next",
       "Cover something else",
       "The picture, the numbers, the names, the predicted words, which head it is",
       "window",
       {{kShift | ImGuiKey_F9}},
       guess_next,
       has_trace,
       false,
       true,
       true},
      about("guess_picture", "Guess: the picture", "Covers cells, arcs and bars: where is it brightest?",
            [](Shell& s) { guess_about(s, Hides::picture); }),
      about("guess_numbers", "Guess: the numbers", "Every number is a question mark; the colours stay",
            [](Shell& s) { guess_about(s, Hides::numbers); }),
      about("guess_names", "Guess: the names", "Covers the tokens beside rows and columns: which is which?",
            [](Shell& s) { guess_about(s, Hides::names); }),
      about("guess_predictions", "Guess: the predicted words",
            "Covers the words that the model expects, and leaves their chances",
            [](Shell& s) { guess_about(s, Hides::predictions); }),
      about("guess_head", "Guess: which head", "Covers the small pictures, titles and roles, and leaves the large picture",
            [](Shell& s) { guess_about(s, Hides::head); }),
      {"guess_reset",
       "Guess: forget the guesses",
       "Counts from nothing again, and takes the marks off the picture",
       "window",
       {},
       forget_votes,
       [](const Shell& s) { return s.ui.guess.on(); }},
      {"guess_end",
       "Guess: end",
       "Uncovers everything and forgets the guesses (Escape)",
       "window",
       {},
       end_guess,
       [](const Shell& s) { return s.ui.guess.on(); }},
  };
}

std::vector<Action> size_actions() {
  return {
      {"larger",
       "Larger",
       "Everything larger, for the back of the room",
       "window",
       {{kCtrl | ImGuiKey_Equal}, {kCtrl | kShift | ImGuiKey_Equal, false}, {kCtrl | ImGuiKey_KeypadAdd, false}},
       [](Shell& s) { zoom(s, 1.13); },
       {},
       true},
      {"smaller",
       "Smaller",
       "Everything smaller, so that more fits",
       "window",
       {{kCtrl | ImGuiKey_Minus}, {kCtrl | ImGuiKey_KeypadSubtract, false}},
       [](Shell& s) { zoom(s, 1 / 1.13); },
       {},
       true},
      {"size",
       "Size as the display says",
       "Back to the display's own size",
       "window",
       {{kCtrl | ImGuiKey_0}},
       [](Shell& s) { s.view().ui_scale = 0; },
       {}},
      {"motion",
       "Reduce motion on or off",
       "Nothing moves by itself: each change is shown at once",
       "window",
       {},
       [](Shell& s) { s.configuration().reduce_motion = !s.configuration().reduce_motion; },
       {}},
      {"quit",
       "Quit",
       "What was done is saved and there again next time",
       "window",
       {{kCtrl | ImGuiKey_Q}},
       [](Shell& s) { s.wants_quit = true; },
       {}},
      {"shaders",
       "Read the shaders again",
       "From the folder HEADLIGHT_SHADER_DIR, for whoever works on them",
       "window",
       {{ImGuiKey_F5}},
       [](Shell& s) {
         const Status status = s.frame_in_progress->figures.reload_shaders();
         s.say(status.ok() ? tr("shaders read again") : spoken(status.error()), !status.ok());
       },
       [](const Shell& s) { return std::getenv("HEADLIGHT_SHADER_DIR") && s.frame_in_progress && s.frame_in_progress->has_gl; },
       false,
       false},
  };
}

std::string name_of(ImGuiKey key) {
  switch (key) {
    case ImGuiKey_Equal: return "plus";
    case ImGuiKey_Minus: return "minus";
    case ImGuiKey_LeftArrow: return "Left";
    case ImGuiKey_RightArrow: return "Right";
    case ImGuiKey_UpArrow: return "Up";
    case ImGuiKey_DownArrow: return "Down";
    default: return ImGui::GetKeyName(key);
  }
}

}  // namespace

bool has_trace(const Shell& shell) { return shell.published().trace != nullptr; }

const Registry<Action>& actions() {
  static const Registry<Action> all("action", [] {
    std::vector<Action> list;
    for (auto part : {document_actions(), file_actions(), view_actions(), look_actions(), picture_actions(), trained_actions(),
                      window_actions(), guess_actions(), size_actions()})
      for (Action& action : part) list.push_back(std::move(action));
    return list;
  }());
  return all;
}

std::string key_words(ImGuiKeyChord chord) {
  std::string out;
  if (chord & ImGuiMod_Ctrl) out += "Ctrl+";
  if (chord & ImGuiMod_Alt) out += "Alt+";
  if (chord & ImGuiMod_Shift) out += "Shift+";
  return out + name_of(static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_));
}

std::string shortcut_words(const Action& action) {
  std::string out;
  for (const Key& key : action.keys)
    if (key.listed) out += (out.empty() ? "" : ", ") + key_words(key.chord);
  return out;
}

Document in_sandbox(Document document) {
  if (document.model == "sandbox") return document;
  document.model = "sandbox";
  document.interventions.clear();  // they were for the trained model
  return document;
}

bool is_enabled(const Action& action, const Shell& shell) { return !action.enabled || action.enabled(shell); }

}  // namespace headlight::window
