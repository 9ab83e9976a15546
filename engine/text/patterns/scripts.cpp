#include "engine/text/patterns/scripts.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/text/newer_characters.h"
#include "engine/text/patterns/pattern.h"
#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

// Unicode's scripts, the large ones first: a character is looked for in this order.
constexpr std::string_view kScripts =
    "Latin Common Inherited Han Hiragana Katakana Cyrillic Greek Arabic Hebrew Devanagari Hangul Thai Bengali Tamil Telugu "
    "Kannada "
    "Malayalam Gujarati Gurmukhi Oriya Sinhala Myanmar Khmer Lao Tibetan Ethiopic Georgian Armenian Mongolian Adlam Ahom "
    "Anatolian_Hieroglyphs Avestan Balinese Bamum Bassa_Vah Batak Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid "
    "Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Deseret "
    "Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Glagolitic Gothic Grantha Gunjala_Gondi Hanifi_Rohingya "
    "Hanunoo Hatran Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kayah_Li Kharoshthi "
    "Khitan_Small_Script Khojki Khudawadi Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Mandaic Manichaean "
    "Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mro Multani "
    "Nabataean Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic "
    "Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Osage Osmanya Pahawh_Hmong "
    "Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham "
    "SignWriting "
    "Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tangsa Tangut "
    "Thaana "
    "Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square";

constexpr int kCommon = 2, kHan = 4, kKatakana = 6, kDevanagari = 11;  // 4 to 6: Han, Hiragana, Katakana
constexpr char32_t kLongVowel = 0x30FC;

// The tables of the library tokenizers are those of Unicode 9. What came later, until Unicode 14, has no script there.
constexpr std::pair<char32_t, char32_t> kAfterNine[] = {
    {0x560, 0x560},     {0x588, 0x588},     {0x5EF, 0x5EF},     {0x61D, 0x61D},     {0x7FD, 0x7FF},     {0x860, 0x89F},
    {0x8B5, 0x8B5},     {0x8BE, 0x8D3},     {0x9FC, 0x9FE},     {0xA76, 0xA76},     {0xAFA, 0xAFF},     {0xB55, 0xB55},
    {0xC04, 0xC04},     {0xC3C, 0xC3C},     {0xC5D, 0xC5D},     {0xC77, 0xC77},     {0xC84, 0xC84},     {0xCDD, 0xCDD},
    {0xD00, 0xD00},     {0xD04, 0xD04},     {0xD3B, 0xD3C},     {0xD81, 0xD81},     {0xE86, 0xE86},     {0xE89, 0xE89},
    {0xE8C, 0xE8C},     {0xE8E, 0xE93},     {0xE98, 0xE98},     {0xEA0, 0xEA0},     {0xEA8, 0xEA9},     {0xEAC, 0xEAC},
    {0xEBA, 0xEBA},     {0x170D, 0x170D},   {0x1715, 0x171F},   {0x180F, 0x180F},   {0x1878, 0x1878},   {0x1ABF, 0x1ACE},
    {0x1B4C, 0x1B4C},   {0x1B7D, 0x1B7E},   {0x1C90, 0x1CBF},   {0x1CF7, 0x1CF7},   {0x1CFA, 0x1CFA},   {0x1DF6, 0x1DFA},
    {0x20BF, 0x20C0},   {0x23FF, 0x23FF},   {0x2B97, 0x2B97},   {0x2BBA, 0x2BBC},   {0x2BC9, 0x2BC9},   {0x2BD2, 0x2BEB},
    {0x2BF0, 0x2BFF},   {0x2C2F, 0x2C2F},   {0x2C5F, 0x2C5F},   {0x2E45, 0x2E5D},   {0x312E, 0x312F},   {0x31BB, 0x31BF},
    {0x32FF, 0x32FF},   {0x4DB6, 0x4DBF},   {0x9FD6, 0x9FFF},   {0xA7AF, 0xA7AF},   {0xA7B8, 0xA7F6},   {0xA82C, 0xA82C},
    {0xA8FE, 0xA8FF},   {0xAB66, 0xAB6B},   {0xFBC2, 0xFBC2},   {0xFD40, 0xFD4F},   {0xFDCF, 0xFDCF},   {0xFDFE, 0xFDFF},
    {0x1019C, 0x1019C}, {0x1032D, 0x1032F}, {0x10570, 0x105BC}, {0x10780, 0x107BA}, {0x10A34, 0x10A35}, {0x10A48, 0x10A48},
    {0x10D00, 0x10D39}, {0x10E80, 0x10FF6}, {0x11070, 0x11075}, {0x110C2, 0x110CD}, {0x11144, 0x11147}, {0x111CE, 0x111CF},
    {0x1133B, 0x1133B}, {0x1145A, 0x1145A}, {0x1145E, 0x11461}, {0x116B8, 0x116B9}, {0x1171A, 0x1171A}, {0x11740, 0x1183B},
    {0x11900, 0x11ABF}, {0x11D00, 0x11FFF}, {0x12F90, 0x12FF2}, {0x13430, 0x13438}, {0x16A70, 0x16AC9}, {0x16E40, 0x16E9A},
    {0x16F45, 0x16F4F}, {0x16F7F, 0x16F87}, {0x16FE1, 0x16FF1}, {0x187ED, 0x187F7}, {0x18AF3, 0x1AFFE}, {0x1B002, 0x1B2FB},
    {0x1CF00, 0x1CFC3}, {0x1D1E9, 0x1D1EA}, {0x1D2E0, 0x1D2F3}, {0x1D372, 0x1D378}, {0x1DF00, 0x1DF1E}, {0x1E100, 0x1E7FE},
    {0x1E94B, 0x1E94B}, {0x1EC71, 0x1ED3D}, {0x1F10D, 0x1F10F}, {0x1F12F, 0x1F12F}, {0x1F16C, 0x1F16F}, {0x1F1AD, 0x1F1AD},
    {0x1F260, 0x1F265}, {0x1F6D3, 0x1F6DF}, {0x1F6F7, 0x1F6FC}, {0x1F7D5, 0x1F7F0}, {0x1F8B0, 0x1F90F}, {0x1F91F, 0x1F91F},
    {0x1F928, 0x1F92F}, {0x1F931, 0x1F932}, {0x1F93F, 0x1F93F}, {0x1F94C, 0x1F94F}, {0x1F95F, 0x1F97F}, {0x1F992, 0x1F9BF},
    {0x1F9C1, 0x1FBF9}, {0x2A6D7, 0x2A6DF}, {0x2B735, 0x2B738}, {0x2CEB0, 0x2EBE0}, {0x30000, 0x3134A}};

