# Warnings, sanitizers, ccache.
find_program(CCACHE ccache)
if(CCACHE)
  # Paths relative to the source tree, so that two checkouts share one cache; and what ccache asks for with precompiled headers.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

option(HEADLIGHT_UNITY "Compile the files of a folder together (faster builds from nothing)" ON)

# -O2 compiles a fifth faster than CMake's -O3 and the program runs no slower. What computes says -O3 for itself
# (HeadlightEngine.cmake).
foreach(language C CXX)
  string(REPLACE "-O3" "-O2" CMAKE_${language}_FLAGS_RELEASE "${CMAKE_${language}_FLAGS_RELEASE}")
endforeach()
# These passes take a third of -O2's time. Dear ImGui, views and the window are compiled without them, and a
# frame takes no longer. What reads files and arrays (HeadlightEngine.cmake) is compiled without them too; tokenizers
# would be a tenth slower.
set(headlight_reading_level -O2)
# What plans, explains, says and saves holds no loop over many numbers. Without these passes it is compiled in 6 % less time.
set(headlight_quick_level -Og)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND headlight_quick_level -fno-tree-ter -fno-combine-stack-adjustments -fno-compare-elim -fno-cprop-registers
       -fno-forward-propagate -fno-split-wide-types -fno-reorder-blocks -fno-dce -fira-region=one)
  set(slow_passes schedule-insns2 tree-pre code-hoisting tree-vrp thread-jumps gcse ipa-icf ipa-sra ipa-cp ipa-bit-cp ipa-vrp tree-pta
      partial-inlining tree-slp-vectorize)
  list(TRANSFORM slow_passes PREPEND -fno-)
  set(headlight_drawing_level "$<$<CONFIG:Release>:${slow_passes}>")
  # Views and the window are compiled without passes over loops too: the loops over many numbers are the engine's.
  set(loop_passes expensive-optimizations rerun-cse-after-loop cse-follow-jumps tree-loop-optimize crossjumping reorder-blocks-and-partition)
  list(TRANSFORM loop_passes PREPEND -fno-)
  set(headlight_window_level "$<$<CONFIG:Release>:${slow_passes};${loop_passes}>")
  list(APPEND headlight_reading_level ${slow_passes})
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC looks for memory to free each time that what it holds has grown by so many percent; a batch of sources is compiled a fifth
  # faster where it looks less often, and takes two hundred megabytes more.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-expand=300>" "$<$<COMPILE_LANGUAGE:CXX>:SHELL:--param ggc-min-heapsize=400000>")
endif()

add_library(headlight_options INTERFACE)
# -pthread in every target, since pkg-config gives it to some: precompiled headers are shared by targets with the same flags.
target_compile_options(headlight_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-pthread>)
target_include_directories(headlight_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(headlight_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlaps and writes beyond the end inside std::string's operator+ that are not there (GCC bugs 105651, 105329).
  target_compile_options(headlight_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow>)
  # With -Og it does not see that an empty optional is not read.
  target_compile_options(headlight_options INTERFACE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Wno-maybe-uninitialized>)
endif()
if(HEADLIGHT_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A source in a unity build is included, so it counts as a header: its classes may still hold what is in its unnamed namespace.
  target_compile_options(headlight_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(headlight_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-braces>)
endif()
if(HEADLIGHT_SANITIZE)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${HEADLIGHT_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer;-g1>")
  add_link_options(-fsanitize=${HEADLIGHT_SANITIZE})
  # HEADLIGHT_EVERY_CHECK in the environment keeps what is left out below so that a build under a sanitizer takes half the time.
  if(NOT DEFINED ENV{HEADLIGHT_EVERY_CHECK})
    # The tests' own sources are not looked at for undefined behaviour. They, the window, and what plans and explains are not optimised:
    # they run hardly longer, since the time of a test goes into what computes.
    set(headlight_tests_unchecked -fno-sanitize=undefined -O0)
    set(headlight_unhurried_level -O0)
    # AddressSanitizer stops at a bad pointer itself, without these checks of the other sanitizer.
    if(HEADLIGHT_SANITIZE MATCHES "address")
      add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow,nonnull-attribute,returns-nonnull-attribute>")
    endif()
  endif()
endif()
# mold and lld link the programs in a fraction of GNU ld's time.
include(CheckLinkerFlag)
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} HEADLIGHT_LINKS_WITH_${linker})
  if(HEADLIGHT_LINKS_WITH_${linker})
    add_link_options($<$<LINK_LANGUAGE:C,CXX>:-fuse-ld=${linker}>)
    break()
  endif()
endforeach()
find_package(Threads REQUIRED)

find_package(Git QUIET)
set(HEADLIGHT_COMMIT "" CACHE STRING "The commit to report (default: asked of git)")
set(commit "${HEADLIGHT_COMMIT}")
if(NOT commit AND GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/headlight_version.h CONTENT
"#pragma once
#define HEADLIGHT_VERSION \"@PROJECT_VERSION@\"
#define HEADLIGHT_COMMIT \"@commit@\"
#define HEADLIGHT_SOURCE_DIR \"@CMAKE_SOURCE_DIR@\"
" @ONLY)
