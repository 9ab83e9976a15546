#include "engine/models/step.h"

namespace headlight {

AttentionSite::AttentionSite() = default;
AttentionSite::AttentionSite(const AttentionSite& other) = default;
AttentionSite::AttentionSite(AttentionSite&& other) noexcept = default;
AttentionSite& AttentionSite::operator=(const AttentionSite& other) = default;
AttentionSite& AttentionSite::operator=(AttentionSite&& other) noexcept = default;
AttentionSite::~AttentionSite() = default;

}  // namespace headlight
