#include "app/text/error_words.h"

#include "app/text/language.h"

namespace headlight {

std::string spoken(const Message& message) {
  const Language* const language = spoken_language();
  if (!language) return message.english();
  if (message.is_plain()) return message.text();
  std::vector<std::string> values;
  for (const Message& value : message.values()) values.push_back(spoken(value));
  const char* const translated = language->find(message.text());
  auto said = fill_places(translated ? translated : message.text(), values);
  if (!said) said = fill_places(message.text(), values);  // a translation with other places
  return said.value_or(message.text());
}

std::string spoken(const Error& error) { return spoken(error.whole()); }

std::string spoken_briefly(const Message& sentence) {
  return spoken(sentence.text() == kWithMend.text() ? sentence.values().front() : sentence);
}

std::string spoken_in_window(const Error& error) {
  const bool is_option = error.where.english().starts_with("--");
  return spoken(is_option ? Error(error.kind, error.what, {}, error.mend) : error);
}

}  // namespace headlight
