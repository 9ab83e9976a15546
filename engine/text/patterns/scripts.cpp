#include "engine/text/patterns/scripts.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

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

constexpr int kHan = 4, kKatakana = 6;  // Han, Hiragana, Katakana
constexpr char32_t kLongVowel = 0x30FC;

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
  return c == kLongVowel ? kHan : scripts.of(c);
}

}  // namespace headlight::text
