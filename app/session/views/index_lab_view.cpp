#include "app/session/views/index_lab_view.h"

namespace headlight {

const ViewSchema<IndexLabView>& index_lab_view_schema() {
  using View = IndexLabView;
  static const ViewSchema<View> schema = {
      {"word", "lab_word", &View::word},
      {"words", "lab_words", &View::words, 1, 1 << 16},
      {"length", "lab_length", &View::length, 1, 512},
      {"vocab", "lab_vocab", &View::vocab, 1, 1 << 16},
      {"d", "lab_d", &View::d, 1, 4096},
      {"heads", "lab_heads", &View::heads, 1, 64},
      {"cached", "lab_cached", &View::cached},
      {"padding", "lab_padding", &View::padding},
      {"word_lengths", "lab_word_lengths", &View::word_lengths},
      {"own_positions", "lab_own_positions", &View::own_positions},
      {"every_query", "lab_every_query", &View::every_query},
      {"log", "lab_log", &View::log},
      {"devices", "lab_devices", &View::devices},
      {"precisions", "lab_precisions", &View::precisions},
      {"shown", "lab_shown", &View::shown},
      {"page", "lab_page", &View::page},
      {"across", "lab_across", &View::across},
      {"up", "lab_up", &View::up},
      {"against", "lab_against", &View::against},
  };
  return schema;
}

}  // namespace headlight
