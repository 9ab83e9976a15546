# Precompiled headers, which make a build cheap. They hold system headers only, so that they are the same in every checkout and
# ccache finds what another checkout compiled. Every source still includes what it uses: HEADLIGHT_PCH=OFF builds too, as CI does.
option(HEADLIGHT_PCH "Precompile the headers of the standard library, Dear ImGui and GoogleTest (faster builds)" ON)

set(headlight_standard_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <filesystem> <functional> <initializer_list> <iterator> <limits> <list> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <thread> <tuple> <type_traits> <unordered_map> <utility> <variant> <vector>)

# headlight_precompiled(NAME [LIBRARIES …] [HEADERS …] [OPTIONS …]): a set of precompiled headers, the standard ones and HEADERS of
# LIBRARIES. It is a target of its own because a target that takes its headers from another waits until that one is built.
# OPTIONS is the optimisation level of those who use it: after a #pragma GCC diagnostic, such as imgui_internal.h's or <iterator>'s, GCC 12
# goes on with the level of the precompiled headers and not with that of the source. So every standard header with such a pragma is here.
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

# With headlight_quick_level the compiler takes up to 1.4 GB for a batch of 30, with -O2 1.2 GB for one of 22.
set(headlight_quick_batches FILES 30)

# headlight_unity(TARGET [FILES n] [TREES folder…]): the target's sources that share a folder are compiled together, at most FILES (default
# 22) at once; a tree's folders count as one. Every batch reads the standard and our own headers anew, so that five small batches cost a
# quarter more than one large. Names in unnamed namespaces therefore differ within a folder, and within a tree. HEADLIGHT_UNITY=OFF
# compiles each source by itself, which is quicker where few files change.
function(headlight_unity target)
  if(NOT HEADLIGHT_UNITY)
    return()
  endif()
  cmake_parse_arguments(arg "" "FILES" "TREES" ${ARGN})
  set(most 22)
  if(arg_FILES)
    set(most ${arg_FILES})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    foreach(tree IN LISTS arg_TREES)
      if("${folder}/" MATCHES "^${tree}/")
        set(folder ${tree})
        break()
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND of_${folder} ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    # Batches of equal size: one of twenty and one of two would be compiled one behind the other.
    list(LENGTH of_${folder} count)
    math(EXPR batches "(${count} + ${most} - 1) / ${most}")
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    set(index 0)
    foreach(source IN LISTS of_${folder})
      math(EXPR group "${index} / ${size}")
      math(EXPR index "${index} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endforeach()
endfunction()
