#include "app/lessons/lesson.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "app/files/configuration.h"
#include "app/session/view_fields.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/sorting.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::lessons {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargest = std::uint64_t{16} << 20;

std::string list_of(const std::set<std::string>& keys) {
  std::string all;
  for (const std::string& key : keys) all += (all.empty() ? "" : ", ") + key;
  return all;
}

// A place in a lesson's file, for errors: "tokens.json step 3 question".
struct Place {
  std::string where;
  Place at(const std::string& more) const { return {where + " " + more}; }
  Error error(const Message& what, const Message& mend) const { return invalid(what).at(where).mend(mend); }
};

Status known_keys(const Json& json, const std::set<std::string>& known, const Place& place) {
  if (!json.is_object())
    return place.error(Message("this is not a JSON object"), Message("give {{\"{}\": ...}}", *known.begin()));
  for (const auto& [key, value] : json.members())
    if (!known.contains(key)) return place.error(Message("there is no key '{}'", key), Message("known are {}", list_of(known)));
  return {};
}

Result<Texts> texts_of(const Json& json, const std::string& key, const Place& place) {
  Texts texts;
  if (json.is_object())
    for (const auto& [language, text] : json.members())
      if (text.is_string()) texts[language] = text.string();
  if (texts.empty() || texts.size() != json.size())
    return place.error(Message("'{}' is no text in languages", key),
                       Message("give \"{}\": {{\"en\": \"...\", \"zh\": \"...\"}}", key));
  return texts;
}
Result<Texts> texts_from(const Json& json, const std::string& key, const Place& place) { return texts_of(json[key], key, place); }

Result<std::int64_t> whole_from(const Json& json, const std::string& key, std::int64_t least, std::int64_t most,
                                const Place& place) {
  if (json[key].is_integer())
    if (const std::int64_t value = json[key].integer(); value >= least && value <= most) return value;
  return place.error(Message("'{}' is no whole number from {} to {}", key, least, most), Message("give one"));
}

Result<std::string> name_from(const Json& json, const std::string& key, const Place& place) {
  if (!json[key].string().empty()) return json[key].string();
  return place.error(Message("'{}' is no name", key), Message("give \"{}\": \"...\"", key));
}

Result<Question> question_from(const Json& json, const Place& place) {
  HL_TRY(known_keys(json, {"text", "choices", "answer", "why"}, place));
  Question question;
  HL_ASSIGN(question.text, texts_from(json, "text", place));
  HL_ASSIGN(question.why, texts_from(json, "why", place));
  if (!json["choices"].is_array() || json["choices"].size() < 2)
    return place.error(Message("'choices' is no list of two or more"),
                       Message("give \"choices\": [{{\"en\": \"...\"}}, {{\"en\": \"...\"}}]"));
  for (const Json& choice : json["choices"].elements()) {
    HL_ASSIGN(Texts texts, texts_of(choice, "choices", place));
    question.choices.push_back(std::move(texts));
  }
  HL_ASSIGN(question.answer, whole_from(json, "answer", 0, static_cast<std::int64_t>(question.choices.size()) - 1, place));
  return question;
}

Result<FilmAt> film_from(const Json& json, const Place& place) {
  HL_TRY(known_keys(json, {"corpus", "kind", "vocabulary", "step"}, place));
  FilmAt film;
  if (json.contains("corpus")) {
    HL_ASSIGN(film.corpus, name_from(json, "corpus", place));
    if (film.corpus != "lecture" && film.corpus != "sample")
      return place.error(Message("there is no corpus '{}'", film.corpus), Message("give lecture or sample"));
  }
  if (json.contains("kind")) {
    HL_ASSIGN(film.kind, name_from(json, "kind", place));
    if (!tokenizers::registry().find(film.kind))
      return place.error(Message("there is no tokenizer '{}'", film.kind), Message("give characters, words, bpe or wordpiece"));
  }
  if (json.contains("vocabulary")) {
    HL_ASSIGN(film.vocabulary, whole_from(json, "vocabulary", 5, 200000, place));
  }
  if (json.contains("step")) {
    HL_ASSIGN(film.step, whole_from(json, "step", 0, 200000, place));
  }
  return film;
}

