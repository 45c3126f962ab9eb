#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace subfloor::hlo {

/// A cursor over HLO text: reads one token at a time, as the caller expects it.
///
/// HLO's tokens depend on their place (`1_2x0_0` is a padding, `b01f_01io->b01f` names dimensions), so there
/// is no token stream: whoever parses a construct asks for what it wants. The cursor always stands at the
/// start of a token; spaces and comments behind a token are skipped with it. Nothing is allocated per token;
/// views point into the lexer's own copy of the text, and so live as long as the lexer.
///
/// Every reader returns false on failure after recording an error with line, column, what was found and what
/// was wanted; the first error stays. Threads: one lexer per thread.
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file_name);
  Lexer(const Lexer&) = delete;
  Lexer& operator=(const Lexer&) = delete;

  // The cursor. ---------------------------------------------------------------------------------------------
  const char* position() const { return cursor_; }
  const char* end() const { return end_; }
  /// Goes back to a position that position() gave.
  void Rewind(const char* position) { cursor_ = position; }
  /// Goes on to `position`, and over the spaces behind it.
  void Advance(const char* position) {
    cursor_ = position;
    SkipSpace();
  }
  bool AtEnd() const { return cursor_ == end_; }
  size_t size() const { return text_.size(); }
  /// The character at the cursor, or 0 at the end.
  char Peek() const { return *cursor_; }
  /// The character after the one at the cursor, spaces not skipped.
  char PeekNext() const { return cursor_ < end_ ? cursor_[1] : '\0'; }

  // Punctuation and words. ----------------------------------------------------------------------------------
  bool Accept(char c) {
    if (*cursor_ != c || cursor_ == end_) return false;
    Advance(cursor_ + 1);
    return true;
  }
  bool Accept(std::string_view punctuation) {
    if (!StartsWith(punctuation)) return false;
    Advance(cursor_ + punctuation.size());
    return true;
  }
  bool StartsWith(std::string_view prefix) const {
    return static_cast<size_t>(end_ - cursor_) >= prefix.size() &&
           std::memcmp(cursor_, prefix.data(), prefix.size()) == 0;
  }
  /// `c`, or an error that wants it.
  bool Expect(char c) { return Accept(c) || FailWanted(std::string_view(&c, 1), /*quote=*/true); }
  bool Expect(std::string_view punctuation) {
    return Accept(punctuation) || FailWanted(punctuation, /*quote=*/true);
  }

  /// The identifier at the cursor (letter or _, then letters, digits and _ . -), empty if there is none. Not
  /// consumed.
  std::string_view PeekIdentifier() const {
    return kFirst & kClass[static_cast<uint8_t>(*cursor_)] ? IdentifierAt(cursor_) : std::string_view();
  }
  bool AcceptWord(std::string_view word);
  bool ReadIdentifier(std::string_view& out, std::string_view wanted);
  /// A name of an instruction or computation: `%` optional, and after it digits may come first.
  bool ReadName(std::string_view& out, std::string_view wanted);

  // Values. -------------------------------------------------------------------------------------------------
  bool AtInteger() const {
    const char c = *cursor_ == '-' ? PeekNext() : *cursor_;
    return c >= '0' && c <= '9';
  }
  /// An integer of int64, or of uint64 when `wrap` allows its bit pattern.
  bool ReadInteger(int64_t& out, std::string_view wanted = "an integer", bool wrap = false);
  bool ReadBool(bool& out);
  bool ReadDouble(double& out, std::string_view wanted = "a number");
  /// "text" or 'text', escapes resolved.
  bool ReadString(std::string& out, std::string_view wanted = "a quoted string");
  /// The same with its quotes and escapes as written.
  bool ReadRawString(std::string_view& out, std::string_view wanted = "a quoted string");
  /// `{...}` with braces inside matched and strings respected, as written, outer braces included.
  bool ReadBalanced(std::string_view& out, std::string_view wanted = "`{`");
  /// `{...}`, a quoted string, or a bare word or number: an attribute value that is kept as text.
  bool ReadRawValue(std::string_view& out, std::string_view wanted);
  /// The longest run of characters that are letters, digits or in `more`; empty if there is none. Spaces
  /// behind it are skipped.
  std::string_view ReadRun(std::string_view more);

  // Errors. -------------------------------------------------------------------------------------------------
  /// Records an error at `at` and returns false, for `return lexer.Fail(...)`.
  template <typename... Args>
  bool Fail(const char* at, fmt::format_string<Args...> format, Args&&... args) {
    return FailWith(Error(ErrorKind::kBadInput, fmt::format(format, std::forward<Args>(args)...)), at);
  }
  /// "found `token`, wanted ..." at the cursor.
  bool FailWanted(std::string_view wanted, bool quote = false);
  /// Records an error that somebody else made; it gets the position `at` unless it has one.
  bool FailWith(Error error, const char* at);
  bool failed() const { return error_.has_value(); }
  /// The first error. Precondition: failed().
  Error& error() { return *error_; }
  /// The token at a position, shortened, for messages.
  std::string Excerpt(const char* at) const;

  struct LineColumn {
    int line, column;
  };
  /// Fast when positions are asked for in ascending order.
  LineColumn PlaceOf(const char* at);

 private:
  static constexpr uint8_t kFirst = 1, kRest = 2, kSpace = 4;
  /// What a character may be: the first or a later one of an identifier, a space.
  static constexpr std::array<uint8_t, 256> kClass = [] {
    std::array<uint8_t, 256> table = {};
    for (size_t c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = 1 | 2;
    for (size_t c = '0'; c <= '9'; ++c) table[c] = 2;
    table['_'] = 1 | 2;
    table['.'] = table['-'] = 2;
    for (char c : {' ', '\t', '\n', '\r', '\f', '\v'}) table[static_cast<size_t>(c)] = 4;
    return table;
  }();

  void SkipSpace() {
    const auto begins_token = [](char c) { return static_cast<uint8_t>(c) > ' ' && c != '/'; };
    if (begins_token(*cursor_)) return;
    if (*cursor_ == ' ' && begins_token(cursor_[1])) {
      ++cursor_;
      return;
    }
    SkipSpaceSlow();
  }
  void SkipSpaceSlow();
  std::string_view IdentifierAt(const char* at) const {
    const char* p = at + 1;
    while (kRest & kClass[static_cast<uint8_t>(*p)]) ++p;
    return {at, static_cast<size_t>(p - at)};
  }

  std::string text_;  // a NUL stands behind its end
  std::string file_name_;
  const char* cursor_;
  const char* end_;
  std::optional<Error> error_;
  // How far lines have been counted, the start of the line there and its number.
  const char* counted_;
  const char* line_start_;
  int line_ = 1;
};

}  // namespace subfloor::hlo
