# Precompiled headers, which make a build cheap. They hold system headers only, so that they are the same in every checkout and
# ccache finds what another checkout compiled. Every source still includes what it uses: HEADLIGHT_PCH=OFF builds too, as CI does.
option(HEADLIGHT_PCH "Precompile the headers of the standard library, Dear ImGui and GoogleTest (faster builds)" ON)

set(headlight_standard_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <filesystem> <functional> <initializer_list> <limits> <list> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>)

# headlight_precompiled(NAME [LIBRARIES …] [HEADERS …] [OPTIONS …]): a set of precompiled headers, the standard ones and HEADERS of
# LIBRARIES. It is a target of its own because a target that takes its headers from another waits until that one is built.
# OPTIONS is the optimisation level of those who use it: after a #pragma GCC diagnostic, such as imgui_internal.h's, GCC 12 goes on
# with the level of the precompiled headers and not with that of the source.
function(headlight_precompiled name)
  cmake_parse_arguments(arg "" "" "LIBRARIES;HEADERS;OPTIONS" ${ARGN})
  if(NOT HEADLIGHT_PCH)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/generated/precompiled.cpp)
  target_link_libraries(${name} PRIVATE headlight_options Threads::Threads ${arg_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${headlight_standard_headers} ${arg_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE -fpch-preprocess ${arg_OPTIONS})  # ccache asks for the first
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

# headlight_batches(RESULT FILE …): what to compile instead of the files, where small files are compiled together
# (cmake/unity_batches.py says which). HEADLIGHT_UNITY=OFF compiles each by itself, which is quicker where few files change.
find_program(HEADLIGHT_PYTHON NAMES python3)
function(headlight_batches result)
  set(${result} ${ARGN} PARENT_SCOPE)
  if(HEADLIGHT_UNITY AND HEADLIGHT_PYTHON)
    # A name that a change adds may keep two files apart.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/unity_batches.py)
    execute_process(COMMAND ${HEADLIGHT_PYTHON} ${CMAKE_SOURCE_DIR}/cmake/unity_batches.py ${CMAKE_SOURCE_DIR}
                            ${CMAKE_BINARY_DIR}/generated/unity ${ARGN}
                    OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
    set(${result} ${batches} PARENT_SCOPE)
  endif()
endfunction()