bool is_newer(char32_t c) {
  const auto* const range = std::lower_bound(std::begin(kAfterNine), std::end(kAfterNine), c,
                                             [](const auto& one, char32_t value) { return one.second < value; });
  return (range != std::end(kAfterNine) && range->first <= c) || older_alike(c) != c;
}

// The place of a character's script in the list above; 0: it has none. PCRE2 knows the scripts of characters, but says them only
// by matching: each character is asked once.
class Scripts {
 public:
  int of(char32_t c) {
    const std::lock_guard lock(mutex_);
    const auto [it, added] = known_.try_emplace(c, 0);
    if (added) it->second = look_up(c);
    return it->second;
  }

 private:
  int look_up(char32_t c) {
    if (patterns_.empty())
      for (std::size_t at = 0; at < kScripts.size();) {
        const std::size_t end = std::min(kScripts.find(' ', at), kScripts.size());
        patterns_.push_back(
            Pattern::of("\\p{sc:" + std::string(kScripts.substr(at, end - at)) + "}"));  // an older PCRE2 may lack it
        at = end + 1;
      }
    const std::string text = to_utf8(c);
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (patterns_[i].ok() && patterns_[i]->stretches(text).front().match) {
        const int script = static_cast<int>(i) + 1;
        return script > kHan && script <= kKatakana ? kHan : script;
      }
    return 0;
  }

  std::mutex mutex_;
  std::unordered_map<char32_t, int> known_;
  std::vector<Result<Pattern>> patterns_;
};

}  // namespace

int script_of(char32_t c) {
  static Scripts scripts;
  if (is_newer(c)) return 0;
  // Four characters have another script since: a full stop of Armenian and a mark of Arabic were common, two accents
  // Devanagari's.
  if (c == 0x589 || c == 0x61C) return kCommon;
  if (c == 0x953 || c == 0x954) return kDevanagari;
  return c == kLongVowel ? kHan : scripts.of(c);
}

}  // namespace headlight::text
