// The command palette (Ctrl+P): every action and every choice of the window. A few typed letters find one, in English or in the
// current language.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/widgets.h"

namespace headlight::window {

class Palette {
 public:
  // An item to choose: an action, a tab, an entry of a registry, an example.
  struct Command {
    std::string english, shown;  // "Next tokenizer" in both languages
    std::string kind;            // "tokenizer", translated, shown quietly before the name
    std::string shortcut, why;
    std::function<void()> run;
    bool enabled = true;
  };

  void ask() { wanted_ = true; }  // opens the palette in the next frame
  bool open() const { return open_ || wanted_; }
  // Draws the palette while it is open. `offer` returns the commands at the moment of opening.
  // palette.draw(look, [&] { return palette_commands(shell); });
  void draw(const ui::Look& look, const std::function<std::vector<Command>()>& offer);

  const std::string& query() const { return query_; }
  const std::vector<Command>& commands() const { return commands_; }  // the commands of the open palette
  const std::vector<std::size_t>& found() const { return found_; }    // indices of the matching commands, best first

 private:
  void search();
  void draw_list(const ui::Look& look, float height);

  bool open_ = false, wanted_ = false, appearing_ = false, moved_ = false;
  bool typing_ = false;  // the field has had the keyboard focus since the palette opened
  std::string query_, searched_, early_;
  std::vector<Command> commands_;
  std::vector<std::size_t> found_;
  std::ptrdiff_t selected_ = 0;
};

// How well `query` matches `text`: its letters in order, with a higher score if they are adjacent or begin words; 0: no match.
// Case and spaces are ignored.
// fuzzy_score("lsc", "causal") is 0; fuzzy_score("nt", "Next tokenizer") is higher than fuzzy_score("nt", "Presentation mode").
int fuzzy_score(std::string_view query, std::string_view text);

}  // namespace headlight::window
