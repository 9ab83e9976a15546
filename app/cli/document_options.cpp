#include "app/cli/document_options.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/model_option.h"
#include "engine/core/text_file.h"
#include "engine/document/presets.h"
#include "engine/pipeline/array_document.h"
#include "engine/pipeline/padding.h"

namespace headlight::cli {
namespace {

std::string document_options_number(double value) { return to_string(Value(value)); }

// A field's help text: what the field does, which values it takes, and its default in brackets.
std::string describe(const Field& field) {
  const Parameter& p = field.parameter;
  std::string text = p.help;
  if (p.kind == Parameter::Kind::integer || p.kind == Parameter::Kind::real)
    text += " From " + document_options_number(p.least) + " to " + document_options_number(p.most) + ".";
  if (p.kind == Parameter::Kind::choice) {
    text += " One of";
    for (std::size_t i = 0; i < p.choices.size(); ++i) text += (i ? ", " : " ") + p.choices[i];
    text += ".";
  }
  const Document plain;
  const std::vector<std::string> fallback = field.get(plain);
  if (!fallback.empty() && !fallback[0].empty()) text += " [" + fallback[0] + "]";
  return text;
}

const char* type_name(const Parameter& p) {
  switch (p.kind) {
    case Parameter::Kind::boolean: return "true|false";
    case Parameter::Kind::integer: return "N";
    case Parameter::Kind::real: return "X";
    default: return "TEXT";
  }
}

}  // namespace

DocumentOptions::DocumentOptions(Arguments& arguments) {
  const char* group = "Document";
  arguments
      .option("--session", session_,
              "A session or document (JSON), or a figure, trace or CSV that carries its own; options given besides change it.")
      .group(group);
  arguments
      .option("--arrays", arrays_,
              "Attention that was computed elsewhere, in place of a model: weights, scores, or q, k and v in an .npz, .npy, "
              ".safetensors or .json.")
      .type("FILE")
      .group(group);
  arguments
      .option("--array-axes", axes_,
              "The axes of the weights, scores or queries of --arrays, of layer, sentence, head, query, key and d, as in "
              "layer,head,query,key, or 12*d of 12 heads side by side; without it they are guessed.")
      .type("NAMES")
      .group(group);
  std::string presets = "Several options at once; options given besides change them.";
  for (const presets::Entry& entry : presets::registry().entries()) presets += " " + entry.id + ": " + entry.formula + ".";
  arguments.option("--preset", preset_, presets).group(group);
  for (const Field& field : document_schema()) {
    auto given = std::make_unique<Given>();
    // An option takes one value each time it is given, so that what follows the value is not read as a second one. It can be
    // given several times, for several texts.
    given->option = arguments.option("--" + field.option, given->texts, describe(field))
                        .type(type_name(field.parameter))
                        .one_value_each()
                        .group(group);
    if (field.parameter.kind == Parameter::Kind::boolean)
      given->option->value_may_be_left_out();  // "--add-begin" alone means true
    given_[field.parameter.id] = std::move(given);
  }
  arguments.option("--text-file", text_file_, "The texts, one a line; - for standard input.")
      .type("FILE|-")
      .excludes(*given_.at("texts")->option)
      .group(group);
  arguments
      .flag("--attend-padding", attend_padding_,
            "Of texts of several lengths: lets the shorter ones attend to their padding, which is masked otherwise.")
      .group(group);
}

bool DocumentOptions::gives(const std::string& id) const { return given_.at(id)->option->count() > 0; }

Result<Session> DocumentOptions::read() const {
  Session session;
  if (!session_.empty()) {
    HL_ASSIGN(session, load_session(session_));
  }
  if (!arrays_.empty()) {
    arrays::Asked asked;
    if (!axes_.empty()) {
      HL_ASSIGN(asked.axes, arrays::axes_from(axes_, "--array-axes"));
    }
    HL_ASSIGN(ArraysOpened opened, open_array_document(arrays_, asked));
    session.document = std::move(opened.document);
    for (const Message& remark : opened.guess.remarks) std::fprintf(stderr, "headlight: %s\n", remark.english().c_str());
  } else if (!axes_.empty()) {
    return usage_error("the axes of no array are asked for").at("--array-axes").mend("give --arrays FILE");
  }
  if (!preset_.empty()) {
    const auto preset = presets::registry().get(preset_);
    if (!preset) return usage_error(preset.error().what).at("--preset").mend(preset.error().mend);
    (*preset)->apply(session.document);
  }
  // First the model: a stored one sets fields, which the other options then change.
  std::vector<const Field*> fields = {find_field("model")};
  for (const Field& field : document_schema())
    if (&field != fields.front()) fields.push_back(&field);
  for (const Field* const one : fields) {
    const Field& field = *one;
    const Given& given = *given_.at(field.parameter.id);
    if (given.option->count() == 0) continue;
    std::vector<std::string> texts = given.texts;
    if (field.parameter.kind == Parameter::Kind::boolean)
      for (std::string& text : texts)
        if (text.empty()) text = "true";
    if (texts.empty() && field.parameter.kind == Parameter::Kind::boolean) texts = {"true"};
    HL_TRY(field.set(session.document, texts));
  }
  if (!text_file_.empty()) HL_TRY(add_text_file(session));
  HL_TRY(validate(session.document));
  return session;
}

std::string DocumentOptions::remark_of(const std::string& step) const {
  const presets::Entry* preset = presets::registry().find(preset_);
  return preset ? presets::remark_of(*preset, step) : std::string();
}

Status DocumentOptions::add_text_file(Session& session) const {
  HL_ASSIGN(const std::string bytes, read_text_input(text_file_));
  const std::vector<std::string> lines = lines_of_text(bytes);
  const std::string where = text_file_ == "-" ? "standard input" : text_file_;
  if (lines.empty()) return invalid("there is no text").at(where).mend("give one a line");
  return find_field("texts")->set(session.document, lines);
}

Result<Session> DocumentOptions::read_batch() const {
  HL_ASSIGN(Session session, read());
  if (is_of_arrays(session.document)) return session;
  HL_ASSIGN(const bool attended, would_attend_padding(session.document));
  if (!attended) return session;
  const std::vector<std::string>& masks = given_.at("masks")->texts;
  const bool none = std::find(masks.begin(), masks.end(), "none") != masks.end();
  const bool new_texts = session_.empty() || !text_file_.empty() || given_.at("texts")->option->count() > 0 ||
                         given_.at("targets")->option->count() > 0;
  if (new_texts && !none && !attend_padding_) {
    session.document.masks.push_back({"padding", {}});
  } else {
    std::fprintf(stderr, "headlight: %s\n", kPaddingAttended);
  }
  return session;
}

}  // namespace headlight::cli
