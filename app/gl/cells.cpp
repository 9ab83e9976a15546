#include "app/gl/cells.h"

#include <glad/gl.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/figures/base/non_finite.h"

namespace headlight::gl {
namespace {

// In the place of a visible share, which is at most 1: the shader tells the kinds apart by it and prefers the highest.
float mark_of(figures::NonFinite kind) { return 1.0f + static_cast<float>(kind); }

}  // namespace

std::int64_t block_for(std::int64_t cells, double pixels) {
  std::int64_t block = 1;
  while (pixels > 0 && static_cast<double>(block) * 2 * pixels <= static_cast<double>(cells)) block *= 2;
  return block;
}

CellTexels texels_of(const figures::Cells& cells, bool is_signed, std::int64_t row_block, std::int64_t column_block) {
  const std::int64_t rows = cells.values.dim(0), columns = cells.values.dim(1);
  const Tensor values_tensor = cells.values.as(DType::f32).compact();
  const Tensor mask_tensor = cells.mask.empty() ? Tensor() : cells.mask.compact();
  const float* values = values_tensor.data<float>();
  const std::uint8_t* mask = mask_tensor.empty() ? nullptr : mask_tensor.data<std::uint8_t>();
  CellTexels out;
  out.height = static_cast<int>((rows + row_block - 1) / row_block);
  out.width = static_cast<int>((columns + column_block - 1) / column_block);
  out.two_channels = mask != nullptr;
  if (!mask) out.two_channels = std::any_of(values, values + rows * columns, [](float v) { return !std::isfinite(v); });
  const std::size_t channels = out.two_channels ? 2 : 1;
  out.values.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height) * channels);
  if (row_block == 1 && column_block == 1 && !out.two_channels) {
    std::copy_n(values, rows * columns, out.values.begin());
    return out;
  }
  if (row_block == 1 && column_block == 1) {  // this runs between two frames while one zooms into a matrix of millions of cells
    float* texel = out.values.data();
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const bool visible = !mask || mask[at] != 0, finite = std::isfinite(values[at]);
      texel[2 * at] = visible && finite ? values[at] : 0.0f;
      texel[2 * at + 1] = !visible ? 0.0f : finite ? 1.0f : mark_of(figures::non_finite(values[at]));
    }
    return out;
  }
  const bool mean = cells.reduction == figures::Reduction::mean;
  float* texel = out.values.data();
  for (std::int64_t r = 0; r < rows; r += row_block)
    for (std::int64_t c = 0; c < columns; c += column_block) {
      const std::int64_t r_end = std::min(rows, r + row_block), c_end = std::min(columns, c + column_block);
      double sum = 0;
      float best = 0;
      std::int64_t visible = 0;
      auto highest = figures::NonFinite::none;
      for (std::int64_t i = r; i < r_end; ++i)
        for (std::int64_t j = c; j < c_end; ++j) {
          const std::int64_t at = i * columns + j;
          const float v = values[at];
          if (mask && !mask[at]) continue;
          if (!std::isfinite(v)) {
            highest = std::max(highest, figures::non_finite(v));
            continue;
          }
          sum += v;
          if (visible == 0 || (is_signed ? std::abs(v) > std::abs(best) : v > best)) best = v;
          ++visible;
        }
      *texel++ = visible == 0 ? 0.0f : mean ? static_cast<float>(sum / static_cast<double>(visible)) : best;
      if (!out.two_channels) continue;
      *texel++ = highest != figures::NonFinite::none
                     ? mark_of(highest)
                     : static_cast<float>(visible) / static_cast<float>((r_end - r) * (c_end - c));
    }
  return out;
}

Status CellsRenderer::load_shaders() {
  HL_ASSIGN(Program program, Program::make("cells.vert.glsl", "cells.frag.glsl"));
  program_ = std::move(program);
  at_box_ = program_.uniform("box");
  at_viewport_ = program_.uniform("viewport");
  at_values_ = program_.uniform("values");
  at_colormap_ = program_.uniform("colormap");
  at_cells_ = program_.uniform("cells");
  at_from_ = program_.uniform("from");
  at_low_high_ = program_.uniform("low_high");
  at_gap_ = program_.uniform("gap");
  at_masked_ = program_.uniform("masked");
  at_hatch_ = program_.uniform("hatch");
  at_period_ = program_.uniform("hatch_period");
  at_hatch_width_ = program_.uniform("hatch_width");
  at_mean_ = program_.uniform("mean");
  at_magnitude_ = program_.uniform("magnitude");
  at_alpha_ = program_.uniform("alpha");
  at_non_finite_ = program_.uniform("non_finite");
  if (!vertex_array_) glGenVertexArrays(1, &vertex_array_);
  return {};
}

void CellsRenderer::begin_frame(const figures::Theme& theme, float scale) {
  theme_ = &theme;
  scale_ = scale;
  draws_.clear();
  transient_.clear();
  ++frame_;
}

