# One GoogleTest program a folder of tests; CTest runs each test case by itself.
find_package(GTest REQUIRED)
# The system's interpreter before others: Debian's python3-numpy belongs to it.
find_program(HEADLIGHT_TEST_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HEADLIGHT_TEST_PYTHON NAMES python3 REQUIRED)
include(GoogleTest)

headlight_precompiled(headlight_test_headers LIBRARIES GTest::gtest HEADERS <gtest/gtest.h> OPTIONS $<$<CONFIG:Release>:-Og> ${headlight_tests_unchecked})
if(TARGET headlight_test_headers)
  # The flags of a program, not of a library.
  set_target_properties(headlight_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(headlight_test_headers PRIVATE -fPIE)
endif()

# The widest matrices of emulated GPUs: many architectures, precisions and launch orders of kernels that the other tests run once;
# and many repetitions (Wide*) of what the other tests do a few times.
# They take as long as everything else together, so that `./test` leaves them to `./test --all`, which .ci/run calls.
set(headlight_wide "OnArchitecture.*:*OnArchitecture*:EmulatedWarpgroups.*:*cuda_emulated_backwards*:*cuda_emulated_tf32*:*cuda_emulated_bf16_isdpa:*cuda_emulated_library*:IndexDevices.AGpusTimeIsShownWithItsLaunchAndTransfers:Wide*.*")

# A header, not a definition: ccache then finds what another checkout compiled, but for the few tests that read it.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/test_data.h CONTENT "#pragma once
#define HEADLIGHT_TEST_DATA \"@CMAKE_SOURCE_DIR@/tests/data\"
" @ONLY)

function(headlight_test name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${folder}/*.cpp)
  if(folder STREQUAL ui)
    file(GLOB of_views CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/views/*/test.cpp ${CMAKE_SOURCE_DIR}/app/views/*/*_test.cpp)
    list(APPEND sources ${of_views})
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE headlight_options ${ARGN} headlight_commands GTest::gtest_main)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og> ${headlight_tests_unchecked})
  headlight_use_precompiled(${name} headlight_test_headers)
  headlight_unity(${name} FILES 8)
  gtest_discover_tests(${name} TEST_PREFIX "${folder}." TEST_FILTER "-${headlight_wide}" TEST_LIST ${name}_narrow DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 LABELS ${folder})
  gtest_discover_tests(${name} TEST_PREFIX "${folder}." TEST_FILTER "${headlight_wide}" TEST_LIST ${name}_wide DISCOVERY_TIMEOUT 60
                       PROPERTIES TIMEOUT 300 LABELS wide)
endfunction()

# The CUDA module's own sources, compiled as C++ against tests/gpu/emulation: its kernels run, slowly, on any machine.
file(GLOB_RECURSE cuda_kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/backends/cuda/*.cu)
file(GLOB emulated_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/gpu/emulation/*.cpp)
foreach(kernel IN LISTS cuda_kernels)
  get_filename_component(name ${kernel} NAME_WE)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/emulated/${name}.cpp
       CONTENT "#include \"${kernel}\"\n")
  list(APPEND emulated_sources ${CMAKE_BINARY_DIR}/generated/emulated/${name}.cpp)
endforeach()
add_library(headlight_cuda_emulated STATIC ${emulated_sources})
target_include_directories(headlight_cuda_emulated PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
target_compile_definitions(headlight_cuda_emulated PRIVATE HEADLIGHT_CUDA_EMULATION="gpu/emulation/cuda_emulation.h"
                           HEADLIGHT_CUBLAS_EMULATION="gpu/emulation/cublas_emulation.h"
                           HEADLIGHT_CUDA_FAIL_CALLS=1)
# Its fibers change stacks by longjmp, which glibc's fortified form, Ubuntu's default, takes for an error.
target_compile_options(headlight_cuda_emulated PRIVATE $<IF:$<CONFIG:Release>,-O2,-O1> -U_FORTIFY_SOURCE -Wno-unknown-pragmas ${headlight_tests_unchecked})
target_link_libraries(headlight_cuda_emulated PUBLIC Threads::Threads)

headlight_test(unit_tests unit headlight_cuda_emulated)
headlight_test(conformance_tests conformance headlight_cuda_emulated)
if(HEADLIGHT_APP)
  headlight_test(figure_tests figures headlight_figures PkgConfig::FIGURES ZLIB::ZLIB)
  headlight_test(ui_tests ui headlight_app headlight_cuda_emulated)
endif()

# Of the tests above, those of the engine's threads and the session's workers: small enough to be built for ThreadSanitizer in every check.
set(thread_test_names unit/core unit/run unit/products unit/learner unit/tokenizer_training ui/session_room)
if(HEADLIGHT_APP)
  list(TRANSFORM thread_test_names REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/tests/\\1_test.cpp" OUTPUT_VARIABLE thread_test_sources)
  add_executable(thread_tests EXCLUDE_FROM_ALL ${thread_test_sources})
  target_include_directories(thread_tests PRIVATE ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(thread_tests PRIVATE headlight_options headlight_session GTest::gtest_main)
  target_compile_options(thread_tests PRIVATE $<$<CONFIG:Release>:-Og> ${headlight_tests_unchecked})
  headlight_use_precompiled(thread_tests headlight_test_headers)
endif()

# For tests/gpu/run: attention alone on a GPU, and every operation once for compute-sanitizer; and, of the tests above, those that
# a GPU machine has to run, so that it compiles no more than these.
set(conformance ${CMAKE_SOURCE_DIR}/tests/conformance)
add_executable(gpu_bench ${CMAKE_SOURCE_DIR}/tests/gpu/gpu_bench.cpp ${conformance}/inputs.cpp)
target_include_directories(gpu_bench PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(gpu_bench PRIVATE headlight_options headlight_engine)
add_executable(gpu_tests EXCLUDE_FROM_ALL ${conformance}/backends_test.cpp ${conformance}/contract_test.cpp ${conformance}/isdpa_test.cpp
               ${conformance}/cases.cpp ${conformance}/inputs.cpp ${CMAKE_SOURCE_DIR}/tests/unit/cuda_failures_test.cpp
               ${CMAKE_SOURCE_DIR}/tests/unit/cuda_recording_test.cpp ${CMAKE_SOURCE_DIR}/tests/unit/cuda_training_test.cpp)
target_include_directories(gpu_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(gpu_tests PRIVATE headlight_options headlight_cuda_emulated headlight_engine GTest::gtest_main)
target_compile_options(gpu_tests PRIVATE $<$<CONFIG:Release>:-Og> ${headlight_tests_unchecked})
headlight_use_precompiled(gpu_tests headlight_test_headers)

# tests/scripts/*.py: the program from outside. Each gets the program and the build folder; exit status 77 means skipped.
file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/scripts/*_test.py)
foreach(script IN LISTS scripts)
  get_filename_component(name ${script} NAME_WE)
  add_test(NAME scripts.${name} COMMAND ${HEADLIGHT_TEST_PYTHON} ${script} $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
  set_tests_properties(scripts.${name} PROPERTIES TIMEOUT 300 LABELS scripts SKIP_RETURN_CODE 77)
endforeach()

# The course material's rows, each a function of that file.
file(STRINGS ${CMAKE_SOURCE_DIR}/tests/material/rows.py rows REGEX "^def s[0-9]+\\(")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/material/rows.py)
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^def s([0-9]+).*" "S\\1" row "${row}")
  add_test(NAME material.${row} COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/material/rows.py $<TARGET_FILE:headlight> ${row})
  set_tests_properties(material.${row} PROPERTIES TIMEOUT 300 LABELS material SKIP_RETURN_CODE 77)
endforeach()

# The collection of a GPU's results, with a device that hangs: it waits for most of its time.
set_tests_properties(scripts.gpu_run_test PROPERTIES LABELS wide)
add_test(NAME scripts.display_loss_often COMMAND ${CMAKE_COMMAND} -E env HEADLIGHT_REPEAT=3 ${HEADLIGHT_TEST_PYTHON}
         ${CMAKE_SOURCE_DIR}/tests/scripts/display_loss_test.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(scripts.display_loss_often PROPERTIES TIMEOUT 300 LABELS wide SKIP_RETURN_CODE 77)

# The trace, computed again by NumPy; skipped (77) where Python has none.
add_test(NAME parity.trace_numpy
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/trace_numpy.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.trace_numpy PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)

# headlight isdpa and sdpa, likewise.
add_test(NAME parity.isdpa_numpy
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/isdpa_numpy.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.isdpa_numpy PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)

# A stored model's logits, by PyTorch and transformers.
add_test(NAME parity.stored_model_torch
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/stored_model_torch.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.stored_model_torch PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)

# Published architectures, by transformers.
add_test(NAME parity.published_models
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/published_models.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.published_models PROPERTIES TIMEOUT 900 LABELS parity SKIP_RETURN_CODE 77)

# The forms in which such models lie on disks, likewise; and the two real models, where they were fetched.
add_test(NAME parity.forms_on_disk
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/forms_on_disk.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR}
                 --count 8 --gguf)
add_test(NAME parity.real_models
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/real_models.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.forms_on_disk parity.real_models PROPERTIES TIMEOUT 900 LABELS parity SKIP_RETURN_CODE 77)

# Published tokenizers, by tiktoken and tokenizers.
add_test(NAME parity.published_tokenizers
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/published_tokenizers.py $<TARGET_FILE:headlight> ${CMAKE_BINARY_DIR})
set_tests_properties(parity.published_tokenizers PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)

# Every stage and kind of file, with pieces, offsets and decoded texts, by tokenizers, tiktoken and sentencepiece.
add_test(NAME parity.whole_tokenizers
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/whole_tokenizers.py $<TARGET_FILE:headlight>
                 ${CMAKE_BINARY_DIR}/whole_tokenizers --texts 200)
set_tests_properties(parity.whole_tokenizers PROPERTIES TIMEOUT 900 LABELS parity SKIP_RETURN_CODE 77)

# What is trained here and saved as a tokenizer.json, by tokenizers.
add_test(NAME parity.saved_tokenizers
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/saved_tokenizers.py $<TARGET_FILE:headlight>)
set_tests_properties(parity.saved_tokenizers PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)

# Special and added tokens at odd places of random texts, likewise.
add_test(NAME parity.added_tokens
         COMMAND ${HEADLIGHT_TEST_PYTHON} ${CMAKE_SOURCE_DIR}/tests/parity/added_tokens.py $<TARGET_FILE:headlight>
                 ${CMAKE_BINARY_DIR}/added_tokens --texts 60)
set_tests_properties(parity.added_tokens PROPERTIES TIMEOUT 300 LABELS parity SKIP_RETURN_CODE 77)
