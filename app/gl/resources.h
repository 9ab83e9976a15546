// Owners of OpenGL objects: created and destroyed on the UI thread with a current context.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/status.h"

namespace headlight::gl {

class Program {
 public:
  Program() = default;
  // From names of shader files; the error holds the compiler's message and the file.
  static Result<Program> make(const std::string& vertex, const std::string& fragment);
  Program(Program&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  Program& operator=(Program&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Program();
  unsigned id() const { return id_; }
  int uniform(const char* name) const;

 private:
  unsigned id_ = 0;
};

class Texture {
 public:
  enum class Format { r32f, rg32f, rgba8 };
  Texture() = default;
  // `pixels` in rows, tightly packed; nearest filtering, or linear if `smooth`. Error: an edge longer than the driver's limit.
  static Result<Texture> make(int width, int height, Format format, const void* pixels, bool smooth = false);
  Texture(Texture&& other) noexcept
      : id_(std::exchange(other.id_, 0)), width_(other.width_), height_(other.height_), bytes_(other.bytes_) {}
  Texture& operator=(Texture&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(width_, other.width_);
    std::swap(height_, other.height_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Texture();
  unsigned id() const { return id_; }
  int width() const { return width_; }
  int height() const { return height_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  unsigned id_ = 0;
  int width_ = 0, height_ = 0;
  std::uint64_t bytes_ = 0;
};

// An RGBA8 picture to draw into, not shown on the screen.
class Framebuffer {
 public:
  static Result<Framebuffer> make(int width, int height);
  Framebuffer(Framebuffer&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        colour_(std::exchange(other.colour_, 0)),
        width_(other.width_),
        height_(other.height_) {}
  ~Framebuffer();
  void bind() const;                       // also sets the viewport
  static void unbind();                    // binds the window's framebuffer
  void show() const;                       // copies everything into the window's framebuffer, of the same size, and binds that
  std::vector<std::uint8_t> read() const;  // RGBA, rows from the top; this framebuffer must be bound
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  Framebuffer() = default;
  unsigned id_ = 0, colour_ = 0;
  int width_ = 0, height_ = 0;
};

}  // namespace headlight::gl
