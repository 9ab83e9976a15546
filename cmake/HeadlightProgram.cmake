# The program: app/main.cpp and the commands; with HEADLIGHT_APP the window and the figures too.
find_package(CLI11 REQUIRED)

# What computes is in the engine, and what draws is compiled with -O2 below; a frame is built no slower with -Og for all the rest
# (`headlight bench frame`, in turns), and compiling takes a seventh less than with -O1.
set(headlight_app_level $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-Og>)

# Sessions, data files and reading a document out of a figure need no window, so the commands have them in every build.
file(GLOB file_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/files/*.cpp ${CMAKE_SOURCE_DIR}/app/session/views/*.cpp)
headlight_batches(file_batches ${file_sources})
add_library(headlight_files STATIC ${file_batches}
            ${CMAKE_SOURCE_DIR}/app/session/session.cpp
            ${CMAKE_SOURCE_DIR}/app/session/view_fields.cpp ${CMAKE_SOURCE_DIR}/app/session/view_state.cpp)
target_link_libraries(headlight_files PRIVATE headlight_options ZLIB::ZLIB PUBLIC headlight_engine)
headlight_use_precompiled(headlight_files headlight_headers)
file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/cli/*.cpp)
headlight_batches(cli_batches ${cli_sources})
add_library(headlight_commands STATIC ${cli_batches})
target_link_libraries(headlight_commands PRIVATE headlight_options CLI11::CLI11 PUBLIC headlight_files headlight_engine)
headlight_use_precompiled(headlight_commands headlight_headers)
target_include_directories(headlight_commands PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(headlight_commands PRIVATE HEADLIGHT_BUILD_TYPE="$<CONFIG>" HEADLIGHT_CUDA_MODULE=$<TARGET_EXISTS:headlight_cuda>)

if(HEADLIGHT_APP)
  find_package(PkgConfig REQUIRED)
  find_package(glfw3 3.3 REQUIRED)
  find_package(PNG REQUIRED)
  # Animated GIF; without giflib films are animated PNG only, and the window says what to install.
  find_package(GIF 5)
  pkg_check_modules(FIGURES REQUIRED IMPORTED_TARGET cairo cairo-pdf pango pangocairo fontconfig freetype2)

  # Figures and their files: no window, no GL.
  file(GLOB_RECURSE figure_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/figures/*.cpp ${CMAKE_SOURCE_DIR}/app/export/*.cpp
       ${CMAKE_SOURCE_DIR}/app/text/*.cpp)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/empty.cpp CONTENT "")
  # Every cell of every head goes through this one.
  set(cell_source ${CMAKE_SOURCE_DIR}/app/figures/attention/normalise.cpp)
  list(REMOVE_ITEM figure_sources ${cell_source})
  headlight_batches(figure_batches ${figure_sources})
  set_source_files_properties(${cell_source} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
  add_library(headlight_figures STATIC ${figure_batches} ${cell_source} ${CMAKE_BINARY_DIR}/generated/empty.cpp)
  target_link_libraries(headlight_figures PRIVATE headlight_options PNG::PNG ZLIB::ZLIB PkgConfig::FIGURES PUBLIC headlight_files headlight_engine)
  headlight_use_precompiled(headlight_figures headlight_headers)

  if(GIF_FOUND)
    target_link_libraries(headlight_figures PRIVATE GIF::GIF)
    target_compile_definitions(headlight_figures PRIVATE HEADLIGHT_GIF=1)
  endif()

  file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/session/*.cpp ${CMAKE_SOURCE_DIR}/app/ui/*.cpp
       ${CMAKE_SOURCE_DIR}/app/panels/*.cpp ${CMAKE_SOURCE_DIR}/app/gl/*.cpp ${CMAKE_SOURCE_DIR}/app/window/*.cpp
       ${CMAKE_SOURCE_DIR}/app/lessons/*.cpp)
  list(FILTER app_sources EXCLUDE REGEX "/app/session/(session|view_fields|view_state|views/[a-z_]+)\\.cpp$")
  set(drawing_sources ${app_sources})
  list(FILTER drawing_sources INCLUDE REGEX "/app/(gl/|ui/|panels/heads/head_pictures)")
  list(REMOVE_ITEM app_sources ${drawing_sources})
  headlight_batches(app_batches ${app_sources})
  headlight_batches(drawing_batches ${drawing_sources})
  # Without the precompiled headers, whose level imgui_internal.h would bring back.
  set_source_files_properties(${drawing_batches} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2> SKIP_PRECOMPILE_HEADERS ON)
  add_library(headlight_app STATIC ${app_batches} ${drawing_batches} ${HEADLIGHT_SHADERS_CPP} ${CMAKE_BINARY_DIR}/generated/empty.cpp)
  target_link_libraries(headlight_app PRIVATE headlight_options PNG::PNG PkgConfig::FIGURES
                        PUBLIC headlight_commands headlight_figures headlight_imgui headlight_glad glfw)
  headlight_precompiled(headlight_window_headers LIBRARIES headlight_imgui HEADERS <imgui.h> OPTIONS ${headlight_app_level})
  headlight_use_precompiled(headlight_app headlight_window_headers)
  target_compile_definitions(headlight_app PUBLIC HEADLIGHT_APP=1)
  target_include_directories(headlight_app PRIVATE ${CMAKE_BINARY_DIR}/generated)
  target_compile_definitions(headlight_commands PRIVATE HEADLIGHT_APP=1)
  target_link_libraries(headlight_commands PRIVATE headlight_figures)
endif()

add_executable(headlight ${CMAKE_SOURCE_DIR}/app/main.cpp)
target_include_directories(headlight PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(headlight PRIVATE headlight_options headlight_commands)
if(HEADLIGHT_APP)
  target_link_libraries(headlight PRIVATE headlight_app headlight_commands)
endif()

foreach(target headlight_files headlight_commands headlight_figures headlight_app)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE ${headlight_app_level})
  endif()
endforeach()
