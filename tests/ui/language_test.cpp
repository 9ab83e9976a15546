// The table of the interface's texts is complete: every text that the sources pass to tr() is in it with all columns filled, and
// it has no other texts.
#include "app/text/language.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "app/figures/base/theme.h"
#include "app/files/configuration.h"
#include "app/gl/shaping.h"
#include "app/text/device_words.h"
#include "app/text/english_signs.h"
#include "app/text/error_words.h"
#include "app/text/view_words.h"
#include "app/views/base/context.h"
#include "app/views/base/view.h"
#include "engine/attention/long_texts/method.h"
#include "engine/attention/masks/mask.h"
#include "engine/attention/positions/position.h"
#include "engine/core/files.h"
#include "engine/document/document.h"
#include "engine/insight/operation_words.h"
#include "engine/operations/operations.h"
#include "engine/recurrence/network.h"
#include "engine/tokenizers/training/training.h"
#include "test_data.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

fs::path source_root() { return fs::path(HEADLIGHT_TEST_DATA).parent_path().parent_path(); }

std::string text_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? *text : std::string();
}

std::vector<fs::path> sources(const char* folder) {
  std::vector<fs::path> out;
  for (const auto& file : fs::recursive_directory_iterator(source_root() / folder))
    if (file.path().extension() == ".cpp" || file.path().extension() == ".h") out.push_back(file.path());
  std::sort(out.begin(), out.end());
  return out;
}

// The parts of a C++ source that this test needs: names, string literals (adjacent ones joined, escapes resolved) and single
// characters.
struct Piece {
  enum Kind { name, literal, sign } kind;
  std::string text;
};
std::vector<Piece> pieces_of(const std::string& source) {
  std::vector<Piece> out;
  const auto skip_to = [&](std::size_t at, std::string_view end) {
    const std::size_t found = source.find(end, at);
    return found == std::string::npos ? source.size() : found + end.size();
  };
  for (std::size_t i = 0; i < source.size();) {
    const char c = source[i];
    if (source.compare(i, 2, "//") == 0) {
      i = skip_to(i, "\n");
    } else if (source.compare(i, 2, "/*") == 0) {
      i = skip_to(i, "*/");
    } else if (source.compare(i, 3, "R\"(") == 0) {
      const std::size_t end = skip_to(i, ")\"");
      out.push_back({Piece::literal, source.substr(i + 3, end - i - 5)});
      i = end;
    } else if (c == '\'') {
      i += source[i + 1] == '\\' ? 2 : 1;
      i = skip_to(i + 1, "'");
      out.push_back({Piece::sign, "'"});
    } else if (c == '"') {
      std::string text;
      for (++i; i < source.size() && source[i] != '"'; ++i) {
        if (source[i] != '\\') {
          text += source[i];
          continue;
        }
        ++i;
        if (source[i] == 'x') {
          text += static_cast<char>(std::stoi(source.substr(i + 1, 2), nullptr, 16));
          i += 2;
        } else {
          text += source[i] == 'n' ? '\n' : source[i] == 't' ? '\t' : source[i];
        }
      }
      ++i;
      if (!out.empty() && out.back().kind == Piece::literal)
        out.back().text += text;
      else
        out.push_back({Piece::literal, text});
    } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
      const std::size_t start = i;
      while (i < source.size() && (std::isalnum(static_cast<unsigned char>(source[i])) || source[i] == '_')) ++i;
      out.push_back({Piece::name, source.substr(start, i - start)});
    } else {
      if (std::isdigit(static_cast<unsigned char>(c))) {  // a number, with its separators
        while (i + 1 < source.size() && (std::isalnum(static_cast<unsigned char>(source[i + 1])) || source[i + 1] == '\'')) ++i;
      }
      if (!std::isspace(static_cast<unsigned char>(c))) out.push_back({Piece::sign, std::string(1, c)});
      ++i;
    }
  }
  return out;
}

// The closing parenthesis of the call whose opening one is at `open`.
std::size_t closing(const std::vector<Piece>& p, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < p.size(); ++i) {
    if (p[i].kind != Piece::sign) continue;
    if (p[i].text == "(") ++depth;
    if (p[i].text == ")" && --depth == 0) return i;
  }
  return p.size();
}

bool calls(const std::vector<Piece>& p, std::size_t i, std::initializer_list<const char*> names) {
  if (p[i].kind != Piece::name || i + 1 >= p.size() || p[i + 1].text != "(") return false;
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return p[i].text == name; });
}

