#include "app/files/picture_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace headlight {

Status check_picture_name(const std::filesystem::path& path) {
  constexpr std::array<const char*, 10> kOthers{".jpg", ".jpeg", ".jfif", ".webp", ".bmp",
                                                ".tif", ".tiff", ".avif", ".heic", ".ppm"};
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::find(kOthers.begin(), kOthers.end(), ending) == kOthers.end()) return {};
  std::filesystem::path png = path;
  png.replace_extension(".png");
  return usage_error("pictures are not written as {}", ending).at(path.string()).mend("use {}, or .svg or .pdf", png.string());
}

}  // namespace headlight
