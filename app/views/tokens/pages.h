// The pages of the Tokens view as parts of its sheet, and as figures for files.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"
#include "app/views/tokens/data.h"

namespace headlight::views::tokens {

// A menu of `labels`, of which `at` is chosen.
sheet::Node choose_one(Sheet& sheet, std::string id, std::string label, std::vector<std::string> labels, std::size_t at,
                       std::string why, std::function<void(std::size_t)> choose);

// The choices that a page has besides the tokenizers.
std::vector<sheet::Node> rows_choices(Sheet& sheet);
std::vector<sheet::Node> measured_choices(Sheet& sheet);
std::vector<sheet::Node> word_choices(Sheet& sheet);
std::vector<sheet::Node> languages_choices(Sheet& sheet);
std::vector<sheet::Node> training_choices(Sheet& sheet);

sheet::Node rows_page(Sheet& sheet);
sheet::Node measured_page(Sheet& sheet);
sheet::Node word_page(Sheet& sheet);
sheet::Node languages_page(Sheet& sheet);
sheet::Node training_page(Sheet& sheet);

// In a file. Without items: there is nothing to show, or not yet.
figures::Figure figure_of_rows(const Context& context, float width, float height);
figures::Figure figure_of_token(const Context& context, float width, float height);
figures::Figure figure_of_measured(const Context& context, float width, float height);
figures::Figure figure_of_word(const Context& context, float width, float height);
figures::Figure figure_of_languages(const Context& context, float width, float height);
figures::Figure figure_of_language(const Context& context, float width, float height);
figures::Figure figure_of_training(const Context& context, float width, float height);

}  // namespace headlight::views::tokens