// Every literal in tr(…) and tr_later(…), with its file.
std::map<std::string, std::string> spoken_in_sources() {
  std::map<std::string, std::string> out;
  for (const fs::path& file : sources("app")) {
    if (file.parent_path().filename() == "text") continue;
    const auto p = pieces_of(text_of(file));
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!calls(p, i, {"tr", "tr_later"})) continue;
      const std::size_t end = closing(p, i + 1);
      for (std::size_t k = i + 2; k < end; ++k)
        if (p[k].kind == Piece::literal) out.emplace(p[k].text, file.filename().string());
    }
  }
  return out;
}

// The texts of registries and schemas, which are passed to tr() as variables.
std::map<std::string, std::string> spoken_from_registries() {
  std::map<std::string, std::string> out;
  const auto add = [&](const std::string& text, const std::string& where) {
    if (!text.empty()) out.emplace(text, where);
  };
  const auto entries = [&](const auto& registry, const std::string& where) {
    for (const auto& entry : registry.entries()) {
      add(entry.label, where + " " + entry.id);
      add(entry.formula, where + " " + entry.id);
    }
  };
  entries(views::registry(), "view");
  entries(figures::themes(), "theme");
  entries(figures::colormaps(), "colour map");
  entries(tokenizers::registry(), "tokenizer");
  entries(masks::registry(), "mask");
  entries(positions::registry(), "positions");
  const auto parameter = [&](const Parameter& p, const std::string& where) {
    add(p.label.empty() ? p.id : p.label, where);
    add(p.help, where);
    for (const std::string& choice : p.choices) add(choice, where);
  };
  for (const masks::Entry& entry : masks::registry().entries())
    for (const Parameter& p : entry.parameters) parameter(p, "mask " + entry.id);
  for (const long_texts::Entry& entry : long_texts::registry().entries()) {
    add(entry.label, "long-text method " + entry.id);
    add(entry.says, "long-text method " + entry.id);
    for (const Parameter& p : entry.parameters)
      if (p.kind == Parameter::Kind::choice)
        add(p.help, "long-text method " + entry.id);  // its choices are formulas' names
      else
        parameter(p, "long-text method " + entry.id);
  }
  for (const operations::Kind* const kind : operations::kinds())
    if (const char* const box = explaining::words_of(*kind).box) add(box, "operation " + kind->id);
  for (const recurrence::Kind& kind : recurrence::kinds().entries()) {
    add(kind.label, "recurrent network " + kind.id);
    for (const recurrence::Part& part : kind.parts) add(part.label, "recurrent network " + kind.id);
  }
  // The fields that the window shows as controls; the others have pickers of their own.
  for (const char* id : {"seed", "norm", "residual", "feed_forward", "projected", "bias", "d_ff", "layers", "heads", "d_model",
                         "add_begin", "add_end", "score", "scale", "temperature"}) {
    const Field* field = find_field(id);
    EXPECT_NE(field, nullptr) << id;
    if (field) parameter(field->parameter, std::string("field ") + id);
  }
  // The Compare tab names every field that differs.
  for (const Field& field : document_schema())
    add(field.parameter.label.empty() ? field.parameter.id : field.parameter.label, "field " + field.parameter.id);
  add("sandbox", "model");
  add(find_field("model")->parameter.help, "field model");
  return out;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out{""};
  for (const char c : text) {
    if (c == at)
      out.emplace_back();
    else
      out.back() += c;
  }
  return out;
}

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
Table table() {
  Table t;
  const auto lines = split(text_of(source_root() / "assets" / "interface.tsv"), '\n');
  t.head = split(lines[0], '\t');
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty()) t.rows.push_back(split(lines[i], '\t'));
  for (const std::string& text : view_words()) {  // a view's own words stand beside it
    const auto own = split(text, '\n');
    EXPECT_EQ(split(own[0], '\t'), t.head) << "the first line of a words.tsv";
    for (std::size_t i = 1; i < own.size(); ++i)
      if (!own[i].empty()) t.rows.push_back(split(own[i], '\t'));
  }
  return t;
}

// The places of a text, sorted: "{}" twice is {"{}", "{}"}.
std::vector<std::string> places(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '{') {
      const std::size_t end = text.find('}', i);
      if (end != std::string::npos && end - i <= 2) out.push_back("{}");
    }
  return out;
}

TEST(InterfaceTable, EveryTextOfTheSourcesAndRegistriesIsInIt) {
  std::set<std::string> known;
  for (const auto& row : table().rows) known.insert(row[0]);
  const auto check = [&](const std::map<std::string, std::string>& texts) {
    EXPECT_GT(texts.size(), 20u);
    for (const auto& [text, where] : texts)
      EXPECT_TRUE(known.contains(text)) << "no line in assets/interface.tsv or a view's words.tsv for \"" << text << "\" ("
                                        << where << ")";
  };
  check(spoken_in_sources());
  check(spoken_from_registries());
}

