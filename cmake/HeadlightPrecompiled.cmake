# Precompiled headers, which make a build cheap. They hold system headers only, so that they are the same in every checkout and
# ccache finds what another checkout compiled. Every source still includes what it uses: HEADLIGHT_PCH=OFF builds too, as CI does.
option(HEADLIGHT_PCH "Precompile the headers of the standard library, Dear ImGui and GoogleTest (faster builds)" ON)

set(headlight_standard_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <filesystem> <functional> <initializer_list> <limits> <list> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>)

# headlight_precompiled(NAME [LIBRARIES …] [HEADERS …]): a set of precompiled headers, the standard ones and HEADERS of LIBRARIES.
# It is a target of its own because a target that takes its headers from another waits until that one is built.
function(headlight_precompiled name)
  cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS" ${ARGN})
  if(NOT HEADLIGHT_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
  target_link_libraries(${name} PRIVATE headlight_options Threads::Threads ${arg_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${headlight_standard_headers} ${arg_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fpch-preprocess)  # ccache asks for it
  endif()
endfunction()

# headlight_use_precompiled(TARGET NAME): TARGET is compiled with the headers of NAME. Both must have the same flags.
function(headlight_use_precompiled target name)
  if(NOT HEADLIGHT_PCH)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()
