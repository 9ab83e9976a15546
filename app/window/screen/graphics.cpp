#include "app/window/screen/graphics.h"

#include <glad/gl.h>
// glad must be included first: it is the loader.
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

#include "app/gl/resources.h"
#include "app/gl/shaping.h"
#include "app/text/english_signs.h"
#include "app/ui/style.h"
#include "app/window/screen/display_loss.h"
#include "app/window/screen/keys.h"
#include "imgui.h"
#include "imgui_impl_glfw.h"
#include "imgui_impl_opengl3.h"

namespace headlight::window {
using namespace ui;
namespace {

std::string last_glfw_error;  // of the UI thread
void remember(int, const char* text) { last_glfw_error = text ? text : ""; }

Error no_display() {
  const char* display = std::getenv("DISPLAY");
  const Message where = display && *display ? Message("the display {} cannot be opened", display)
                                            : Message("there is no display (DISPLAY is not set)");
  return failure(ErrorKind::unavailable, where)
      .mend("start it in a graphical session or under xvfb-run; `headlight export` and the other commands need none");
}

// CPU seconds of this thread, or of all threads of this process.
double processor_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Closing a window unloads the OpenGL library; a second window in the same process would then load one that knows no context.
void keep_opengl_loaded() {
  for (const char* name : {"libGL.so.1", "libOpenGL.so.0", "libGLX.so.0"}) dlopen(name, RTLD_LAZY | RTLD_NODELETE);
}

void set_window_hints(const GraphicsOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_MAXIMIZED, options.maximised ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_SAMPLES, 0);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "headlight");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "headlight");
}

}  // namespace

OpeningSize opening_size(int width, int height, double scale, int most_width, int most_height) {
  const auto side = [scale](int points, int most) {
    const auto wanted = static_cast<int>(std::lround(points * scale));
    return most > 0 ? std::min(wanted, most) : wanted;
  };
  return {side(width, most_width), side(height, most_height)};
}

Result<std::unique_ptr<Graphics>> Graphics::make(const GraphicsOptions& options) {
  glfwSetErrorCallback(remember);
  end_with_the_display();
  if (!glfwInit()) return no_display();
  keep_opengl_loaded();
  std::unique_ptr<Graphics> graphics(new Graphics());
  int width = options.width, height = options.height;
  if (options.visible) {
    if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
      float across = 1, down = 1;
      glfwGetMonitorContentScale(monitor, &across, &down);
      graphics->size_scale_ = std::clamp(options.scale > 0 ? options.scale : static_cast<double>(across), 1.0, 4.0);
      int x = 0, y = 0, w = 0, h = 0;
      glfwGetMonitorWorkarea(monitor, &x, &y, &w, &h);
      const OpeningSize size = opening_size(width, height, graphics->size_scale_, w, h);
      width = size.width;
      height = size.height;
    }
  }
  set_window_hints(options);
  graphics->window_ = glfwCreateWindow(width, height, "Headlight", nullptr, nullptr);
  if (!graphics->window_)
    return failure(ErrorKind::unavailable, "OpenGL 3.3 is not available here ({})", last_glfw_error)
        .mend("install a driver for it (Debian: libgl1-mesa-dri draws in software) or use the commands, which need none");
  glfwMakeContextCurrent(graphics->window_);
  if (gladLoadGL(glfwGetProcAddress) == 0 || !GLAD_GL_VERSION_3_3)
    return failure(ErrorKind::unavailable, "the OpenGL driver does not offer version 3.3")
        .mend("install a newer one (Debian: libgl1-mesa-dri draws in software) or use the commands, which need none");
  glfwSwapInterval(options.visible && options.waits_for_screen ? 1 : 0);
  glfwSetWindowSizeLimits(graphics->window_, 640, 400, GLFW_DONT_CARE, GLFW_DONT_CARE);

  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  graphics->imgui_ = true;
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigErrorRecoveryEnableAssert = false;
  io.ConfigDebugHighlightIdConflicts = false;  // the tests look for this programming mistake; nothing is drawn over the window
  graphics->fonts_.load();
  ImGui_ImplGlfw_InitForOpenGL(graphics->window_, options.input);
  if (options.input) install_keys(graphics->window_);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  graphics->backends_ = true;
  graphics->message_ = graphics->fonts_.message();
  if (const Status shaders = graphics->figures_.reload_shaders(); !shaders.ok()) graphics->message_ = shaders.error().whole();
  return graphics;
}

