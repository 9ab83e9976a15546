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

// The text of the named shader: a file in HEADLIGHT_SHADER_DIR if this variable is set, else the embedded text. Errors: no such
// shader, or a file that cannot be read.
Result<std::string> shader_source(std::string_view name);

}  // namespace headlight::gl
