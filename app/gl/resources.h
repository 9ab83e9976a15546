// Owners of OpenGL objects. Create and destroy them on the UI thread, with a current context.
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
  // Compiles and links two shader files, given by name. The error holds the compiler's message and the file.
  // make("cells.vert.glsl", "cells.frag.glsl") gives the program that colours cells.
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
  // Makes a texture from rows of pixels, tightly packed; the filtering is linear if `smooth`, else nearest. Errors: an empty
  // texture, or a side longer than the driver's limit.
  // make(256, 1, Format::rgba8, bytes) takes 1,024 bytes.
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

// An RGBA8 picture to draw into; the screen does not show it. Framebuffer::make(1600, 1000) is 1600 x 1000 pixels large.
class Framebuffer {
 public:
  static Result<Framebuffer> make(int width, int height);
  Framebuffer(Framebuffer&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        colour_(std::exchange(other.colour_, 0)),
        width_(other.width_),
        height_(other.height_) {}
  ~Framebuffer();
  void bind() const;     // also sets the viewport
  static void unbind();  // binds the window's framebuffer
  void show() const;     // copies the picture into the window's framebuffer, of the same size, and binds the latter
  std::vector<std::uint8_t> read() const;  // RGBA, rows from the top; this framebuffer must be bound
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  Framebuffer() = default;
  unsigned id_ = 0, colour_ = 0;
  int width_ = 0, height_ = 0;
};

}  // namespace headlight::gl
