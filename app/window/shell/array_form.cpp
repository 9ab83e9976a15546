#include "app/window/shell/array_form.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/view.h"
#include "app/window/shell/shell.h"
#include "engine/core/byte_words.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/array_document.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

// Of the dialogue, from frame to frame.
struct ReadingDialogue {
  bool asked = false;  // it opens in the next frame
  std::string error;   // what the last correction cannot mean
};
ReadingDialogue& state(Shell& shell) { return shell.transient.of<ReadingDialogue>(); }

arrays::Reading reading(const Shell& shell) { return arrays_of(shell.document())->reading; }

std::shared_ptr<const arrays::File> opened_file(const Shell& shell) {
  const auto file = open_arrays(*arrays_of(shell.document()));
  return file ? *file : nullptr;
}

void correct(Shell& shell, const arrays::Reading& next) {
  auto made = with_reading(shell.document(), next);
  state(shell).error = made ? std::string() : spoken(made.error());
  if (made) shell.edit(std::move(made->document));
}

const char* axis_words(const std::string& axis) {
  return axis == "layer"                             ? tr("layer")
         : axis == "batch"                           ? tr("sentence")
         : axis == "head"                            ? tr("head")
         : axis == "query"                           ? tr("query")
         : axis == "key"                             ? tr("key")
         : axis == "d" || arrays::heads_beside(axis) ? tr("dimension")
                                                     : tr("none");
}

// The next group of a row of groups, at the height of the first one.
void beside(const Look& look, float top) { ImGui::SetCursorScreenPos({ImGui::GetItemRectMax().x + look.px(8), top}); }

// Arrays of one shape and one reading of their axes, as weights and their scores mostly are: one correction is for all of them.
struct Alike {
  std::vector<std::size_t> uses;
  Shape shape;
};
std::vector<Alike> alike(const Shell& shell, const std::vector<arrays::Group>& groups) {
  std::vector<Alike> all;
  const auto& uses = reading(shell).uses;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const arrays::Group& g) { return g.pattern == uses[i].pattern; });
    if (group == groups.end()) continue;
    const Shape shape = group->shape();
    const auto like = std::find_if(all.begin(), all.end(), [&](const Alike& one) {
      const arrays::Use& first = uses[one.uses.front()];
      return one.shape == shape && first.axes == uses[i].axes && first.part == uses[i].part;
    });
    if (like == all.end())
      all.push_back({{i}, shape});
    else
      like->uses.push_back(i);
  }
  return all;
}

// How many heads lie side by side in the axis of q, k or v, where heads have no axis of their own.
void draw_heads_beside(Shell& shell, const Look& look, const Alike& them, std::size_t axis) {
  constexpr std::int64_t kMost = 256;
  const arrays::Use now = reading(shell).uses[them.uses.front()];
  const std::int64_t size = them.shape[axis], heads = arrays::heads_beside(now.axes[axis]).value_or(1);
  const bool has_axis = std::find(now.axes.begin(), now.axes.end(), "head") != now.axes.end();
  if (arrays::is_matrix(now.what) || has_axis || (now.axes[axis] != "d" && heads == 1)) return;
  const auto said = [size](std::int64_t n) { return std::to_string(n) + " × " + std::to_string(size / n); };
  ImGui::SetNextItemWidth(look.px(104));
  if (ImGui::BeginCombo("##heads", said(heads).c_str())) {
    for (std::int64_t n = 1; n <= std::min(size, kMost); ++n) {
      if (size % n != 0 || !ImGui::Selectable(said(n).c_str(), n == heads)) continue;
      arrays::Reading next = reading(shell);
      for (const std::size_t use : them.uses) next.uses[use].axes[axis] = arrays::heads_beside_name(n);
      correct(shell, next);
    }
    ImGui::EndCombo();
  }
  shell.name_part("arrays:heads");
  tooltip(look, tr("How many heads lie side by side in this axis, and how many numbers each has"));
}

