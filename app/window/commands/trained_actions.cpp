// Actions about trained models: what becomes of the selected head, translation.
#include "app/session/translator.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/head_switches.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/shell.h"

namespace headlight::window {
namespace {

bool has_interventions(const Shell& shell) { return !shell.document().interventions.empty(); }
bool can_translate(const Shell& shell) { return translates(shell.document()); }

void show_what_if(Shell& shell) {
  ViewState& view = shell.view();
  view.inspector.shows = view.inspector.shows == "what if" ? "numbers" : "what if";
  shell.inspector_open() = true;
}

// Changes the switches of the selected head.
template <class Change>
void switch_head(Shell& shell, Change change) {
  if (!shell.frame_in_progress || !has_trace(shell)) return;
  const views::AttentionChoice choice = views::choose_attention(shell.context(*shell.frame_in_progress));
  const auto head = address_from_text(choice.prefix() + "head." + std::to_string(choice.head));
  if (!choice.site || !head) return;
  views::HeadSwitches switches = views::switches_of(shell.document(), *head);
  change(switches);
  shell.edit(views::with_switches(shell.document(), *head, switches));
}

void take_head_out(Shell& shell) {
  using Out = views::HeadSwitches::Out;
  switch_head(shell, [](views::HeadSwitches& head) { head.out = head.out == Out::no ? Out::zero : Out::no; });
}
void make_head_uniform(Shell& shell) {
  switch_head(shell, [](views::HeadSwitches& head) { head.uniform = !head.uniform; });
}

}  // namespace

std::vector<Action> trained_actions() {
  return {
      {"what_if",
       "What if, or the numbers",
       "The inspector's other side: the selected head or layer taken out, and what becomes of the next word",
       "view",
       {},
       show_what_if},
      {"head_out",
       "Take the selected head out, or back",
       "What it adds becomes 0, and everything behind it is computed anew",
       "document",
       {},
       take_head_out,
       has_trace},
      {"head_uniform",
       "Equal weights for the selected head, or its own",
       "The head looks at all allowed keys alike: does its pattern matter?",
       "document",
       {},
       make_head_uniform,
       has_trace},
      {"interventions_back",
       "Take all interventions back",
       "The model as it is, without any intervention",
       "document",
       {},
       [](Shell& s) { s.edit(views::untouched(s.document())); },
       has_interventions},
      {"translate",
       "Translate as I type, or not",
       "The second sentence is the model's own translation, until one is typed",
       "document",
       {},
       [](Shell& s) { s.view().translates = !s.view().translates; },
       can_translate},
  };
}

}  // namespace headlight::window
