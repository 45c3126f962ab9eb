#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace subfloor {

/// The bytes of a file. Errors: bad input, naming the path and the system's reason.
Result<std::string> ReadFile(const std::string& path);

/// Makes a file of these bytes, or replaces one. Errors: bad input if it cannot be opened, out of resources
/// if not all could be written; both name the path and the system's reason.
Status WriteFile(const std::string& path, std::string_view bytes);

}  // namespace subfloor
