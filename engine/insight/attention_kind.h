// What the attentions of one stack of layers have in common.
#pragma once

#include <string>

#include "engine/pipeline/trace.h"

namespace headlight {

// "" in a stack of its own, "encoder.", "decoder." or "decoder.cross.": the names of the stack's steps begin so.
inline std::string attention_kind(const AttentionSite& site) {
  return site.prefix.substr(0, site.prefix.find("layer.")) + (site.site == masks::Site::cross ? "cross." : "");
}

}  // namespace headlight