const Texture* CellsRenderer::lookup(const std::string& colormap) {
  const std::string key = colormap + "/" + theme_->id;
  if (auto found = lookups_.find(key); found != lookups_.end()) return &found->second;
  const figures::Colormap* map = figures::colormaps().find(colormap);
  if (!map) map = &figures::colormaps().entries().front();
  std::uint8_t pixels[256 * 4];
  for (int i = 0; i < 256; ++i) {
    const figures::Color c = map->at(static_cast<float>(i) / 255, *theme_);
    const float parts[] = {c.r, c.g, c.b, c.a};
    for (int k = 0; k < 4; ++k)
      pixels[i * 4 + k] = static_cast<std::uint8_t>(std::lround(std::clamp(parts[k], 0.0f, 1.0f) * 255));
  }
  auto texture = Texture::make(256, 1, Texture::Format::rgba8, pixels);
  if (!texture.ok()) return nullptr;
  return &(lookups_[key] = std::move(texture).value());
}

// A hash of everything that render() uses besides the theme and the scale.
std::uint64_t CellsRenderer::hash_of(const Draw& draw) {
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 29;
  };
  add(static_cast<std::uint64_t>(draw.serial));
  add(draw.colormap);
  for (const float value : {draw.box[0], draw.box[1], draw.box[2], draw.box[3], draw.cells[0], draw.cells[1], draw.from[0],
                            draw.from[1], draw.low, draw.high, draw.gap[0], draw.gap[1], draw.alpha})
    add(std::bit_cast<std::uint32_t>(value));
  add((draw.mean ? 1 : 0) + (draw.magnitude ? 2 : 0));
  return hash;
}

void CellsRenderer::add(ImDrawList& list, const figures::Cells& cells, ImVec2 low, ImVec2 high, float alpha) {
  if (cells.rows < 1 || cells.columns < 1 || cells.values.empty() || !program_.id() || high.x <= low.x || high.y <= low.y) return;
  const Texture* colours = lookup(cells.colormap);
  if (!colours) return;
  const figures::Colormap* map = figures::colormaps().find(cells.colormap);
  const bool is_signed = map && map->is_signed;
  const double per_column = (high.x - low.x) / static_cast<double>(cells.columns),
               per_row = (high.y - low.y) / static_cast<double>(cells.rows);
  const std::int64_t row_block = block_for(cells.rows, high.y - low.y), column_block = block_for(cells.columns, high.x - low.x);
  const int kind = (cells.reduction == figures::Reduction::mean ? 1 : 0) + (is_signed ? 2 : 0);
  const bool reduced = row_block > 1 || column_block > 1;
  const Key key{cells.key, cells.values.dim(0), cells.values.dim(1), row_block, column_block, reduced ? kind : 0};
  unsigned id = 0;
  std::int64_t serial = 0;
  if (auto found = textures_.find(key); cells.key && found != textures_.end()) {
    found->second.last_frame = frame_;
    id = found->second.texture.id();
    serial = found->second.serial;
  } else {
    const CellTexels texels = texels_of(cells, is_signed, row_block, column_block);
    auto texture = Texture::make(texels.width, texels.height,
                                 texels.two_channels ? Texture::Format::rg32f : Texture::Format::r32f, texels.values.data());
    if (!texture.ok()) return;
    serial = ++uploads_;
    id = texture->id();
    if (cells.key) {
      bytes_ += texture->bytes();
      textures_[key] = {std::move(texture).value(), serial, frame_};
    } else {
      transient_.push_back(std::move(texture).value());
    }
  }
  Draw draw;
  draw.serial = serial;
  draw.values = id;
  draw.colormap = colours->id();
  draw.box[0] = low.x;
  draw.box[1] = low.y;
  draw.box[2] = high.x - low.x;
  draw.box[3] = high.y - low.y;
  draw.cells[0] = static_cast<float>(static_cast<double>(cells.columns) / static_cast<double>(column_block));
  draw.cells[1] = static_cast<float>(static_cast<double>(cells.rows) / static_cast<double>(row_block));
  draw.from[0] = static_cast<float>(static_cast<double>(cells.from_column) / static_cast<double>(column_block));
  draw.from[1] = static_cast<float>(static_cast<double>(cells.from_row) / static_cast<double>(row_block));
  draw.low = cells.low;
  draw.high = cells.high > cells.low ? cells.high : cells.low + 1e-12f;
  const float gap = std::max(1.0f, std::round(cells.gap * scale_));
  draw.gap[0] = cells.gap > 0 && per_column > 4 * scale_ ? gap : 0;
  draw.gap[1] = cells.gap > 0 && per_row > 4 * scale_ ? gap : 0;
  draw.alpha = alpha;
  draw.mean = cells.reduction == figures::Reduction::mean;
  draw.magnitude = is_signed;
  draws_.push_back(draw);
  Batch batch{{CallbackContent::kMagic, hash_of(draw)}, this, draws_.size() - 1};
  list.AddCallback(render, &batch, sizeof batch);
  list.AddCallback(ImDrawCallback_ResetRenderState, nullptr);
}