Graphics::~Graphics() {
  if (window_) glfwMakeContextCurrent(window_);
  figures_.release();
  if (backends_) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
  }
  if (imgui_) ImGui::DestroyContext();
  if (window_) glfwDestroyWindow(window_);
  glfwTerminate();
}

float Graphics::display_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::max(0.5f, x);
}

std::string Graphics::opengl() const {
  const auto text = [](GLenum name) {
    const auto* value = reinterpret_cast<const char*>(glGetString(name));
    return std::string(value ? value : "unknown");
  };
  return text(GL_VERSION) + ", " + text(GL_RENDERER);
}

// The sentence fields are drawn with ImGui's own text, so their characters need a font before the frame.
void Graphics::cover_text(const Shell& shell) {
  std::string all;
  for (const std::string& text : shell.document().texts) all += text;
  for (const std::string& text : shell.document().targets) all += text;
  if (all == covered_ && shell.language() == covered_language_) return;
  covered_ = all;
  covered_language_ = shell.language();
  // So do the window's own texts, in English and in the current language.
  all += kEnglishSigns;
  if (covered_language_)
    for (const std::string& english : covered_language_->texts()) all += covered_language_->find(english);
  std::set<char32_t> lacking;
  if (!gl::is_ascii(all))
    for (std::size_t at = 0; at < all.size();) {
      const char32_t c = gl::next_code_point(all, at);
      if (c >= 0x80 && !lacking.contains(c) && !fonts_.fonts().words->IsGlyphInFont(static_cast<ImWchar>(c))) lacking.insert(c);
    }
  if (!lacking.empty()) fonts_.cover(lacking);
}

