# The program: app/main.cpp and the commands; with HEADLIGHT_APP the window and the figures too. What draws has -O2; views, commands,
# figures, sessions and files, which say what is drawn, have -Og, which is compiled a quarter to a third faster. A frame takes no longer.
find_package(CLI11 REQUIRED)
set(headlight_command_level "$<$<CONFIG:Release>:${headlight_quick_level}>" ${headlight_unhurried_level})

# Sessions, data files and reading a document out of a figure need no window, so the commands have them in every build.
file(GLOB file_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/fields/*.cpp ${CMAKE_SOURCE_DIR}/app/files/*.cpp ${CMAKE_SOURCE_DIR}/app/text/*.cpp
     ${CMAKE_SOURCE_DIR}/app/views/*/state.cpp)
add_library(headlight_files STATIC ${file_sources} ${CMAKE_SOURCE_DIR}/app/views/states.cpp ${CMAKE_SOURCE_DIR}/app/session/session.cpp
            ${CMAKE_SOURCE_DIR}/app/session/view_fields.cpp ${CMAKE_SOURCE_DIR}/app/session/view_state.cpp)
target_compile_options(headlight_files PRIVATE ${headlight_command_level})
target_link_libraries(headlight_files PRIVATE headlight_options ZLIB::ZLIB PUBLIC headlight_engine)
headlight_use_precompiled(headlight_files ${headlight_unhurried_headers})
headlight_unity(headlight_files ${headlight_quick_batches} TREES app)

