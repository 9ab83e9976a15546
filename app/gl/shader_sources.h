// The GLSL files of shaders/, embedded into the program at build time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight::gl {

struct ShaderSource {
  std::string_view name;  // "cells.frag.glsl"
  std::string_view text;
};
std::span<const ShaderSource> embedded_shaders();

// Read from HEADLIGHT_SHADER_DIR if that is set, else the embedded text.
Result<std::string> shader_source(std::string_view name);

}  // namespace headlight::gl
