// The GLSL files of shaders/, embedded when the program is built.
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

// From HEADLIGHT_SHADER_DIR if that is set, else as embedded.
Result<std::string> shader_source(std::string_view name);

}  // namespace headlight::gl
