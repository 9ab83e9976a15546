// Words that a page has on the screen and presented: titles, and what is said between pictures.
#pragma once

#include <string>
#include <vector>

#include "app/views/base/sheet.h"

namespace headlight::views {

// A title that goes on in further lines, with the longest of the remarks that fits behind it.
// heading(sheet, "lens title", "Logit lens", {"the top word after each layer"})
sheet::Node heading(Sheet& sheet, const std::string& id, std::string title, std::vector<std::string> remarks = {});
// Words of `size` points; those of a higher rank give way first.
sheet::Node remark(Sheet& sheet, const std::string& id, std::string text, float size, figures::Color color, int rank = 0);

}  // namespace headlight::views
