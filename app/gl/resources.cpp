#include "app/gl/resources.h"

#include <glad/gl.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "app/gl/shader_sources.h"

namespace headlight::gl {
namespace {

Failure graphics_error(Message what, Message where = {}) {
  return failure(ErrorKind::internal, std::move(what)).at(std::move(where)).mend("check the OpenGL driver (3.3 core is needed)");
}

std::string log_of(GLuint object, bool program) {
  char text[2048] = {};
  GLsizei length = 0;
  if (program)
    glGetProgramInfoLog(object, sizeof text, &length, text);
  else
    glGetShaderInfoLog(object, sizeof text, &length, text);
  std::string log(text, static_cast<std::size_t>(length));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  for (char& c : log)
    if (c == '\n') c = ' ';
  return log;
}

Result<GLuint> compile(GLenum kind, const std::string& name) {
  HL_ASSIGN(const std::string source, shader_source(name));
  const GLuint shader = glCreateShader(kind);
  const char* text = source.c_str();
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint good = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  Error error = graphics_error(Message("the shader does not compile: {}", log_of(shader, false)), name);
  glDeleteShader(shader);
  return error;
}

}  // namespace

Result<Program> Program::make(const std::string& vertex, const std::string& fragment) {
  HL_ASSIGN(const GLuint v, compile(GL_VERTEX_SHADER, vertex));
  Result<GLuint> f = compile(GL_FRAGMENT_SHADER, fragment);
  if (!f.ok()) {
    glDeleteShader(v);
    return f.error();
  }
  Program program;
  program.id_ = glCreateProgram();
  glAttachShader(program.id_, v);
  glAttachShader(program.id_, *f);
  glLinkProgram(program.id_);
  glDeleteShader(v);
  glDeleteShader(*f);
  GLint good = 0;
  glGetProgramiv(program.id_, GL_LINK_STATUS, &good);
  if (!good) return graphics_error(Message("the shaders do not link: {}", log_of(program.id_, true)), vertex + ", " + fragment);
  return program;
}

Program::~Program() {
  if (id_) glDeleteProgram(id_);
}

int Program::uniform(const char* name) const { return glGetUniformLocation(id_, name); }

Result<Texture> Texture::make(int width, int height, Format format, const void* pixels, bool smooth) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  if (width < 1 || height < 1 || width > most || height > most)
    return graphics_error(Message("a picture of {} x {} does not fit this driver's textures of {}", width, height, most));
  Texture texture;
  GLint bound = 0;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glGenTextures(1, &texture.id_);
  glBindTexture(GL_TEXTURE_2D, texture.id_);
  const GLint filter = smooth ? GL_LINEAR : GL_NEAREST;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  std::uint64_t size = 4;
  if (format == Format::r32f) {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, width, height, 0, GL_RED, GL_FLOAT, pixels);
    // Without a mask every cell is visible: the second channel is read as one.
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_G, GL_ONE);
  } else if (format == Format::rg32f) {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RG32F, width, height, 0, GL_RG, GL_FLOAT, pixels);
    size = 8;
  } else {
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
  }
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  texture.width_ = width;
  texture.height_ = height;
  texture.bytes_ = size * static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  return texture;
}

Texture::~Texture() {
  if (id_) glDeleteTextures(1, &id_);
}

Result<Framebuffer> Framebuffer::make(int width, int height) {
  Framebuffer made;
  made.width_ = width;
  made.height_ = height;
  glGenFramebuffers(1, &made.id_);
  glGenRenderbuffers(1, &made.colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, made.colour_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, made.id_);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, made.colour_);
  const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  if (!complete) return graphics_error(Message("a picture of {} x {} cannot be drawn off screen", width, height));
  return made;
}

Framebuffer::~Framebuffer() {
  if (id_) glDeleteFramebuffers(1, &id_);
  if (colour_) glDeleteRenderbuffers(1, &colour_);
}

void Framebuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, id_);
  glViewport(0, 0, width_, height_);
}
void Framebuffer::show() const {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, id_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glDisable(GL_SCISSOR_TEST);
  glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}
void Framebuffer::unbind() { glBindFramebuffer(GL_FRAMEBUFFER, 0); }

std::vector<std::uint8_t> Framebuffer::read() const {
  const std::size_t row = static_cast<std::size_t>(width_) * 4;
  std::vector<std::uint8_t> upward(row * static_cast<std::size_t>(height_)), pixels(upward.size());
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGBA, GL_UNSIGNED_BYTE, upward.data());
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y)
    std::copy_n(upward.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(height_) - 1 - y) * row), row,
                pixels.begin() + static_cast<std::ptrdiff_t>(y * row));
  return pixels;
}

}  // namespace headlight::gl
