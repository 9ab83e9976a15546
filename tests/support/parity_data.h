// Published data for tests, found through HEADLIGHT_PARITY_DATA; without it, tests that need it are skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace headlight::test {

// The folder; empty if the variable is not set.
inline std::filesystem::path parity_data() {
  const char* folder = std::getenv("HEADLIGHT_PARITY_DATA");
  return folder ? std::filesystem::path(folder) : std::filesystem::path();
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// llama.cpp's texts of one vocabulary ("gpt-2"), each with its ids.
struct LlamaCppCase {
  std::string text;
  std::vector<std::int32_t> ids;
};
inline std::vector<LlamaCppCase> llama_cpp_cases(const std::string& vocabulary) {
  const std::string base = (parity_data() / "token-expected/llama.cpp" / ("ggml-vocab-" + vocabulary + ".gguf")).string();
  const std::string input = read_bytes(base + ".inp"), divider = "\n__ggml_vocab_test__\n";
  std::istringstream outputs(read_bytes(base + ".out"));
  std::vector<LlamaCppCase> cases;
  std::string line;
  for (std::size_t begin = 0; begin < input.size() && std::getline(outputs, line);) {
    const std::size_t end = std::min(input.find(divider, begin), input.size());
    LlamaCppCase one{input.substr(begin, end - begin), {}};
    std::istringstream numbers(line);
    for (std::int32_t id = 0; numbers >> id;) one.ids.push_back(id);
    cases.push_back(std::move(one));
    begin = end + divider.size();
  }
  return cases;
}

}  // namespace headlight::test

#define HEADLIGHT_NEEDS_PARITY_DATA() \
  if (headlight::test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set"
