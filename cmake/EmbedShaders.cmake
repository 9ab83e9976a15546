# Run by the build: writes OUTPUT, a C++ file with every FOLDER/*.glsl as a raw string.
file(GLOB files ${FOLDER}/*.glsl)
list(SORT files)
set(body "")
foreach(path IN LISTS files)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND body "    {\"${name}\", R\"glsl(${text})glsl\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/EmbedShaders.cmake from shaders/*.glsl.
#include \"app/gl/shader_sources.h\"

namespace headlight::gl {

std::span<const ShaderSource> embedded_shaders() {
  static constexpr ShaderSource sources[] = {
${body}  };
  return sources;
}

}  // namespace headlight::gl
")
