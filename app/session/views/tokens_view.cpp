#include "app/session/views/tokens_view.h"

namespace headlight {

const ViewSchema<TokensView>& tokens_view_schema() {
  static const ViewSchema<TokensView> schema = {{"picture", "token_view", &TokensView::picture}};
  return schema;
}

}  // namespace headlight