// The fields of a view that a lesson may name.
std::set<std::string> view_paths() {
  std::set<std::string> paths;
  for (const SavedField& field : saved_fields())
    if (!personal_keys().contains(field.path())) paths.insert(field.path());
  return paths;
}

Result<Json> object_from(const Json& json, const std::string& key, const Place& place) {
  if (!json.contains(key)) return Json::object();
  if (!json[key].is_object()) return place.error(Message("'{}' is no JSON object", key), Message("give \"{}\": {{...}}", key));
  return json[key];
}

// A view as a file says it.
struct SaidView {
  ViewState view;
  std::set<std::string> fields;  // SavedField::path() of those that it names
};

// The fields that `json` names, over those of `base`.
Result<SaidView> view_from(const Json& json, SaidView base, const Place& place) {
  std::set<std::string> said, unknown;
  HL_TRY(take_over(base.view, json, place.where, &said, &unknown));
  if (!unknown.empty())
    return place.error(Message("there is no key '{}'", *unknown.begin()), Message("known are {}", list_of(view_paths())));
  for (const std::string& path : said)
    if (personal_keys().contains(path))
      return place.error(Message("'{}' is the person's own choice", path), Message("leave it out of the lesson"));
  base.fields.merge(said);
  return base;
}

Result<Document> document_from(const Json& json, const Place& place) {
  HL_ASSIGN(Document document, document_from_json(json.dump(), place.where + " document"));
  if (const Status valid = validate(document); !valid.ok())
    return invalid(valid.error().what).at("{} document", place.where).mend(valid.error().mend);
  return document;
}

Result<Exercise> exercise_from(const Json& json, const Json& document, const SaidView& view, const Place& place) {
  HL_TRY(known_keys(json, {"goal", "solution"}, place));
  Exercise exercise;
  if (!json["goal"].is_array() || json["goal"].empty())
    return place.error(Message("'goal' is no list of conditions"),
                       Message("give \"goal\": [{{\"what\": {{\"en\": \"tokens\"}}, \"that\": \"tokens >= 5\"}}]"));
  for (const Json& condition : json["goal"].elements()) {
    HL_TRY(known_keys(condition, {"what", "that"}, place));
    Condition one;
    HL_ASSIGN(one.what, texts_from(condition, "what", place));
    HL_ASSIGN(one.that, name_from(condition, "that", place));
    if (const auto read = relation_of(one.that); !read.ok()) return place.error(read.error().what, read.error().mend);
    exercise.goal.push_back(std::move(one));
  }
  const Json& solution = json["solution"];
  const Place at = place.at("solution");
  HL_TRY(known_keys(solution, {"text", "document", "view", "training"}, at));
  HL_ASSIGN(exercise.text, texts_from(solution, "text", at));
  HL_ASSIGN(const Json own_document, object_from(solution, "document", at));
  HL_ASSIGN(const Json own_view, object_from(solution, "view", at));
  HL_ASSIGN(SaidView shown, view_from(own_view, view, at.at("view")));
  exercise.view = std::move(shown.view);
  exercise.view_keys = std::move(shown.fields);
  Json whole = document;
  whole.update(own_document);
  HL_ASSIGN(exercise.document, document_from(whole, at));
  if (solution.contains("training")) {
    HL_ASSIGN(exercise.training, film_from(solution["training"], at.at("training")));
  }
  return exercise;
}

