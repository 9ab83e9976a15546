#include "app/session/views/tokens_view.h"

namespace headlight {

const ViewSchema<TokensView>& tokens_view_schema() {
  static const ViewSchema<TokensView> schema = {
      {"picture", "token_view", &TokensView::picture},
      {"rows", "tokens_rows", &TokensView::rows},
      {"pinned", "tokens_pinned", &TokensView::pinned},
      {"pinned_start", "tokens_pinned_start", &TokensView::pinned_start, -1},
      {"pinned_end", "tokens_pinned_end", &TokensView::pinned_end, -1},
      {"second", "tokens_second", &TokensView::second},
      {"columns", "tokens_columns", &TokensView::columns},
      {"word", "tokens_word", &TokensView::word},
      {"unigram", "tokens_unigram", &TokensView::unigram},
      {"wordpiece", "tokens_wordpiece", &TokensView::wordpiece},
      {"bpe", "tokens_bpe", &TokensView::bpe},
      {"forbidden", "tokens_forbidden", &TokensView::forbidden},
      {"path", "tokens_path", &TokensView::path, 0},
      {"table", "tokens_table", &TokensView::table},
      {"language", "tokens_language", &TokensView::language},
      {"sorted_by", "tokens_sorted_by", &TokensView::sorted_by},
      {"measured_on", "tokens_measured_on", &TokensView::measured_on},
  };
  return schema;
}

}  // namespace headlight
