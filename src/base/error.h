#pragma once

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace subfloor {

/// Whose turn it is to act on an error. Exit codes of the command line follow from it (docs/cli.md).
enum class ErrorKind {
  kBadInput,        ///< the program, a file or an argument is wrong; the user corrects it
  kNotSupported,    ///< valid, but not built (yet); the message says what would work
  kOutOfResources,  ///< memory, disk or a limit of the machine
  kInternal,        ///< our bug; the message carries what a report needs
};

/// A position in a text that the user gave. Lines and columns count from 1; 0 means unknown.
struct TextPosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// What went wrong. A message starts in lower case, names what was found and what was wanted, and ends
/// without a full stop.
class Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const TextPosition& position() const { return position_; }
  /// Name of the HLO instruction the error is about, without the leading %; empty when there is none.
  const std::string& instruction() const { return instruction_; }

  Error& At(TextPosition position);
  Error& In(std::string_view instruction);
  /// Puts `context: ` before the message; for callers that know more than the place of failure did.
  Error& Prepend(std::string_view context);

  /// "file:line:column: %instruction: message", leaving out what is unknown.
  std::string ToString() const;

 private:
  ErrorKind kind_;
  std::string message_;
  TextPosition position_;
  std::string instruction_;
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = std::expected<void, Error>;

/// Each makes the failing side of any Result: `return BadInput("operand {} is {}", i, shape);`
template <typename... Args>
std::unexpected<Error> BadInput(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error(ErrorKind::kBadInput, fmt::format(format, std::forward<Args>(args)...)));
}
template <typename... Args>
std::unexpected<Error> NotSupported(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error(ErrorKind::kNotSupported, fmt::format(format, std::forward<Args>(args)...)));
}
template <typename... Args>
std::unexpected<Error> OutOfResources(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error(ErrorKind::kOutOfResources, fmt::format(format, std::forward<Args>(args)...)));
}
template <typename... Args>
std::unexpected<Error> InternalError(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error(ErrorKind::kInternal, fmt::format(format, std::forward<Args>(args)...)));
}

/// The process exit code that an error of this kind stands for: 3 bad input, 4 not supported, 5 out of
/// resources, 70 our bug.
int ExitCode(ErrorKind kind);

std::string_view ToString(ErrorKind kind);

}  // namespace subfloor

/// Yields the value of a Result, or returns its error from the enclosing function: `auto x =
/// SF_TRY(Parse(text));`
#define SF_TRY(expression)                                                \
  ({                                                                      \
    auto sf_result = (expression);                                        \
    if (!sf_result) return std::unexpected(std::move(sf_result).error()); \
    ::subfloor::internal::Value(std::move(sf_result));                    \
  })

/// The same for a Status, or for a Result whose value is of no interest.
#define SF_CHECK(expression)                                                                             \
  do {                                                                                                   \
    if (auto sf_status = (expression); !sf_status) return std::unexpected(std::move(sf_status).error()); \
  } while (false)

namespace subfloor::internal {
template <typename T>
T Value(std::expected<T, Error>&& result) {
  return *std::move(result);
}
inline void Value(Status&&) {}
}  // namespace subfloor::internal
