// What the command palette offers: the actions, the views, every entry of every registry that the window lets one choose from,
// the languages and the examples.
#include <algorithm>
#include <cmath>

#include "app/text/error_words.h"
#include "app/views/base/view.h"
#include "app/window/commands/actions.h"
#include "app/window/commands/examples.h"
#include "app/window/commands/palette_commands.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"
#include "engine/document/presets.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::window {
using namespace ui;
namespace {

using Command = Palette::Command;

// Keeps the user's own view settings: theme, size, colours, presentation.
ViewState looked_at(const Example& example, const ViewState& person) {
  ViewState view = example.session.view;
  view.theme = person.theme;
  view.colormap = person.colormap;
  view.transposed = person.transposed;
  view.ui_scale = person.ui_scale;
  view.presentation = person.presentation;
  view.rail_folded = person.rail_folded;
  if (!example.shows_tab) view.tab = person.tab;
  return view;
}

void add_mask(Shell& shell, const masks::Entry& entry) {
  Document next = shell.document();
  const auto at = std::find_if(next.masks.begin(), next.masks.end(), [&](const Choice& c) { return c.id == entry.id; });
  if (at != next.masks.end()) {
    next.masks.erase(at);
  } else {
    Choice choice{entry.id, {}};
    for (const Parameter& parameter : entry.parameters) choice.values[parameter.id] = parameter.fallback;
    next.masks.push_back(std::move(choice));
  }
  shell.edit(std::move(next));
}

}  // namespace

std::vector<Command> palette_commands(Shell& shell) {
  std::vector<Command> out;
  const auto add = [&](const char* kind, const std::string& label, const std::string& why, std::function<void(Shell&)> run) {
    Command c;
    c.english = label;
    c.shown = tr(label.c_str());
    c.kind = tr(kind);
    c.why = tr(why.c_str());
    c.run = [&shell, run = std::move(run)] { run(shell); };
    out.push_back(std::move(c));
    return &out.back();
  };
  for (const Action& action : actions().entries()) {
    if (!action.is_for_people || action.id == "palette") continue;
    Command* c = add("", action.label, action.formula, action.run);
    c->shortcut = shortcut_words(action);
    c->enabled = is_enabled(action, shell);
  }
  for (const views::View& entry : views::registry().entries())
    add(tr_later("view"), entry.label, entry.formula, [id = entry.id](Shell& s) { s.view().tab = id; });
  for (const views::View& entry : views::registry().entries())
    for (const views::Command& command : entry.commands) {
      Command* c = add(tr_later("view"), command.label, command.why, [id = entry.id, &command](Shell& s) {
        s.view().tab = id;
        if (command.run) command.run(s.view());
        if (!command.act || !s.frame_in_progress) return;
        views::Context context = s.context(*s.frame_in_progress);
        command.act(context);
      });
      if (command.possible) c->enabled = command.possible(shell.view());
    }
  for (const views::View& entry : views::registry().entries())
    for (std::size_t i = 0; entry.has_pages() && i < entry.pages.size(); ++i) {
      const views::Page& page = entry.pages[i];
      Command* c = add(tr_later("view"), entry.label + ": " + page.label, page.why, [&entry, i](Shell& s) {
        s.view().tab = entry.id;
        entry.show(s.view(), i);
      });
      c->shown = std::string(tr(entry.label.c_str())) + ": " + tr(page.label);
    }
  if (const auto examples = load_examples(); examples.ok()) {
    for (const Example& example : *examples)
      add(tr_later("example"), example.label, example.why, [example](Shell& s) {
        s.replace({example.session.document, looked_at(example, s.view())});
      });
  } else {
    shell.say(spoken(examples.error()), true);
  }
  for (const auto& lesson : shell.player().list()) {
    // A lesson's file contains its own translations.
    const std::string& english = lessons::in_language(lesson->title, "en");
    Command* c = add(tr_later("lesson"), english, tr_later("Plays this lesson beside the view"), [id = lesson->id](Shell& s) {
      if (const Status status = s.player().start(s, id); !status.ok()) s.say(spoken(status.error()), true);
    });
    c->shown = lessons::in_language(lesson->title, shell.player().language(shell));
  }
  for (const presets::Entry& entry : presets::registry().entries())
    add(tr_later("preset"), entry.label, entry.formula, [&entry](Shell& s) {
      Document next = in_sandbox(s.document());
      entry.apply(next);
      s.edit(std::move(next));
    });
  for (const std::string& name : model_names(shell))
    add(tr_later("model"), model_label(name), tr_later("Its tokenizer, positions, masks and sizes come with it"),
        [name](Shell& s) {
          if (const Status status = choose_model(s, name); !status.ok()) s.say(spoken(status.error()), true);
        });
  for (const tokenizers::Entry& entry : tokenizers::registry().entries())
    add(tr_later("tokenizer"), entry.label, entry.formula, [id = entry.id](Shell& s) {
      Document next = in_sandbox(s.document());
      next.tokenizer = id;
      s.edit(std::move(next));
    });
  for (const masks::Entry& entry : masks::registry().entries()) {
    Command* c = add(tr_later("mask"), entry.label, entry.formula, [&entry](Shell& s) { add_mask(s, entry); });
    // The custom matrix must first be painted in the Masks tab or opened from a file.
    c->enabled = entry.id != "custom" || shell.document().custom_mask;
  }
  add(tr_later("mask"), tr_later("none"), tr_later("Every query may attend to every key"), [](Shell& s) {
    Document next = s.document();
    next.masks.clear();
    s.edit(std::move(next));
  });
  for (const positions::Entry& entry : positions::registry().entries())
    add(tr_later("positions"), entry.label, entry.formula, [id = entry.id](Shell& s) {
      Document next = in_sandbox(s.document());
      next.position = id;
      s.edit(std::move(next));
    });
  for (const figures::Theme& theme : figures::themes().entries())
    add(tr_later("theme"), theme.label, theme.formula, [id = theme.id](Shell& s) { s.view().theme = id; });
  for (const figures::Colormap& map : figures::colormaps().entries())
    if (!map.is_signed)
      add(tr_later("colours of weights"), map.label, map.formula, [id = map.id](Shell& s) { s.view().colormap = id; });
  for (const LanguageName& language : languages()) {
    add(tr_later("language"), language.label, tr_later("The language of the window's words"),
        [id = language.id](Shell& s) { s.configuration().language = id; });
    if (language.id == "zh") out.back().english = "Chinese";  // who looks for it may not be able to type its own name
  }
  return out;
}

}  // namespace headlight::window
