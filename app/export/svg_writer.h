// A figure as SVG 1.1. We do not use Cairo here because it turns text into outlines; in our files text stays text that can be
// searched, copied and edited.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

Result<std::string> svg_of(const Figure& figure, const Theme& theme, const std::string& document);

}  // namespace headlight::figures