// One axis of them. An axis that takes another's name gives that one its own.
void draw_axis(Shell& shell, const Look& look, const Alike& them, std::size_t axis) {
  const arrays::Use now = reading(shell).uses[them.uses.front()];
  const std::int64_t size = them.shape[axis];
  ImGui::PushID(static_cast<int>(axis));
  ImGui::BeginGroup();
  caption(look, std::to_string(size));
  ImGui::SetNextItemWidth(look.px(104));
  if (ImGui::BeginCombo("##axis", axis_words(now.axes[axis]))) {
    for (const char* name : {"layer", "batch", "head", "query", arrays::is_matrix(now.what) ? "key" : "d", "-"}) {
      if (std::string_view(name) == "-" && size != 1) continue;
      const bool is = now.axes[axis] == name || (std::string_view(name) == "d" && arrays::heads_beside(now.axes[axis]));
      if (!ImGui::Selectable(labelled(axis_words(name), name).c_str(), is) || is) continue;
      arrays::Reading next = reading(shell);
      for (const std::size_t use : them.uses) {
        auto& axes = next.uses[use].axes;
        const auto other = std::string_view(name) == "-" ? axes.end() : std::find(axes.begin(), axes.end(), name);
        if (other != axes.end()) *other = axes[axis];
        axes[axis] = name;
      }
      correct(shell, next);
    }
    ImGui::EndCombo();
  }
  shell.name_part("arrays:axis " + std::to_string(axis));
  tooltip(look, tr("What this axis counts. An axis that takes another one's name gives its own to it."));
  draw_heads_beside(shell, look, them, axis);
  ImGui::EndGroup();
  ImGui::PopID();
}

// Whether the numbers of an array of cells are weights or scores.
void draw_what(Shell& shell, const Look& look, std::size_t index) {
  const arrays::Use use = reading(shell).uses[index];
  const char* labels[] = {tr("weights"), tr("scores"), tr("masked scores")};
  const char* why[] = {tr("Its rows are what softmax gave"), tr("Softmax makes weights of them, behind the mask"),
                       tr("Softmax makes weights of them: minus infinity is masked")};
  constexpr arrays::What kWhats[] = {arrays::What::weights, arrays::What::scores, arrays::What::masked_scores};
  const auto selected = std::find(std::begin(kWhats), std::end(kWhats), use.what) - std::begin(kWhats);
  if (selected == 3) return;
  const int clicked = segmented(look, "is", labels, 3, static_cast<int>(selected), why);
  if (clicked < 0 || kWhats[clicked] == use.what) return;
  arrays::Reading next = reading(shell);
  // Another array that was said to be this changes places with it.
  for (arrays::Use& other : next.uses)
    if (other.part == use.part && other.what == kWhats[clicked]) other.what = use.what;
  next.uses[index].what = kWhats[clicked];
  correct(shell, next);
}

void draw_alike(Shell& shell, const Look& look, const Alike& them) {
  ImGui::PushID(static_cast<int>(them.uses.front()));
  for (const std::size_t index : them.uses) {
    const arrays::Use use = reading(shell).uses[index];
    words(
        look,
        (use.part.empty() ? "" : std::string(tr(use.part.c_str())) + ", ") + tr(arrays::words_of(use.what)) + ": " + use.pattern,
        look.theme.text, kBody);
    if (index != them.uses.front() || !arrays::is_matrix(use.what) || use.what == arrays::What::mask) continue;
    draw_what(shell, look, index);
  }
  const float top = ImGui::GetCursorScreenPos().y;
  for (std::size_t axis = 0; axis < them.shape.size() && axis < reading(shell).uses[them.uses.front()].axes.size(); ++axis) {
    if (axis > 0) beside(look, top);
    draw_axis(shell, look, them, axis);
  }
  ImGui::PopID();
}