void Graphics::begin(Shell* shell, int width, int height, float scale, bool off_screen) {
  if (const auto missing = figures_.take_missing(); !missing.empty()) fonts_.cover(missing);
  if (shell) cover_text(*shell);
  const figures::Theme& theme = shell ? shell->theme() : figures::themes().entries().front();
  if (theme.id != theme_ || scale != scale_) {
    apply_style(theme, fonts_.fonts(), scale);
    theme_ = theme.id;
    scale_ = scale;
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  if (mouse_) ImGui::GetIO().AddMousePosEvent(mouse_->x, mouse_->y);
  if (off_screen) {
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    ImGui::GetIO().DisplayFramebufferScale = {1, 1};
  }
  figures_.begin_frame(fonts_.fonts(), theme, scale, true);
  ImGui::NewFrame();
}

// Paints ImGui's draw data: into the kept picture, only where it differs from the last frame; or completely into a picture of the
// caller. True if something was painted.
bool Graphics::paint(const figures::Theme& theme, int width, int height, float scale, const gl::Framebuffer* into) {
  ImDrawData& data = *ImGui::GetDrawData();
  const figures::Color back = theme.background;
  const auto clear = [&](const gl::Area& area) {
    glEnable(GL_SCISSOR_TEST);
    glScissor(area.x0, height - area.y1, area.x1 - area.x0, area.y1 - area.y0);
    glClearColor(back.r, back.g, back.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
  };
  if (into) {
    into->bind();
    clear({0, 0, width, height});
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    figures_.end_frame();
    return true;
  }
  if (!painted_ || painted_->width() != width || painted_->height() != height) {
    painted_.reset();
    if (auto made = gl::Framebuffer::make(width, height); made.ok()) painted_.emplace(std::move(made).value());
    damage_.forget();
  }
  if (!painted_) {  // the driver cannot draw a picture of this size off screen: everything goes directly to the window
    gl::Framebuffer::unbind();
    glViewport(0, 0, width, height);
    clear({0, 0, width, height});
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    figures_.end_frame();
    return true;
  }
  // A new atlas may have other glyphs at the same places.
  if (data.Textures)
    for (const ImTextureData* texture : *data.Textures)
      if (texture->Status == ImTextureStatus_WantCreate) damage_.forget();
  const std::uint64_t ground =
      std::hash<std::string>()(theme.id) ^ (std::uint64_t{std::bit_cast<std::uint32_t>(scale)} << 20) ^ figures_.shader_version();
  const std::vector<gl::Area>& areas = damage_.compare(data, width, height, ground);
  if (!areas.empty()) painted_->bind();
  for (const gl::Area& area : areas) {
    clear(area);
    damage_.reduced(data, area, [&] { ImGui_ImplOpenGL3_RenderDrawData(&data); });
  }
  // ImGui creates and frees textures in every frame, painted or not.
  if (areas.empty() && data.Textures)
    for (ImTextureData* texture : *data.Textures)
      if (texture->Status != ImTextureStatus_OK) ImGui_ImplOpenGL3_UpdateTexture(texture);
  figures_.end_frame();
  const bool shown = !areas.empty() || std::exchange(show_again_, false);
  if (shown) painted_->show();
  gl::Framebuffer::unbind();
  return shown;
}

Graphics::Timing Graphics::frame(Shell& shell, float scale) {
  const double start = steady_seconds();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  begin(&shell, width, height, scale, false);
  shell.draw({fonts_.fonts(), figures_, scale, true, last_milliseconds_});
  ImGui::Render();
  const double built = steady_seconds();
  showed_ = paint(shell.theme(), width, height, scale);
  if (showed_) glFlush();
  const double drawn = steady_seconds();
  last_milliseconds_ = (drawn - start) * 1e3;
  if (showed_) glfwSwapBuffers(window_);
  return {built - start, drawn - start};
}

Result<std::vector<std::uint8_t>> Graphics::picture(Shell& shell, int width, int height, float scale) {
  HL_ASSIGN(const gl::Framebuffer target, gl::Framebuffer::make(width, height));
  begin(&shell, width, height, scale, true);
  shell.draw({fonts_.fonts(), figures_, scale, true, last_milliseconds_});
  ImGui::Render();
  paint(shell.theme(), width, height, scale, &target);
  std::vector<std::uint8_t> pixels = target.read();
  gl::Framebuffer::unbind();
  return pixels;
}

Result<Graphics::BothWays> Graphics::both_ways(Shell& shell, int width, int height, float scale) {
  HL_ASSIGN(const gl::Framebuffer target, gl::Framebuffer::make(width, height));
  begin(&shell, width, height, scale, true);
  shell.draw({fonts_.fonts(), figures_, scale, true, last_milliseconds_});
  ImGui::Render();
  BothWays both;
  (void)paint(shell.theme(), width, height, scale);
  if (!painted_) return failure(ErrorKind::unavailable, "no picture of this size can be kept");
  painted_->bind();
  both.kept = painted_->read();
  paint(shell.theme(), width, height, scale, &target);
  both.anew = target.read();
  gl::Framebuffer::unbind();
  return both;
}

Graphics::Timing Graphics::timed_frame(Shell* shell, float scale) {
  glFinish();
  const double start = steady_seconds(), busy = processor_seconds(CLOCK_THREAD_CPUTIME_ID),
               all_busy = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  begin(shell, width, height, scale, false);
  if (shell) shell->draw({fonts_.fonts(), figures_, scale, true, last_milliseconds_});
  ImGui::Render();
  const double built = processor_seconds(CLOCK_THREAD_CPUTIME_ID) - busy;
  if (shell) {
    showed_ = paint(shell->theme(), width, height, scale);
  } else {
    const figures::Color back = figures::themes().entries().front().background;
    glViewport(0, 0, width, height);
    glClearColor(back.r, back.g, back.b, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    figures_.end_frame();
    damage_.forget();
    showed_ = true;
  }
  if (showed_) glfwSwapBuffers(window_);
  glFinish();
  // A question to the display server; its answer comes after the server has received the picture.
  int x = 0, y = 0;
  glfwGetWindowPos(window_, &x, &y);
  return {built, steady_seconds() - start, processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - all_busy};
}

Result<std::string> describe_opengl() {
  GraphicsOptions options;
  options.width = options.height = 64;
  options.visible = options.input = false;
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, Graphics::make(options));
  return graphics->opengl();
}

}  // namespace headlight::window
