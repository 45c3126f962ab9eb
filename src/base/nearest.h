#pragma once

#include <span>
#include <string_view>

namespace subfloor {

/// The one of `candidates` that `word` was most likely meant to be, by edits of single characters; empty if
/// none is near, or `word` is longer than any name.
std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace subfloor