TEST(InterfaceTable, EveryLineIsWholeAndOnlyOnce) {
  const Table t = table();
  ASSERT_GE(t.head.size(), 2u);
  std::set<std::string> seen;
  for (const auto& row : t.rows) {
    EXPECT_TRUE(seen.insert(row[0]).second) << "twice: " << row[0];
    ASSERT_EQ(row.size(), t.head.size()) << row[0];
    for (std::size_t i = 1; i < row.size(); ++i) {
      EXPECT_FALSE(row[i].empty()) << row[0] << " lacks " << t.head[i];
      EXPECT_EQ(places(row[i]), places(row[0])) << row[0] << " | " << row[i];
      EXPECT_EQ(row[i].find("###"), std::string::npos) << row[i] << ": ids are not translated";
    }
  }
}

// The window's fonts are completed by these characters: one that is not among them may be drawn as a question mark.
TEST(InterfaceTable, TheSignsOfTheEnglishTextsAreListed) {
  std::set<char32_t> listed;
  const std::string signs = kEnglishSigns;
  for (std::size_t at = 0; at < signs.size();) listed.insert(gl::next_code_point(signs, at));
  for (const auto& row : table().rows)
    for (std::size_t at = 0; at < row[0].size();) {
      const char32_t c = gl::next_code_point(row[0], at);
      EXPECT_TRUE(c < 0x80 || listed.contains(c)) << row[0] << ": U+" << std::hex << static_cast<std::uint32_t>(c);
    }
}

TEST(InterfaceTable, NothingStandsInItThatNoSourceSays) {
  std::set<std::string> said;
  for (const char* folder : {"app", "engine"})
    for (const fs::path& file : sources(folder))
      for (const Piece& piece : pieces_of(text_of(file)))
        if (piece.kind == Piece::literal) said.insert(piece.text);
  for (const auto& [text, where] : spoken_from_registries()) said.insert(text);
  // Titles of lessons and examples, and what a bundled model was trained on, are in data files.
  std::string data;
  for (const auto& file : fs::recursive_directory_iterator(source_root() / "assets"))
    if (file.path().extension() == ".json" && file.file_size() < (1 << 20)) data += text_of(file.path());
  // And so are the languages of the sentences: a code, a language, a sentence.
  std::istringstream sentences(text_of(source_root() / "assets/sentences/parallel.tsv"));
  for (std::string line; std::getline(sentences, line);)
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
      data += "\"" + line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1) + "\"";
  for (const auto& row : table().rows)
    EXPECT_TRUE(said.contains(row[0]) || data.find("\"" + row[0] + "\"") != std::string::npos) << "nobody says: " << row[0];
}

// Texts given to the window's controls without tr() would stay English in every language.
TEST(InterfaceTable, NoControlSpeaksPastIt) {
  const auto speaks = [](const std::string& text) {
    // A word of three letters or more that is neither an id nor a format.
    int run = 0, longest = 0;
    for (const char c : text.substr(0, text.find("##"))) {
      run = std::isalpha(static_cast<unsigned char>(c)) ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    return longest >= 3 && text.find('%') == std::string::npos && text.find(" = ") == std::string::npos;  // formulas
  };
  for (const char* folder : {"app/window", "app/inspector", "app/views", "app/lessons"}) {
    if (!fs::is_directory(source_root() / folder)) continue;
    for (const fs::path& file : sources(folder)) {
      const auto p = pieces_of(text_of(file));
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (!calls(p, i, {"words", "caption", "tooltip", "say", "button", "toggle", "MenuItem", "labelled"})) continue;
        if (i > 0 && p[i - 1].text == "&") continue;  // an operator
        const std::size_t end = closing(p, i + 1);
        for (std::size_t k = i + 2; k < end; ++k) {
          if (calls(p, k, {"tr", "labelled"})) {  // labelled() is checked separately
            k = closing(p, k + 1);
          } else if (p[k].kind == Piece::literal && speaks(p[k].text)) {
            // The first argument of a sheet's part is its id.
            if (k == i + 2 && i > 0 && p[i - 1].text == ".") continue;
            // The second part of a label is its id.
            if (p[i].text == "labelled" && p[k - 1].text == ",") continue;
            // Compared, not shown.
            if (p[k - 1].text == "=" || p[k + 1].text == "=") continue;
            // The id of a mask in a condition.
            if (p[k + 1].text == ")" && p[k + 2].text == "?") continue;
            // Keys have the same names in all languages.
            if (p[k].text.starts_with("Ctrl+") || p[k].text.starts_with("Shift+") || p[k].text.starts_with("Alt+")) continue;
            ADD_FAILURE() << file.filename() << ": \"" << p[k].text << "\" goes to " << p[i].text << "() without tr()";
          }
        }
      }
    }
  }
}

