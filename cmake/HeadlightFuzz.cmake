# -DHEADLIGHT_FUZZ=ON with clang: one program for each tests/fuzz/*_fuzz.cpp, with libFuzzer and AddressSanitizer, the engine included.
#   cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang -DHEADLIGHT_FUZZ=ON -DHEADLIGHT_APP=OFF -DHEADLIGHT_TESTS=OFF -DHEADLIGHT_CUDA=OFF
#   ninja -C build/fuzz safetensors_fuzz && build/fuzz/bin/safetensors_fuzz -max_total_time=60
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HEADLIGHT_FUZZ needs clang. Give -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER=clang")
endif()
# headlight_options is a part of every target of ours, the engine and its precompiled headers among them.
target_compile_options(headlight_options INTERFACE -fsanitize=fuzzer-no-link,address -fno-omit-frame-pointer -g1)
target_link_options(headlight_options INTERFACE -fsanitize=address)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE headlight_options headlight_engine)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
