#include "app/gl/shader_sources.h"

#include <cstdlib>

#include "engine/core/files.h"

namespace headlight::gl {

Result<std::string> shader_source(std::string_view name) {
  if (const char* folder = std::getenv("HEADLIGHT_SHADER_DIR"); folder && *folder)
    return read_file(std::filesystem::path(folder) / name, 1 << 20);
  for (const ShaderSource& source : embedded_shaders())
    if (source.name == name) return std::string(source.text);
  return not_found("this shader is not in the program").at(name);
}

}  // namespace headlight::gl