void CellsRenderer::render(const ImDrawList*, const ImDrawCmd* command) {
  Batch batch;
  std::copy_n(static_cast<const std::byte*>(command->UserCallbackData), sizeof batch, reinterpret_cast<std::byte*>(&batch));
  CellsRenderer& self = *batch.self;
  const Draw& draw = self.draws_[batch.index];
  const ImDrawData* data = ImGui::GetDrawData();
  const ImVec2 scale = data->FramebufferScale, origin = data->DisplayPos;
  const float width = data->DisplaySize.x * scale.x, height = data->DisplaySize.y * scale.y;
  const ImVec4 clip = command->ClipRect;
  const float x0 = (clip.x - origin.x) * scale.x, y0 = (clip.y - origin.y) * scale.y, x1 = (clip.z - origin.x) * scale.x,
              y1 = (clip.w - origin.y) * scale.y;
  if (x1 <= x0 || y1 <= y0) return;
  glEnable(GL_SCISSOR_TEST);
  glScissor(static_cast<int>(x0), static_cast<int>(height - y1), static_cast<int>(x1 - x0), static_cast<int>(y1 - y0));
  glUseProgram(self.program_.id());
  glBindVertexArray(self.vertex_array_);
  glUniform4f(self.at_box_, (draw.box[0] - origin.x) * scale.x, (draw.box[1] - origin.y) * scale.y, draw.box[2] * scale.x,
              draw.box[3] * scale.y);
  glUniform2f(self.at_viewport_, width, height);
  glUniform2f(self.at_cells_, draw.cells[0], draw.cells[1]);
  glUniform2f(self.at_from_, draw.from[0], draw.from[1]);
  glUniform2f(self.at_low_high_, draw.low, draw.high);
  glUniform2f(self.at_gap_, draw.gap[0], draw.gap[1]);
  const figures::Color masked = self.theme_->masked, hatch = self.theme_->masked_hatch;
  glUniform4f(self.at_masked_, masked.r, masked.g, masked.b, masked.a);
  glUniform4f(self.at_hatch_, hatch.r, hatch.g, hatch.b, hatch.a);
  // On thumbnails the hatching is as wide as their size allows.
  const float smaller = std::min(draw.box[2], draw.box[3]);
  glUniform1f(self.at_period_, std::clamp(smaller / 8, 5.0f, 7.0f * self.scale_));
  glUniform1f(self.at_hatch_width_, 0.5f + 0.5f * self.scale_);
  glUniform1i(self.at_mean_, draw.mean ? 1 : 0);
  glUniform1i(self.at_magnitude_, draw.magnitude ? 1 : 0);
  glUniform1f(self.at_alpha_, draw.alpha);
  float non_finite[9];
  for (std::size_t i = 0; i < 3; ++i) {
    const figures::Color c = figures::color_of(static_cast<figures::NonFinite>(i + 1));
    non_finite[3 * i] = c.r;
    non_finite[3 * i + 1] = c.g;
    non_finite[3 * i + 2] = c.b;
  }
  glUniform3fv(self.at_non_finite_, 3, non_finite);
  glUniform1i(self.at_values_, 0);
  glUniform1i(self.at_colormap_, 1);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, draw.colormap);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, draw.values);
  glBindSampler(0, 0);  // ImGui's own sampler would interpolate
  glBindSampler(1, 0);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void CellsRenderer::trim(std::uint64_t budget_bytes) {
  // Drops textures that were not drawn for ten seconds; while memory is over the budget, also the oldest ones. Textures drawn in
  // this frame stay.
  const auto drop = [this](std::map<Key, Cached>::iterator it) {
    bytes_ -= it->second.texture.bytes();
    return textures_.erase(it);
  };
  for (auto it = textures_.begin(); it != textures_.end();) it = it->second.last_frame + 600 < frame_ ? drop(it) : std::next(it);
  while (bytes_ > budget_bytes) {
    const auto oldest = std::min_element(textures_.begin(), textures_.end(),
                                         [](const auto& a, const auto& b) { return a.second.last_frame < b.second.last_frame; });
    if (oldest == textures_.end() || oldest->second.last_frame >= frame_) break;
    drop(oldest);
  }
}

void CellsRenderer::clear() {
  textures_.clear();
  lookups_.clear();
  transient_.clear();
  bytes_ = 0;
  program_ = Program();
  if (vertex_array_) glDeleteVertexArrays(1, &vertex_array_);
  vertex_array_ = 0;
}

}  // namespace headlight::gl
