#include "app/gl/damage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace headlight::gl {
namespace {

constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * kPrime;
  return hash ^ (hash >> 29);
}

// The pixels that the renderer makes of a clip rectangle: whole pixels, counted from below.
Area pixels_of(const ImVec4& clip, const ImDrawData& data, int width, int height) {
  const ImVec2 scale = data.FramebufferScale, origin = data.DisplayPos;
  const float x0 = (clip.x - origin.x) * scale.x, y0 = (clip.y - origin.y) * scale.y, x1 = (clip.z - origin.x) * scale.x,
              y1 = (clip.w - origin.y) * scale.y;
  if (x1 <= x0 || y1 <= y0) return {};
  const int left = static_cast<int>(x0), below = static_cast<int>(static_cast<float>(height) - y1),
            wide = static_cast<int>(x1 - x0), high = static_cast<int>(y1 - y0);
  return {std::max(0, left), std::max(0, height - below - high), std::min(width, left + wide), std::min(height, height - below)};
}

Area both(const Area& a, const Area& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}
Area around(const Area& a, const Area& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

}  // namespace

const std::vector<Area>& Damage::compare(const ImDrawData& data, int width, int height, std::uint64_t ground) {
  const bool same_window = known_ && width == width_ && height == height_ && ground == ground_;
  width_ = width;
  height_ = height;
  ground_ = ground;
  across_ = (width + kTile - 1) / kTile;
  down_ = (height + kTile - 1) / kTile;
  std::swap(tiles_, before_);
  tiles_.assign(static_cast<std::size_t>(across_) * static_cast<std::size_t>(down_), 0);
  hash_all(data);
  known_ = true;
  areas_.clear();
  if (same_window)
    find_areas();
  else
    areas_.push_back({0, 0, width_, height_});
  return areas_;
}

void Damage::hash_all(const ImDrawData& data) {
  triangles_.clear();
  const ImVec2 scale = data.FramebufferScale, origin = data.DisplayPos;
  const auto put = [this](const Box& box, std::uint64_t hash) {
    for (int y = box.y0; y <= box.y1; ++y)
      for (int x = box.x0; x <= box.x1; ++x) {
        std::uint64_t& tile =
            tiles_[static_cast<std::size_t>(y) * static_cast<std::size_t>(across_) + static_cast<std::size_t>(x)];
        tile = mixed(tile, hash);
      }
  };
  const auto tiles_of = [](const Area& area) -> Box {
    if (area.empty()) return {};
    const auto tile = [](int pixel) { return static_cast<std::int16_t>(pixel / kTile); };
    return {tile(area.x0), tile(area.y0), tile(area.x1 - 1), tile(area.y1 - 1)};
  };
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      const Area clip = pixels_of(command.ClipRect, data, width_, height_);
      std::uint64_t base = mixed(mixed(0, std::bit_cast<std::uint64_t>(std::array{clip.x0, clip.y0})),
                                 std::bit_cast<std::uint64_t>(std::array{clip.x1, clip.y1}));
      if (command.UserCallback) {
        if (command.UserCallback == ImDrawCallback_ResetRenderState) continue;
        CallbackContent content;
        if (command.UserCallbackData && command.UserCallbackDataSize >= static_cast<int>(sizeof content))
          std::memcpy(&content, command.UserCallbackData, sizeof content);
        else
          content.magic = 0;
        const Box box = tiles_of(clip);
        triangles_.push_back(box);
        put(box, mixed(base, content.magic == CallbackContent::kMagic ? content.hash : ++unrepeatable_));
        continue;
      }
      const ImTextureRef& texture = command.TexRef;
      base = mixed(base, texture._TexData ? static_cast<std::uint64_t>(texture._TexData->UniqueID) << 32
                                          : static_cast<std::uint64_t>(texture._TexID));
      const ImDrawIdx* index = list->IdxBuffer.Data + command.IdxOffset;
      const ImDrawVert* vertices = list->VtxBuffer.Data + command.VtxOffset;
      const Box clip_tiles = tiles_of(clip);
      const float per_tile_x = scale.x / kTile, per_tile_y = scale.y / kTile;
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        const ImDrawVert &a = vertices[index[i]], &b = vertices[index[i + 1]], &c = vertices[index[i + 2]];
        const float left = std::min({a.pos.x, b.pos.x, c.pos.x}), right = std::max({a.pos.x, b.pos.x, c.pos.x}),
                    top = std::min({a.pos.y, b.pos.y, c.pos.y}), bottom = std::max({a.pos.y, b.pos.y, c.pos.y});
        // One pixel more on each side than the fill rules need.
        const auto tile = [](float at, int first, int last) {
          return static_cast<std::int16_t>(std::clamp(at, static_cast<float>(first) - 1, static_cast<float>(last) + 1));
        };
        Box box;
        box.x0 = std::max(clip_tiles.x0, tile(std::floor((left - origin.x - 1) * per_tile_x), 0, across_));
        box.x1 = std::min(clip_tiles.x1, tile(std::floor((right - origin.x + 1) * per_tile_x), 0, across_));
        box.y0 = std::max(clip_tiles.y0, tile(std::floor((top - origin.y - 1) * per_tile_y), 0, down_));
        box.y1 = std::min(clip_tiles.y1, tile(std::floor((bottom - origin.y + 1) * per_tile_y), 0, down_));
        triangles_.push_back(box);
        if (box.x0 > box.x1 || box.y0 > box.y1) continue;
        std::uint64_t hash = base;
        for (const ImDrawVert* v : {&a, &b, &c}) {
          std::uint64_t words[3] = {};
          std::memcpy(words, v, std::min(sizeof words, sizeof *v));
          hash = mixed(mixed(mixed(hash, words[0]), words[1]), words[2]);
        }
        put(box, hash);
      }
    }
  }
}