Result<Step> step_from(const Json& json, const Json& document, const SaidView& view, const Place& place) {
  HL_TRY(known_keys(json, {"text", "document", "view", "highlight", "names", "training", "question", "exercise"}, place));
  Step step;
  HL_ASSIGN(step.text, texts_from(json, "text", place));
  HL_ASSIGN(const Json own_document, object_from(json, "document", place));
  HL_ASSIGN(const Json own_view, object_from(json, "view", place));
  HL_ASSIGN(const SaidView shown, view_from(own_view, view, place.at("view")));
  step.view = shown.view;
  step.view_keys = shown.fields;
  Json whole = document;
  whole.update(own_document);
  HL_ASSIGN(step.document, document_from(whole, place));
  if (json.contains("highlight")) {
    const auto wrong =
        place.error(Message("'highlight' is no list of names"), Message("give \"highlight\": [\"heads:grid\", \"chip:0\"]"));
    if (!json["highlight"].is_array()) return wrong;
    for (const Json& name : json["highlight"].elements()) {
      if (!name.is_string()) return wrong;
      std::string part = name.string();
      // The views were once chosen by tabs.
      if (part.starts_with("tab:")) part.replace(0, 3, "rail");
      step.highlight.push_back(std::move(part));
    }
  }
  if (json.contains("names")) {
    const auto wrong = place.error(Message("'names' is no table of numbers"), Message("give \"names\": {{\"W\": 500}}"));
    if (!json["names"].is_object()) return wrong;
    for (const auto& [name, value] : json["names"].members()) {
      if (!value.is_number()) return wrong;
      step.names[name] = value.number();
    }
  }
  if (json.contains("training")) {
    HL_ASSIGN(step.training, film_from(json["training"], place.at("training")));
  }
  if (json.contains("question")) {
    HL_ASSIGN(step.question, question_from(json["question"], place.at("question")));
  }
  if (json.contains("exercise")) {
    HL_ASSIGN(step.exercise, exercise_from(json["exercise"], whole, shown, place.at("exercise")));
  }
  return step;
}

// The lesson with what it says of another model in the place of its own: "document", "view" and "names" key by key, other keys of
// a step whole, and null takes one away.
Result<Json> with_model(Json json, const std::string& model, const Place& place) {
  const Json over = std::as_const(json)["also"][model];
  HL_TRY(known_keys(over, {"document", "view", "steps"}, place));
  const auto take_over = [](Json& object, const Json& members) {
    Json made = object.is_object() ? object : Json::object();
    made.update(members);
    object = std::move(made);
  };
  if (over.contains("document")) take_over(json["document"], over["document"]);
  if (over.contains("view")) take_over(json["view"], over["view"]);
  json["document"]["model"] = model;
  const Json own_steps = std::as_const(json)["steps"];
  if (over["steps"].size() > own_steps.size())
    return place.error(Message("there are more steps than the lesson has"), Message("give one for each step, or fewer"));
  Json steps = Json::array();
  for (std::size_t i = 0; i < own_steps.size(); ++i) {
    const Json& change = over["steps"][i];
    Json step = Json::object();
    for (const auto& [key, value] : own_steps[i].members())
      if (!change.contains(key)) step[key] = value;
    for (const auto& [key, value] : change.members()) {
      if (value.is_null()) continue;
      const bool by_keys = key == "document" || key == "view" || key == "names";
      step[key] = by_keys ? own_steps[i][key] : value;
      if (by_keys) take_over(step[key], value);
    }
    steps.push_back(std::move(step));
  }
  json["steps"] = std::move(steps);
  return json;
}

// The keys of `json` whose values differ from those of `plain`.
Json difference(const std::string& json, const std::string& plain) {
  const Json whole = *Json::parse(json), base = *Json::parse(plain);
  Json out = Json::object();
  for (const auto& [key, value] : whole.members())
    if (!base.contains(key) || base[key] != value) out[key] = value;
  return out;
}

// The keys of `document` whose values differ from those of `base`. A key that is written only when it is not the default is
// written here as the default where `base` has it.
Json document_difference(const Document& document, const Document& base) {
  const std::string whole = headlight::to_json(document), plain = headlight::to_json(base);
  Json out = difference(whole, plain);
  const Json mine = *Json::parse(whole);
  for (const auto& [key, value] : Json::parse(plain)->members()) {
    const Field* const field = find_field(key);
    if (!field || mine.contains(key)) continue;
    const std::vector<std::string> texts = field->get(document);
    out[key] = field->repeatable ? Json(texts) : value.is_boolean() ? Json(texts.at(0) == "true") : Json(texts.at(0));
  }
  return out;
}

Json film_json(const FilmAt& film) {
  return Json::object({{"corpus", film.corpus}, {"kind", film.kind}, {"vocabulary", film.vocabulary}, {"step", film.step}});
}