// A list of names that tokens may have.
void draw_tokens(Shell& shell, const Look& look, const arrays::File& file, const char* label,
                 std::string arrays::Reading::*member, const char* none) {
  const arrays::Reading now = reading(shell);
  ImGui::BeginGroup();
  caption(look, label);
  ImGui::SetNextItemWidth(look.px(220));
  ImGui::PushID(label);
  if (ImGui::BeginCombo("##tokens", (now.*member).empty() ? none : (now.*member).c_str())) {
    const auto offer = [&](const std::string& name, const std::string& shown) {
      if (!ImGui::Selectable((shown + "###" + name).c_str(), now.*member == name)) return;
      arrays::Reading next = now;
      next.*member = name;
      correct(shell, next);
    };
    offer({}, none);
    for (const arrays::Texts& texts : file.texts) offer(texts.name, texts.name);
    for (const arrays::Array& array : file.arrays)
      if ((array.element >= arrays::Element::i8 || file.kind == ".json") && array.element != arrays::Element::boolean &&
          !array.shape.empty() && array.shape.size() <= 2)
        offer(array.name, array.name);
    ImGui::EndCombo();
  }
  tooltip(look, tr("A list of texts; or ids or a sentence, which a tokenizer reads"));
  ImGui::PopID();
  ImGui::EndGroup();
}

void draw_tokenizer(Shell& shell, const Look& look) {
  std::string& draft = shell.ui.drafts["arrays tokenizer"];
  ImGui::BeginGroup();
  caption(look, tr("tokenizer"));
  ImGui::SetNextItemWidth(look.px(160));
  const bool entered = text_input("##tokenizer", draft, tr("none"), ImGuiInputTextFlags_EnterReturnsTrue);
  tooltip(look, tr("For ids, or for a sentence: a vocabulary's name or its folder (Enter)"));
  if (entered && draft != reading(shell).tokenizer) {
    arrays::Reading next = reading(shell);
    next.tokenizer = draft;
    correct(shell, next);
  }
  ImGui::EndGroup();
}

// What a session keeps: asked here, once, and taken for every later saving.
void draw_keeping(Shell& shell, const Look& look, const arrays::File& file) {
  const bool copied = arrays_of(shell.document())->copy != nullptr;
  const std::string copy = fill(tr("a copy ({})"), {byte_words(static_cast<double>(file.bytes))});
  const char* labels[] = {tr("a reference"), copy.c_str()};
  const char* why[] = {tr("A session or a figure names the file and its checksum, and opens where the file is"),
                       tr("A session or a figure carries the file, and opens anywhere")};
  caption(look, tr("a saved session keeps"));
  const int clicked = segmented(look, "keeps", labels, 2, copied ? 1 : 0, why);
  if (clicked < 0 || (clicked == 1) == copied) return;
  auto kept = keeping(shell.document(), clicked == 1);
  state(shell).error = kept ? std::string() : spoken(kept.error());
  if (kept) shell.edit(std::move(*kept));
}

void draw_contents(Shell& shell, const Look& look) {
  const auto file = opened_file(shell);
  if (!file) {
    words(look, tr("The file cannot be read any more."), look.theme.wrong, kBody);
    return;
  }
  const auto said = reading_of(shell);
  if (said.value) {
    for (const Message& why : said.value->why) words(look, spoken(why), look.theme.secondary);
    for (const Message& remark : said.value->remarks) words(look, spoken(remark), look.theme.selected);
  }
  ImGui::Dummy({0, look.px(4)});
  const std::vector<arrays::Group> groups = arrays::groups_of(*file);
  for (const Alike& them : alike(shell, groups)) draw_alike(shell, look, them);
  ImGui::Dummy({0, look.px(4)});
  const float top = ImGui::GetCursorScreenPos().y;
  draw_tokens(shell, look, *file, tr("tokens of the queries"), &arrays::Reading::tokens, tr("numbers"));
  beside(look, top);
  draw_tokens(shell, look, *file, tr("tokens of the keys"), &arrays::Reading::source_tokens, tr("the same"));
  beside(look, top);
  draw_tokenizer(shell, look);
  auto& masks = shell.document().masks;
  bool causal = std::any_of(masks.begin(), masks.end(), [](const Choice& mask) { return mask.id == "causal"; });
  if (toggle(look, labelled(tr("causal: no query sees a later key"), "causal").c_str(), &causal)) {
    Document next = shell.document();
    std::erase_if(next.masks, [](const Choice& mask) { return mask.id == "causal"; });
    if (causal) next.masks.push_back({"causal", {}});
    shell.edit(std::move(next));
  }
  tooltip(look, tr("Cells above the diagonal count as masked, and softmax leaves them out"));
  draw_keeping(shell, look, *file);
  if (!state(shell).error.empty()) words(look, state(shell).error, look.theme.wrong);
}

}  // namespace