TEST(Language, AFileInTheConfigurationFolderAddsOne) {
  const fs::path folder = fs::temp_directory_path() / ("headlight-language-" + std::to_string(::getpid()));
  fs::create_directories(folder / "languages");
  ::setenv("HEADLIGHT_CONFIG_DIR", folder.c_str(), 1);
  ASSERT_TRUE(write_file(folder / "languages" / "eo.tsv",
                         "en\teo=Esperanto\nExport\tEksporti\nopened {}\tmalfermis {}\n"
                         "there is no tokenizer '{}'\tne estas leksilo «{}»\n")
                  .ok());
  const auto all = languages();
  const auto at = std::find_if(all.begin(), all.end(), [](const LanguageName& l) { return l.id == "eo"; });
  ASSERT_NE(at, all.end());
  EXPECT_EQ(at->label, "Esperanto");
  EXPECT_EQ(all.front().id, "en");

  test::NullWindow null;
  window::Setup setup;
  setup.compute = run_on_backend();
  setup.configuration.language = "eo";
  window::Shell shell(std::move(setup));
  null.frames(shell, 2);
  EXPECT_STREQ(tr("Export"), "Eksporti");
  EXPECT_EQ(fill(tr("opened {}"), {"x.json"}), "malfermis x.json");
  EXPECT_STREQ(tr("View"), "View") << "what the file lacks stays English";
  EXPECT_EQ(spoken(not_found("there is no tokenizer '{}'", "bpf").mend("known are bpe")),
            "ne estas leksilo «bpf»; known are bpe");

  // The language changes with the next frame; ids stay the same, so that open popups stay open.
  const ImGuiID before = ImHashStr(ui::labelled(tr("Export"), "export").c_str());
  shell.configuration().language = "zh";
  null.frame(shell);
  EXPECT_STRNE(tr("Export"), "Export");
  EXPECT_STRNE(tr("Export"), "Eksporti");
  EXPECT_EQ(ImHashStr(ui::labelled(tr("Export"), "export").c_str()), before);
  shell.configuration().language = "en";
  null.frame(shell);
  EXPECT_STREQ(tr("Export"), "Export");

  // A broken line of a table is reported with name and line number, and the window uses English.
  ASSERT_TRUE(write_file(folder / "languages" / "eo.tsv", "en\teo=Esperanto\nExport\n").ok());
  shell.configuration().language = "eo";
  null.frame(shell);
  EXPECT_STREQ(tr("Export"), "Export");
  EXPECT_NE(shell.ui.notice.find("eo.tsv:2"), std::string::npos) << shell.ui.notice;
  shell.configuration().language = "xx";
  null.frame(shell);
  EXPECT_NE(shell.ui.notice.find("'xx'"), std::string::npos) << shell.ui.notice;
  ::unsetenv("HEADLIGHT_CONFIG_DIR");
  fs::remove_all(folder);
}

TEST(Language, ADevicesLabelIsSpokenPartByPart) {
  EXPECT_EQ(device_words("CPU, 2 threads, AVX-512"), "CPU, 2 threads, AVX-512");
  const auto chinese = load_language("zh");
  ASSERT_TRUE(chinese.ok());
  speak(*chinese);
  EXPECT_EQ(device_words("CPU, 2 threads, AVX-512", 2), "CPU, 2 个线程");
  EXPECT_EQ(device_words("CPU, 1 thread, AVX-512"), "CPU, 1 个线程, AVX-512");
  EXPECT_EQ(device_words("Reference, 1 thread, double"), "参考实现, 1 个线程, 双精度");
  EXPECT_EQ(device_words("NVIDIA H200, 139 GiB, compute 9.0, CUDA 12.4, driver for 12.8, products in tf32"),
            "NVIDIA H200, 139 GiB, 计算能力 9.0, CUDA 12.4, 驱动支持 CUDA 12.8, 乘积用 tf32");
  EXPECT_EQ(device_words("reference, in double"), "reference, in double");
  speak(nullptr);
}

TEST(Language, TheSystemsLocaleChooses) {
  ::setenv("LC_ALL", "zh_CN.UTF-8", 1);
  EXPECT_EQ(system_language(), "zh");
  ::setenv("LC_ALL", "tlh_XX.UTF-8", 1);
  EXPECT_EQ(system_language(), "en");
}

}  // namespace
}  // namespace headlight