Json json_of(const Exercise& exercise, const Step& step) {
  Json goal = Json::array();
  for (const Condition& one : exercise.goal) goal.push_back(Json::object({{"what", one.what}, {"that", one.that}}));
  Json solution = Json::object({{"text", exercise.text}});
  solution["document"] = document_difference(exercise.document, step.document);
  solution["view"] = headlight::json_of(exercise.view, [&](const SavedField& field) {
    return !personal_keys().contains(field.path()) &&
           (exercise.view_keys.contains(field.path()) || !field.same(exercise.view, step.view));
  });
  if (exercise.training) solution["training"] = film_json(*exercise.training);
  return Json::object({{"goal", std::move(goal)}, {"solution", std::move(solution)}});
}

Json view_json(const Step& step) {
  return headlight::json_of(step.view, [&, plain = ViewState()](const SavedField& field) {
    return !personal_keys().contains(field.path()) && (step.view_keys.contains(field.path()) || !field.same(step.view, plain));
  });
}

Json json_of(const Step& step) {
  Json json;
  json["text"] = step.text;
  json["document"] = difference(headlight::to_json(step.document), headlight::to_json(Document()));
  json["view"] = view_json(step);
  if (!step.highlight.empty()) json["highlight"] = step.highlight;
  if (!step.names.empty()) json["names"] = step.names;
  if (step.training) json["training"] = film_json(*step.training);
  if (step.question) {
    Json question =
        Json::object({{"text", step.question->text}, {"choices", step.question->choices}, {"answer", step.question->answer}});
    question["why"] = step.question->why;
    json["question"] = std::move(question);
  }
  if (step.exercise) json["exercise"] = json_of(*step.exercise, step);
  return json;
}

void read_folder(const fs::path& folder, bool own, Found& found) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder, none))
    if (file.path().extension() == ".json") files.push_back(file.path());
  sort_stably(files);
  for (const fs::path& file : files) {
    auto lesson = load_lesson(file);
    if (!lesson.ok()) {
      found.errors.push_back(lesson.error());
      continue;
    }
    lesson->own = own;
    auto& all = found.lessons;
    std::erase_if(all, [&](const auto& other) { return other->id == lesson->id; });
    all.push_back(std::make_shared<const Lesson>(std::move(lesson).value()));
  }
}

}  // namespace

const std::string& in_language(const Texts& texts, const std::string& language) {
  static const std::string none;
  for (const std::string& id : {language, std::string("en")})
    if (const auto at = texts.find(id); at != texts.end() && !at->second.empty()) return at->second;
  for (const auto& [id, text] : texts)
    if (!text.empty()) return text;
  return none;
}

const std::set<std::string>& personal_keys() {
  static const std::set<std::string> keys = {"theme",       "colormap", "ui_scale",   "presentation",
                                             "rail_folded", "lesson",   "lesson_step"};
  return keys;
}

ViewState view_for(const Step& step, const ViewState& person) {
  ViewState view = step.view;
  for (const SavedField& field : saved_fields())
    if (personal_keys().contains(field.path())) field.set(view, field.value(person));
  return view;
}

Result<Relation> relation_of(const std::string& condition) {
  bool quoted = false;
  for (std::size_t at = 0; at < condition.size(); ++at) {
    if (condition[at] == '\'') quoted = !quoted;
    if (quoted) continue;
    const auto trimmed = [](std::string text) {
      while (text.ends_with(' ')) text.pop_back();
      return text.substr(std::min(text.find_first_not_of(' '), text.size()));
    };
    for (const std::string_view sign : {">=", "<=", "!=", ">", "<", "="}) {
      if (condition.compare(at, sign.size(), sign) != 0) continue;
      Relation read{trimmed(condition.substr(0, at)), std::string(sign), trimmed(condition.substr(at + sign.size()))};
      if (!read.left.empty() && !read.right.empty()) return read;
    }
  }
  return invalid("'{}' is no condition", condition).mend("give two places with one of >= <= > < = != between them");
}

Step solved_step(const Step& step) {
  Step solved = step;
  if (!step.exercise) return solved;
  solved.text = step.exercise->text;
  solved.document = step.exercise->document;
  solved.view = step.exercise->view;
  solved.view_keys = step.exercise->view_keys;
  if (step.exercise->training) solved.training = step.exercise->training;
  return solved;
}

bool shows(const Step& step, const ViewState& view) {
  return step.view.tab == view.tab && std::ranges::all_of(saved_fields(), [&](const SavedField& field) {
           return !step.view_keys.contains(field.path()) || field.same(step.view, view);
         });
}