Status show_arrays(Session& session, const std::filesystem::path& path, const std::string& axes) {
  arrays::Asked asked;
  if (!axes.empty()) {
    HL_ASSIGN(asked.axes, arrays::axes_from(axes, "--axes"));
  }
  HL_ASSIGN(ArraysOpened opened, open_array_document(path, asked));
  session.document = std::move(opened.document);
  views::open_for(session.view, views::Offers::one_head);
  session.view.layer = session.view.head = session.view.batch = 0;
  session.view.translates = false;
  return {};
}

void ask_reading(Shell& shell) { state(shell).asked = true; }

Derived::Answer<arrays::Guess> reading_of(Shell& shell) {
  const auto source = arrays_of(shell.document());
  if (!source) return {};
  const DerivedKey key("arrays", {shell.document().model});
  return shell.derived().later<arrays::Guess>(key, [source](const CancelToken&) -> Result<arrays::Guess> {
    HL_ASSIGN(const auto file, open_arrays(*source));
    auto first = arrays::guess(*file);
    if (first && first->reading == source->reading) return first;
    return arrays::look_again(*file, source->reading);
  });
}

std::string arrays_label(const Document& document) {
  return std::filesystem::path(arrays_of(document)->file).filename().string();
}

ArraysBadge arrays_badge(Shell& shell) {
  const auto said = reading_of(shell);
  if (!said.value || said.value->remarks.empty())
    return {tr("given"), tr("The attention was computed elsewhere, and is shown as the file gives it."), false};
  std::string why;
  for (const Message& remark : said.value->remarks) why += (why.empty() ? "" : "\n") + spoken(remark);
  return {tr("unusual numbers"), why, true};
}

void draw_array_pill(Shell& shell, const Look& look) {
  if (pill(look, "reading", tr("arrays"), tr("how they are read"), 0, state(shell).asked)) state(shell).asked = true;
  shell.name_part("picker:arrays");
  tooltip(look, tr("What the arrays of this file are, why, and which tokens are theirs"));
}

void draw_array_form(Shell& shell, const Look& look) {
  constexpr const char* kId = "###arrays";
  if (!is_of_arrays(shell.document())) {
    state(shell).asked = false;
    return;
  }
  if (std::exchange(state(shell).asked, false)) {
    state(shell).error.clear();
    shell.ui.drafts["arrays tokenizer"] = reading(shell).tokenizer;
    ImGui::OpenPopup(kId);
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  const float width = std::min(look.px(720), screen.x - look.px(32));
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, screen.y - look.px(32)});
  if (!ImGui::BeginPopupModal(kId, nullptr,
                              ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_AlwaysAutoResize))
    return;
  words(look, fill(tr("How {} is read"), {arrays_label(shell.document())}), look.theme.text, kHeading);
  draw_contents(shell, look);
  const float verb = look.px(120);
  ImGui::SetCursorPosX(ImGui::GetWindowWidth() - verb - look.px(16));
  const bool done = button(look, labelled(tr("Show it"), "done").c_str(), verb, 34, true);
  tooltip(look, tr("Closes this (Enter, Escape); the picker of arrays opens it again"));
  const bool keys =
      !ImGui::GetIO().WantTextInput && (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_Escape));
  if (done || keys) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace headlight::window
