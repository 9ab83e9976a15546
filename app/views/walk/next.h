// What the Walk-through shows behind the last layer: the scores of the next word, the word that is taken, and the way back to the
// start with one token more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/base/next_place.h"
#include "app/views/walk/candidates_picture.h"
#include "app/views/walk/data.h"
#include "app/views/walk/graph_picture.h"
#include "app/views/walk/notes_picture.h"

namespace headlight::views::walk {

struct WalkNext {
  struct Token {
    std::int32_t token = 0;
    std::string word;  // as shown: "·forest"
    double logit = 0, share = 0;
  };
  NextWordPlace place;
  std::vector<Token> best;  // best first
  Token chosen;             // taken into the text
  std::int64_t vocabulary = 0;
  double temperature = 1;  // of the shares
  bool drawn = false;      // chosen by chance; false: the best
  bool ends = false;       // chosen is the end token: the text is finished
  Tensor columns;          // f32 [best few, numbers]: the first numbers of their columns of the unembedding; empty: unknown
  Tensor vector;           // f32 [numbers]: the last vector's
  double largest = 0;      // |number| of columns
  std::uint64_t key = 0;   // of the columns' texture
  std::uint64_t bytes() const { return columns.bytes() + vector.bytes() + best.size() * sizeof(Token); }
};

// The next word of the shown sentence; null: the graph says no words, or they are still being computed.
// walk_next(context, graph)->chosen.word is the word that the view's temperature and draw choose.
std::shared_ptr<const WalkNext> walk_next(const Context& context, const figures::WalkGraph& graph);

// The candidates as a box shows them; null: the box is none of the last ones.
// walk_candidates(*next, graph.boxes[i])->rows.front().word is the best token.
std::shared_ptr<const figures::WalkCandidates> walk_candidates(const WalkNext& next, const figures::WalkBox& box);

// Writes the words, formula and numbers of one of the last boxes into its notes.
// write_next(*next, graph.boxes[i], notes) of the word's box names the chosen word.
void write_next(const WalkNext& next, const figures::WalkBox& box, figures::WalkNotes& notes);
// Why the walk ends with this stop though no word was said; empty: it does not end here, or the loss has said it.
// walk_end(context, graph, stop) of the sandbox's last stop says that the model has no language head.
std::string walk_end(const Context& context, const figures::WalkGraph& graph, int stop);

// Whether the chosen word can join the text.
bool can_take(const WalkNext& next);
// Takes the chosen word into the text, and goes back to the start of the walk.
void take_word(const Context& context, const WalkNext& next);

// A change of the view that a box offers: the temperature, chance.
struct WalkViewTry {
  std::string words;
  std::function<void(const Context&)> change;
};
std::vector<WalkViewTry> walk_view_tries(const WalkNext& next, const figures::WalkBox& box);

}  // namespace headlight::views::walk
