// The texts of tests/data/texts/nasty.json.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/files.h"
#include "engine/core/json.h"
#include "test_data.h"

namespace headlight {

inline std::vector<std::string> nasty_texts() {
  const auto file = read_file(std::filesystem::path(HEADLIGHT_TEST_DATA) / "texts" / "nasty.json");
  EXPECT_TRUE(file.ok());
  const auto json = Json::parse(file.ok() ? *file : "[]");
  EXPECT_TRUE(json.ok());
  std::vector<std::string> texts;
  for (const Json& item : json->elements()) {
    std::string text = item.string();
    if (item.is_object()) {
      const std::string& hex = item["hex"].string();
      for (std::size_t i = 0; i < hex.size(); i += 2) text += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    texts.push_back(text);
  }
  EXPECT_GE(texts.size(), 200u);
  return texts;
}

}  // namespace headlight
