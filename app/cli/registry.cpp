#include <cstdio>

#include "app/cli/command.h"

namespace headlight::cli {

// Each command's file defines one of these.
Entry open_command();
Entry export_command();
Entry tour_command();
Entry sdpa_command();
Entry isdpa_command();
Entry by_hand_command();
Entry tokenize_command();
Entry decode_command();
Entry languages_command();
Entry corpus_command();
Entry train_command();
Entry train_tokenizer_command();
Entry train_embeddings_command();
Entry bench_command();
Entry trace_command();
Entry models_command();
Entry generate_command();
Entry evaluate_command();
Entry heads_command();
Entry context_command();
Entry why_command();
Entry embeddings_command();
Entry params_command();
Entry scores_command();
Entry value_map_command();
Entry patches_command();
Entry recurrence_command();
Entry info_command();

const Registry<Entry>& registry() {
  static const Registry<Entry> commands("command", {
                                                       open_command(),
                                                       export_command(),
                                                       tour_command(),
                                                       sdpa_command(),
                                                       isdpa_command(),
                                                       by_hand_command(),
                                                       tokenize_command(),
                                                       decode_command(),
                                                       languages_command(),
                                                       corpus_command(),
                                                       train_command(),
                                                       train_tokenizer_command(),
                                                       train_embeddings_command(),
                                                       models_command(),
                                                       bench_command(),
                                                       trace_command(),
                                                       generate_command(),
                                                       evaluate_command(),
                                                       heads_command(),
                                                       context_command(),
                                                       why_command(),
                                                       embeddings_command(),
                                                       params_command(),
                                                       scores_command(),
                                                       value_map_command(),
                                                       patches_command(),
                                                       recurrence_command(),
                                                       info_command(),
                                                   });
  return commands;
}

int fail(const std::string& command, const Error& error) {
  std::fprintf(stderr, "headlight %s: %s\n", command.c_str(), error.sentence().c_str());
  return error.kind == ErrorKind::usage ? kWrongUsage : kCouldNot;
}

}  // namespace headlight::cli