void Damage::find_areas() {
  // Joins runs of changed tiles in a row; a run with the same columns as one in the row above extends it.
  for (int y = 0; y < down_; ++y)
    for (int x = 0; x < across_; ++x) {
      const auto changed = [&](int at) {
        const auto tile = static_cast<std::size_t>(y) * static_cast<std::size_t>(across_) + static_cast<std::size_t>(at);
        return tiles_[tile] != before_[tile];
      };
      if (!changed(x)) continue;
      int end = x + 1;
      while (end < across_ && changed(end)) ++end;
      const Area run{x * kTile, y * kTile, std::min(end * kTile, width_), std::min((y + 1) * kTile, height_)};
      const auto above = std::find_if(areas_.rbegin(), areas_.rend(),
                                      [&](const Area& a) { return a.y1 == run.y0 && a.x0 == run.x0 && a.x1 == run.x1; });
      if (above != areas_.rend())
        above->y1 = run.y1;
      else
        areas_.push_back(run);
      x = end;
    }
  // Every area is drawn by going through the whole frame again, so there must be few: the two areas whose union costs least are
  // joined.
  while (static_cast<int>(areas_.size()) > 48) {  // if there are very many, only neighbours in order are joined
    std::vector<Area> fewer;
    for (std::size_t i = 0; i < areas_.size(); i += 2)
      fewer.push_back(i + 1 < areas_.size() ? around(areas_[i], areas_[i + 1]) : areas_[i]);
    areas_ = std::move(fewer);
  }
  const auto extra = [](const Area& a, const Area& b) {
    const Area common = both(a, b);
    return around(a, b).pixels() - a.pixels() - b.pixels() + (common.empty() ? 0 : common.pixels());
  };
  constexpr std::int64_t kAnAreaCosts = 24 * 1024;  // the cost of an area in pixels, about: going through all triangles once more
  for (;;) {
    std::size_t first = 0, second = 0;
    std::int64_t least = 0;
    for (std::size_t i = 0; i < areas_.size(); ++i)
      for (std::size_t j = i + 1; j < areas_.size(); ++j)
        if (const std::int64_t more = extra(areas_[i], areas_[j]); second == 0 || more < least) {
          first = i;
          second = j;
          least = more;
        }
    if (second == 0 || (static_cast<int>(areas_.size()) <= kMostAreas && least > kAnAreaCosts)) break;
    areas_[first] = around(areas_[first], areas_[second]);
    areas_.erase(areas_.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

void Damage::reduced(ImDrawData& data, const Area& area, const std::function<void()>& render) {
  if (area == Area{0, 0, width_, height_}) return render();
  struct Whole {
    ImVector<ImDrawCmd> commands;
    ImVector<ImDrawIdx> indices;
    ImVector<ImDrawVert> vertices;
  };
  std::vector<Whole> whole(static_cast<std::size_t>(data.CmdLists.Size));
  const int x0 = area.x0 / kTile, y0 = area.y0 / kTile, x1 = (area.x1 - 1) / kTile, y1 = (area.y1 - 1) / kTile;
  const auto touches = [&](const Box& b) { return b.x0 <= x1 && b.x1 >= x0 && b.y0 <= y1 && b.y1 >= y0 && b.x0 <= b.x1; };
  std::size_t next = 0;  // of triangles_
  for (int l = 0; l < data.CmdLists.Size; ++l) {
    ImDrawList& list = *data.CmdLists[l];
    Whole& kept = whole[static_cast<std::size_t>(l)];
    list.CmdBuffer.swap(kept.commands);
    list.IdxBuffer.swap(kept.indices);
    list.VtxBuffer.swap(kept.vertices);
    bool reset = false;  // a callback was kept; it may leave another OpenGL state
    for (const ImDrawCmd& command : kept.commands) {
      if (command.UserCallback == ImDrawCallback_ResetRenderState) {
        if (reset) list.CmdBuffer.push_back(command);
        reset = false;
        continue;
      }
      const Area clip = both(pixels_of(command.ClipRect, data, width_, height_), area);
      ImDrawCmd one = command;
      const ImVec2 scale = data.FramebufferScale, origin = data.DisplayPos;
      // Converts back to ImGui's units; whole pixels stay whole.
      one.ClipRect = {static_cast<float>(clip.x0) / scale.x + origin.x, static_cast<float>(clip.y0) / scale.y + origin.y,
                      static_cast<float>(clip.x1) / scale.x + origin.x, static_cast<float>(clip.y1) / scale.y + origin.y};
      if (command.UserCallback) {
        const bool drawn = touches(triangles_[next++]) && !clip.empty();
        if (drawn) list.CmdBuffer.push_back(one);
        reset = drawn;
        continue;
      }
      // The renderer gets only the vertices that are still used.
      one.IdxOffset = static_cast<unsigned>(list.IdxBuffer.Size);
      one.VtxOffset = static_cast<unsigned>(list.VtxBuffer.Size);
      constexpr auto kNone = static_cast<ImDrawIdx>(-1);
      places_.assign(static_cast<std::size_t>(kept.vertices.Size) - command.VtxOffset, kNone);
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        if (!touches(triangles_[next++]) || clip.empty()) continue;
        for (unsigned k = 0; k < 3; ++k) {
          const ImDrawIdx from = kept.indices[static_cast<int>(command.IdxOffset + i + k)];
          ImDrawIdx& to = places_[from];
          if (to == kNone) {
            to = static_cast<ImDrawIdx>(static_cast<unsigned>(list.VtxBuffer.Size) - one.VtxOffset);
            list.VtxBuffer.push_back(kept.vertices[static_cast<int>(command.VtxOffset + from)]);
          }
          list.IdxBuffer.push_back(to);
        }
      }
      one.ElemCount = static_cast<unsigned>(list.IdxBuffer.Size) - one.IdxOffset;
      if (one.ElemCount > 0) list.CmdBuffer.push_back(one);
    }
  }
  render();
  for (int l = 0; l < data.CmdLists.Size; ++l) {
    data.CmdLists[l]->CmdBuffer.swap(whole[static_cast<std::size_t>(l)].commands);
    data.CmdLists[l]->IdxBuffer.swap(whole[static_cast<std::size_t>(l)].indices);
    data.CmdLists[l]->VtxBuffer.swap(whole[static_cast<std::size_t>(l)].vertices);
  }
}

}  // namespace headlight::gl
