// A figure as SVG 1.1. Written by us because Cairo turns text into outlines: here text stays text, that can be found, copied
// and edited.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

Result<std::string> svg_of(const Figure& figure, const Theme& theme, const std::string& document);

}  // namespace headlight::figures
