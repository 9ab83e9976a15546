#include "engine/tokenizers/post_processors/post_processor.h"

namespace headlight::tokenizers {

const Registry<PostProcessorEntry>& post_processor_registry() {
  static const Registry<PostProcessorEntry> kinds("post-processor", {template_post_processor()});
  return kinds;
}

}  // namespace headlight::tokenizers