# The words of the views in other languages, each view's beside it.
file(GLOB view_words CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/views/*/words.tsv)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${view_words})
set(words_body "")
foreach(path IN LISTS view_words)
  file(READ ${path} words)
  string(APPEND words_body "R\"tsv(${words})tsv\",\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/view_words.cpp CONTENT "#include \"app/text/view_words.h\"
namespace headlight {
const std::vector<std::string>& view_words() {
  static constexpr const char* texts[] = {@words_body@};
  static const std::vector<std::string> all(std::begin(texts), std::end(texts));
  return all;
}
}
" @ONLY)
target_sources(headlight_files PRIVATE ${CMAKE_BINARY_DIR}/generated/view_words.cpp)

file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/cli/*.cpp)
add_library(headlight_commands STATIC ${cli_sources})
target_compile_options(headlight_commands PRIVATE ${headlight_command_level})
target_link_libraries(headlight_commands PRIVATE headlight_options CLI11::CLI11 PUBLIC headlight_files headlight_engine)
target_include_directories(headlight_commands PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(headlight_commands PRIVATE HEADLIGHT_BUILD_TYPE="$<CONFIG>" HEADLIGHT_CUDA_MODULE=$<TARGET_EXISTS:headlight_cuda>)
headlight_use_precompiled(headlight_commands ${headlight_unhurried_headers})
# CLI11's and Pango's headers say #pragma GCC diagnostic (HeadlightPrecompiled.cmake), so that what follows them in a batch would be
# compiled with -O2.
set_source_files_properties(${CMAKE_SOURCE_DIR}/app/cli/arguments.cpp ${CMAKE_SOURCE_DIR}/app/export/figure_text.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
set_source_files_properties(${CMAKE_SOURCE_DIR}/app/cli/arguments.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
headlight_unity(headlight_commands ${headlight_quick_batches})

if(HEADLIGHT_APP)
  find_package(PkgConfig REQUIRED)
  find_package(glfw3 3.3 REQUIRED)
  find_package(PNG REQUIRED)
  # Animated GIF; without giflib films are animated PNG only, and the window says what to install.
  find_package(GIF 5)
  pkg_check_modules(FIGURES REQUIRED IMPORTED_TARGET cairo cairo-pdf pango pangocairo fontconfig freetype2)

  # Figures and their files: no window, no GL.
  file(GLOB_RECURSE figure_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/figures/*.cpp ${CMAKE_SOURCE_DIR}/app/export/*.cpp)
  file(GLOB view_pictures CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/views/*/pictures.cpp
       ${CMAKE_SOURCE_DIR}/app/views/*/*_picture.cpp)
  list(APPEND figure_sources ${view_pictures})
  add_library(headlight_figures STATIC ${figure_sources})
  target_link_libraries(headlight_figures PRIVATE headlight_options PNG::PNG ZLIB::ZLIB PkgConfig::FIGURES PUBLIC headlight_files headlight_engine)
  if(GIF_FOUND)
    target_link_libraries(headlight_figures PRIVATE GIF::GIF)
    target_compile_definitions(headlight_figures PRIVATE HEADLIGHT_GIF=1)
  endif()
  target_compile_options(headlight_figures PRIVATE "$<$<CONFIG:Release>:${headlight_quick_level}>")
  headlight_use_precompiled(headlight_figures headlight_headers)
  headlight_unity(headlight_figures ${headlight_quick_batches} TREES app/views app/figures app/export)

  # Workers, jobs, derived values, undo: threads, but no window.
  file(GLOB session_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/session/*.cpp)
  get_target_property(saved_sources headlight_files SOURCES)
  list(REMOVE_ITEM session_sources ${saved_sources})
  add_library(headlight_session STATIC ${session_sources})
  target_link_libraries(headlight_session PRIVATE headlight_options PUBLIC headlight_files headlight_engine)
  target_compile_options(headlight_session PRIVATE "$<$<CONFIG:Release>:${headlight_quick_level}>")
  headlight_use_precompiled(headlight_session headlight_headers)
  headlight_unity(headlight_session)

  file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/ui/*.cpp ${CMAKE_SOURCE_DIR}/app/inspector/*.cpp
       ${CMAKE_SOURCE_DIR}/app/gl/*.cpp ${CMAKE_SOURCE_DIR}/app/window/*.cpp ${CMAKE_SOURCE_DIR}/app/lessons/*.cpp
       ${CMAKE_SOURCE_DIR}/app/sheet/*.cpp ${CMAKE_SOURCE_DIR}/app/views/*.cpp)
  list(FILTER app_sources EXCLUDE REGEX "/app/views/(states|[a-z_]+/(state|pictures|[a-z_]+_picture|([a-z_]+_)?test))\\.cpp$")
  # What says what is drawn: views arrange sheets of parts, lessons name places, and tours take pictures. app/gl, app/ui, app/sheet,
  # app/views/base, the inspector and the window draw it.
  file(GLOB view_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/views/*/*.cpp ${CMAKE_SOURCE_DIR}/app/lessons/*.cpp
       ${CMAKE_SOURCE_DIR}/app/window/offscreen/*.cpp)
  list(FILTER view_sources EXCLUDE REGEX "/app/views/(base/|[a-z_]+/(state|pictures|[a-z_]+_picture|([a-z_]+_)?test)\\.cpp$)")
  list(REMOVE_ITEM app_sources ${view_sources})
  headlight_precompiled(headlight_window_headers LIBRARIES headlight_imgui HEADERS <imgui.h> OPTIONS ${headlight_unhurried_level} ${headlight_window_level})
  add_library(headlight_views OBJECT ${view_sources})
  target_link_libraries(headlight_views PRIVATE headlight_options PNG::PNG headlight_commands headlight_figures headlight_session
                        headlight_imgui headlight_glad glfw)
  target_compile_definitions(headlight_views PRIVATE HEADLIGHT_APP=1 GLFW_INCLUDE_NONE)
  target_compile_options(headlight_views PRIVATE ${headlight_command_level})
  headlight_use_precompiled(headlight_views headlight_window_headers)
  headlight_unity(headlight_views ${headlight_quick_batches} TREES app/views app)
  add_library(headlight_app STATIC ${app_sources} ${HEADLIGHT_SHADERS_CPP} $<TARGET_OBJECTS:headlight_views>)
  target_link_libraries(headlight_app PRIVATE headlight_options PNG::PNG PkgConfig::FIGURES
                        PUBLIC headlight_commands headlight_figures headlight_session headlight_imgui headlight_glad glfw)
  target_compile_definitions(headlight_app PUBLIC HEADLIGHT_APP=1 PRIVATE GLFW_INCLUDE_NONE)
  target_include_directories(headlight_app PRIVATE ${CMAKE_BINARY_DIR}/generated)
  target_compile_options(headlight_app PRIVATE ${headlight_unhurried_level} ${headlight_window_level})
  headlight_use_precompiled(headlight_app headlight_window_headers)
  headlight_unity(headlight_app TREES app/views app/window app)
  target_compile_definitions(headlight_commands PRIVATE HEADLIGHT_APP=1)
  target_link_libraries(headlight_commands PRIVATE headlight_figures)
endif()

add_executable(headlight ${CMAKE_SOURCE_DIR}/app/main.cpp)
target_include_directories(headlight PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_link_libraries(headlight PRIVATE headlight_options headlight_commands)
if(HEADLIGHT_APP)
  target_link_libraries(headlight PRIVATE headlight_app headlight_commands)
endif()
