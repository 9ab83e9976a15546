// A lesson's text with its places filled.
#include <string_view>
#include <utility>

#include "app/lessons/places.h"

namespace headlight::lessons {

std::vector<Run> fill_places(const std::string& text, const Source& source) {
  std::vector<Run> runs;
  Run run;
  const auto end_run = [&] {
    if (!run.text.empty()) runs.push_back(run);
    run.text.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto rest = std::string_view(text).substr(i);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      run.text += text[i++];
    } else if (rest.starts_with("**")) {
      end_run();
      run.bold = !run.bold;
      ++i;
    } else if (text[i] == '`') {
      end_run();
      run.mono = !run.mono;
    } else if (text[i] == '\n') {
      end_run();
      if (!runs.empty() && runs.back().text != "\n") runs.push_back({"\n", false, false, false, {}, {}});
    } else if (const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string::npos; close != std::string::npos) {
      end_run();
      auto filled = evaluate(text.substr(i + 1, close - i - 1), source);
      if (filled.ok()) {
        filled->bold = run.bold;
        runs.push_back(std::move(filled).value());
      } else {
        Run dash;
        dash.text = "—";
        dash.mono = dash.live = true;
        dash.why = filled.error();
        runs.push_back(std::move(dash));
      }
      i = close;
    } else {
      run.text += text[i];
    }
  }
  end_run();
  return runs;
}

}  // namespace headlight::lessons