Result<Lesson> lesson_from_json(std::string_view text, const std::string& where, const std::string& model) {
  const Place place{where};
  HL_ASSIGN(Json whole, Json::parse(text, where, Message("give a lesson as Headlight saves it")));
  const bool changed = !model.empty() && whole.is_object();
  HL_ASSIGN(const Json json, changed ? with_model(std::move(whole), model, place.at("also " + model)) : std::move(whole));
  if (!json.is_object() || !json.contains("headlight_lesson"))
    return place.error(Message("this is not a lesson"), Message("give a JSON object with \"headlight_lesson\": 1 and \"steps\""));
  if (!json["headlight_lesson"].is_integer())
    return place.error(Message("'headlight_lesson' is no version"), Message("give \"headlight_lesson\": 1"));
  if (const std::int64_t version = json["headlight_lesson"].integer(); version != Lesson::kVersion)
    return place.error(Message("this lesson has version {} and this program reads version 1", version),
                       version > 1 ? Message("open it with a newer Headlight") : Message("give \"headlight_lesson\": 1"));
  HL_TRY(known_keys(json, {"headlight_lesson", "id", "title", "minutes", "order", "document", "view", "steps", "also"}, place));
  Lesson lesson;
  for (const auto& [name, change] : json["also"].members()) lesson.also.push_back(name);
  lesson.model = model;
  HL_ASSIGN(lesson.id, name_from(json, "id", place));
  HL_ASSIGN(lesson.title, texts_from(json, "title", place));
  HL_ASSIGN(lesson.minutes, whole_from(json, "minutes", 1, 600, place));
  if (json.contains("order")) {
    HL_ASSIGN(lesson.order, whole_from(json, "order", 0, 1000000, place));
  }
  HL_ASSIGN(const Json document, object_from(json, "document", place));
  HL_ASSIGN(const Json said, object_from(json, "view", place));
  HL_ASSIGN(const SaidView view, view_from(said, {}, place.at("view")));
  if (!json["steps"].is_array() || json["steps"].empty())
    return place.error(Message("'steps' is no list of steps"), Message("give \"steps\": [{{\"text\": {{...}}}}]"));
  for (const Json& step : json["steps"].elements()) {
    HL_ASSIGN(Step read, step_from(step, document, view, place.at("step " + std::to_string(lesson.steps.size() + 1))));
    lesson.steps.push_back(std::move(read));
  }
  return lesson;
}

std::string to_json(const Lesson& lesson) {
  Json json = Json::object({{"headlight_lesson", Lesson::kVersion},
                            {"id", lesson.id},
                            {"title", lesson.title},
                            {"minutes", lesson.minutes},
                            {"order", lesson.order},
                            {"steps", Json::array()}});
  for (const Step& step : lesson.steps) json["steps"].push_back(json_of(step));
  return json.dump(2) + "\n";
}

Result<Lesson> load_lesson(const fs::path& path, const std::string& model) {
  HL_ASSIGN(const std::string text, read_text_file(path, kLargest));
  HL_ASSIGN(Lesson lesson, lesson_from_json(text, path.string(), model));
  lesson.path = path;
  return lesson;
}

Status save_lesson(const fs::path& path, const Lesson& lesson) {
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  if (error)
    return failure(ErrorKind::io, "the folder cannot be made: {}", Message::term(error.message()))
        .at(path.parent_path().string());
  return write_file(path, to_json(lesson));
}

fs::path own_folder() { return configuration_path().parent_path() / "lessons"; }

Found all() {
  Found found;
  if (const auto assets = assets_folder(); assets.ok())
    read_folder(*assets / "lessons", false, found);
  else
    found.errors.push_back(assets.error());
  read_folder(own_folder(), true, found);
  sort_stably(found.lessons, [](const auto& a, const auto& b) { return a->order < b->order; });
  return found;
}

std::string id_from(const std::string& title) {
  std::string id;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      id += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!id.empty() && id.back() != '-')
      id += '-';
  }
  while (id.ends_with('-')) id.pop_back();
  return id.empty() ? "lesson" : id;
}

}  // namespace headlight::lessons
