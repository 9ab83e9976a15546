# shaders/*.glsl become strings in the program; HEADLIGHT_SHADER_DIR reads them from disk instead.
file(GLOB shader_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/shaders/*.glsl)
set(HEADLIGHT_SHADERS_CPP ${CMAKE_BINARY_DIR}/generated/shaders.cpp)
add_custom_command(
  OUTPUT ${HEADLIGHT_SHADERS_CPP}
  COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${HEADLIGHT_SHADERS_CPP}" "-DFOLDER=${CMAKE_SOURCE_DIR}/shaders"
          -P ${CMAKE_SOURCE_DIR}/cmake/EmbedShaders.cmake
  DEPENDS ${shader_files} ${CMAKE_SOURCE_DIR}/cmake/EmbedShaders.cmake
  COMMENT "Embedding shaders" VERBATIM)
