#include "engine/insight/explanation.h"

#include <cmath>
#include <cstdio>

#include "engine/core/one_nan.h"
#include "engine/text/utf8.h"

namespace headlight {
namespace {

using Kind = ExplainLine::Kind;

bool is_picture(const ExplainLine& line) { return line.kind == Kind::bars || line.kind == Kind::strip; }

std::string latex_of(const ExplainSpan& span) {
  return span.latex.empty() ? "\\text{" + escape_latex(span.text) + "}" : span.latex;
}

// A sentence in text mode with its numbers in math mode.
std::string latex_words(const ExplainLine& line) {
  if (line.words.empty()) return escape_latex(line.text);
  std::string out;
  std::size_t from = 0, next = 0;
  for (std::size_t hole; (hole = line.words.find("{}", from)) != std::string::npos && next < line.spans.size(); ++next) {
    out += escape_latex(std::string_view(line.words).substr(from, hole - from)) + "$" + latex_of(line.spans[next]) + "$";
    from = hole + 2;
  }
  return out + escape_latex(std::string_view(line.words).substr(from));
}

std::string latex_term(const ExplainLine& line) {
  std::string out = "\\text{" + escape_latex(line.label) + "}:\\quad & ";
  for (std::size_t i = 0; i < line.spans.size(); ++i)
    out += (i == 0                      ? ""
            : i + 1 < line.spans.size() ? " \\cdot "
            : std::isnan(line.share)    ? " = "
                                        : " \\to ") +
           latex_of(line.spans[i]);
  return out;
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  char text[40];
  const double size = std::abs(value);
  if (size != 0 && (size < 5e-4 || size >= 1e6))
    std::snprintf(text, sizeof text, "%.3g", one_nan(value));
  else
    std::snprintf(text, sizeof text, "%.4f", one_nan(value == 0 ? 0.0 : value));
  return text;
}

std::string number_latex(double value) {
  if (std::isnan(value)) return "\\mathrm{NaN}";
  if (std::isinf(value)) return value < 0 ? "-\\infty" : "\\infty";
  std::string text = number_text(value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  return text.substr(0, e) + " \\cdot 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
}

std::string escape_latex(std::string_view text) {
  std::string out;
  char hex[16];
  text::for_each_code_point(text, [&](std::int64_t, const text::CodePoint& point) {
    const char32_t c = point.value;
    switch (c) {
      case U'\\': out += "\\textbackslash{}"; break;
      case U'{':
      case U'}':
      case U'$':
      case U'&':
      case U'#':
      case U'%':
      case U'_': out += std::string("\\") + static_cast<char>(c); break;
      case U'^': out += "\\textasciicircum{}"; break;
      case U'~': out += "\\textasciitilde{}"; break;
      case U'<': out += "\\textless{}"; break;
      case U'>': out += "\\textgreater{}"; break;
      case U'|': out += "\\textbar{}"; break;
      case U'"': out += "''"; break;  // \\textquotedbl is not in every font encoding
      case U'·': out += "\\textperiodcentered{}"; break;
      case U'→': out += "$\\to$"; break;
      case U'≤': out += "$\\le$"; break;
      case U'≥': out += "$\\ge$"; break;
      case U'Δ': out += "$\\Delta$"; break;
      case U'√': out += "$\\surd$"; break;
      case U'×': out += "$\\times$"; break;
      case U'÷': out += "$\\div$"; break;
      case U'Σ': out += "$\\sum$"; break;
      case U'∞': out += "$\\infty$"; break;
      case U'…': out += "\\dots{}"; break;
      default:
        if (c >= 32 && c < 127) {
          out += static_cast<char>(c);
        } else {
          std::snprintf(hex, sizeof hex, "U+%04X", static_cast<unsigned>(c));
          out += hex;
        }
    }
  });
  return out;
}

std::string to_text(const std::vector<ExplainSection>& sections) {
  std::string text;
  for (const ExplainSection& section : sections) {
    text += "\n" + section.title + "\n";
    for (const ExplainLine& line : section.lines)
      if (!is_picture(line)) text += "  " + line.text + "\n";
  }
  return text;
}

std::string to_latex(const std::vector<ExplainSection>& sections) {
  std::string out;
  for (const ExplainSection& section : sections) {
    out += "\n\\paragraph{" + escape_latex(section.title) + "}\n";
    // Neighbouring formulas share one align*; `open` says that one has begun.
    bool open = false;
    const auto close = [&] {
      if (open) out += "\n\\end{align*}\n";
      open = false;
    };
    for (const ExplainLine& line : section.lines) {
      if (is_picture(line)) continue;
      const bool mathematics = line.kind == Kind::term || (line.kind == Kind::line && line.words.empty() && !line.spans.empty());
      if (!mathematics) {
        close();
        out += "\\noindent " + latex_words(line) + "\\par\n";
        continue;
      }
      out += open ? " \\\\\n" : "\\begin{align*}\n";
      open = true;
      out += "  ";
      if (line.kind == Kind::term) {
        out += latex_term(line);
      } else {
        out += "&\\ ";
        for (const ExplainSpan& span : line.spans) out += latex_of(span);
      }
    }
    close();
  }
  return out;
}

}  // namespace headlight
