# The engine: a library of its own, without ImGui, GL or window.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)

file(GLOB_RECURSE engine_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/*.cpp)
# The CPU kernels are compiled once for every instruction set, below.
list(FILTER engine_sources EXCLUDE REGEX "/engine/backends/cpu/kernels/")
add_library(headlight_engine STATIC ${engine_sources})
target_include_directories(headlight_engine PUBLIC ${CMAKE_SOURCE_DIR} PRIVATE ${CMAKE_BINARY_DIR}/generated ${UTF8PROC_INCLUDE_DIR})
target_link_libraries(headlight_engine PRIVATE headlight_options nlohmann_json::nlohmann_json ZLIB::ZLIB ${UTF8PROC_LIBRARY}
                      PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
# The same random numbers everywhere: no fused multiply-add where the source says multiply, then add.
set_source_files_properties(${CMAKE_SOURCE_DIR}/engine/core/rng.cpp PROPERTIES COMPILE_OPTIONS -ffp-contract=off)

# engine/backends/cpu/kernels/*.cpp: compiled once per instruction set into its own namespace; the backend picks one at run time.
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/backends/cpu/kernels/*.cpp)
if(kernel_sources)
  set(levels baseline)
  set(flags_baseline "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND levels avx2 avx512)
    set(flags_avx2 -march=haswell)
    set(flags_avx512 -march=skylake-avx512 -mprefer-vector-width=512)
    target_compile_definitions(headlight_engine PRIVATE HEADLIGHT_X86_KERNELS=1)
  endif()
  foreach(level IN LISTS levels)
    add_library(headlight_kernels_${level} OBJECT ${kernel_sources})
    target_link_libraries(headlight_kernels_${level} PRIVATE headlight_options)
    target_include_directories(headlight_kernels_${level} SYSTEM PRIVATE ${EIGEN3_INCLUDE_DIR})
    # Eigen is renamed per level: its inline functions must not be merged across instruction sets by the linker.
    target_compile_definitions(headlight_kernels_${level} PRIVATE HEADLIGHT_KERNELS=${level} Eigen=Eigen_${level})
    target_compile_options(headlight_kernels_${level} PRIVATE -O3 ${flags_${level}})
    target_sources(headlight_engine PRIVATE $<TARGET_OBJECTS:headlight_kernels_${level}>)
  endforeach()
endif()

# The CUDA module, loaded at run time: libheadlight_cuda.so beside the program.
set(cuda_wanted OFF)
if(NOT HEADLIGHT_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
    set(ENV{CUDACXX} /usr/local/cuda/bin/nvcc)
  endif()
  # Compiles something: an nvcc that does not work with this C++ compiler counts as none.
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(cuda_wanted ON)
  elseif(HEADLIGHT_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HEADLIGHT_CUDA=ON, but no nvcc was found. Put it on PATH or give -DCMAKE_CUDA_COMPILER=…")
  endif()
endif()
file(GLOB cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engine/backends/cuda/*.cu)
if(cuda_wanted AND cuda_sources)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know every nvcc's flag for C++20, and the module needs none of it.
  set(CMAKE_CUDA_STANDARD 17)
  add_library(headlight_cuda MODULE ${cuda_sources})
  # The module shows one function; the CUDA runtime inside it stays its own.
  set_target_properties(headlight_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_VISIBILITY_PRESET hidden)
  target_link_options(headlight_cuda PRIVATE -Wl,--exclude-libs,ALL)
  target_include_directories(headlight_cuda PRIVATE ${CMAKE_SOURCE_DIR})
endif()
set(HEADLIGHT_HAS_CUDA ${cuda_wanted})
