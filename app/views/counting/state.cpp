#include "app/views/counting/state.h"

namespace headlight {

StateKind counting_state() { return state_kind<views::counting::State>("counting"); }

namespace views::counting {

void State::fields(Fields& field) {
  constexpr double kMost = 1099511627776.0, kMostRepeats = 1048576.0;
  field({"base", "counting_base"}, base);
  field({"d_model", "counting_d_model"}, d_model, 0, kMost);
  field({"heads", "counting_heads"}, heads, 0, kMostRepeats);
  field({"layers", "counting_layers"}, layers, 0, kMostRepeats);
  field({"d_k", "counting_d_k"}, d_k, 0, kMost);
  field({"neurons", "counting_neurons"}, neurons, 0, kMost);
  field({"vocabulary", "counting_vocabulary"}, vocabulary, 0, kMost);
  field({"context", "counting_context"}, context, 0, kMost);
  field({"unembedding", "counting_unembedding"}, unembedding);
  field({"line", "counting_line"}, line);
  field({"numbers", "counting_numbers"}, numbers);
  field({"page"}, page);
}

}  // namespace views::counting
}  // namespace headlight
