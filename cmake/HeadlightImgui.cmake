# headlight_imgui: Dear ImGui 1.92 or newer with its GLFW and OpenGL 3 backends and FreeType.
# The source comes from HEADLIGHT_IMGUI_DIR, from Debian's source package (scripts/fetch-imgui), or from upstream.
set(HEADLIGHT_IMGUI_DIR "" CACHE PATH "A folder with Dear ImGui's source, 1.92 or newer (default: fetched)")
set(headlight_imgui_tag v1.92.2b)
find_package(Freetype REQUIRED)
find_package(glfw3 3.3 REQUIRED)
find_package(OpenGL REQUIRED COMPONENTS OpenGL)

set(imgui_dir "${HEADLIGHT_IMGUI_DIR}")
if(NOT imgui_dir)
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/fetch-imgui ${HEADLIGHT_DEPS_DIR} RESULT_VARIABLE fetched)
  if(fetched EQUAL 0)
    set(imgui_dir ${HEADLIGHT_DEPS_DIR}/imgui)
  elseif(fetched EQUAL 3)
    message(STATUS "Dear ImGui: fetching ${headlight_imgui_tag} from upstream")
    include(FetchContent)
    # It has no CMakeLists.txt of its own, so this only puts the source there.
    FetchContent_Declare(imgui_upstream GIT_REPOSITORY https://github.com/ocornut/imgui.git GIT_TAG ${headlight_imgui_tag}
                         GIT_SHALLOW TRUE SOURCE_DIR ${HEADLIGHT_DEPS_DIR}/imgui-upstream)
    FetchContent_MakeAvailable(imgui_upstream)
    set(imgui_dir ${HEADLIGHT_DEPS_DIR}/imgui-upstream)
  else()
    message(FATAL_ERROR "Dear ImGui could not be fetched (see above). Give the folder of its source, 1.92 or newer: -DHEADLIGHT_IMGUI_DIR=…")
  endif()
endif()
if(NOT EXISTS ${imgui_dir}/imgui.h)
  message(FATAL_ERROR "${imgui_dir} has no imgui.h: HEADLIGHT_IMGUI_DIR must be the folder of Dear ImGui's source")
endif()
file(STRINGS ${imgui_dir}/imgui.h version_line REGEX "define IMGUI_VERSION_NUM")
string(REGEX MATCH "[0-9]+" imgui_version "${version_line}")
if(imgui_version LESS 19200)
  message(FATAL_ERROR "Dear ImGui in ${imgui_dir} is older than 1.92 (${version_line})")
endif()

add_library(headlight_imgui STATIC
  ${imgui_dir}/imgui.cpp ${imgui_dir}/imgui_draw.cpp ${imgui_dir}/imgui_tables.cpp ${imgui_dir}/imgui_widgets.cpp
  ${imgui_dir}/backends/imgui_impl_glfw.cpp ${imgui_dir}/backends/imgui_impl_opengl3.cpp
  ${imgui_dir}/misc/freetype/imgui_freetype.cpp)
target_compile_options(headlight_imgui PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${headlight_drawing_level}>)
# SYSTEM: our warnings are about our code.
target_include_directories(headlight_imgui SYSTEM PUBLIC ${imgui_dir} ${imgui_dir}/backends ${imgui_dir}/misc/freetype)
target_compile_definitions(headlight_imgui PUBLIC IMGUI_USE_WCHAR32 IMGUI_ENABLE_FREETYPE
                           IMGUI_DISABLE_OBSOLETE_FUNCTIONS)
target_link_libraries(headlight_imgui PUBLIC glfw PRIVATE Freetype::Freetype OpenGL::OpenGL ${CMAKE_DL_LIBS})
