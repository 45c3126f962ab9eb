#include "hlo/lexer.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <vector>

namespace subfloor::hlo {
namespace {

int OctalDigit(char c) { return c >= '0' && c <= '7' ? c - '0' : -1; }
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view file_name)
    : text_(text),
      file_name_(file_name),
      cursor_(text_.data()),
      end_(text_.data() + text_.size()),
      counted_(text_.data()),
      line_start_(text_.data()) {
  SkipSpace();
}

void Lexer::SkipSpaceSlow() {
  while (true) {
    while (kClass[static_cast<uint8_t>(*cursor_)] & kSpace) ++cursor_;
    if (*cursor_ != '/') return;
    if (cursor_[1] == '/') {
      const void* newline = std::memchr(cursor_, '\n', static_cast<size_t>(end_ - cursor_));
      cursor_ = newline ? static_cast<const char*>(newline) : end_;
    } else if (cursor_[1] == '*') {
      const std::string_view rest(cursor_ + 2, static_cast<size_t>(end_ - cursor_ - 2));
      const size_t close = rest.find("*/");
      // An open comment stays where it is: whatever the caller wants next, it is not that.
      if (close == std::string_view::npos) return;
      cursor_ += close + 4;
    } else {
      return;
    }
  }
}

bool Lexer::AcceptWord(std::string_view word) {
  if (*cursor_ != word[0] || PeekIdentifier() != word) return false;
  Advance(cursor_ + word.size());
  return true;
}

bool Lexer::ReadIdentifier(std::string_view& out, std::string_view wanted) {
  out = PeekIdentifier();
  if (out.empty()) return FailWanted(wanted);
  Advance(cursor_ + out.size());
  return true;
}

bool Lexer::ReadName(std::string_view& out, std::string_view wanted) {
  const char* start = cursor_;
  uint8_t first = kFirst;
  if (*start == '%') {
    ++start;
    first = kRest;
  }
  if (!(kClass[static_cast<uint8_t>(*start)] & first)) return FailWanted(wanted);
  out = IdentifierAt(start);
  Advance(start + out.size());
  return true;
}

bool Lexer::ReadInteger(int64_t& out, std::string_view wanted, bool wrap) {
  if (!AtInteger()) return FailWanted(wanted);
  auto [stop, problem] = std::from_chars(cursor_, end_, out);
  if (problem != std::errc() && wrap) {
    uint64_t bits = 0;
    const auto again = std::from_chars(cursor_, end_, bits);
    stop = again.ptr, problem = again.ec;
    out = static_cast<int64_t>(bits);
  }
  if (problem != std::errc()) {
    return Fail(cursor_, "{} does not fit 64 bits",
                std::string_view(cursor_, static_cast<size_t>(stop - cursor_)));
  }
  Advance(stop);
  return true;
}

bool Lexer::ReadBool(bool& out) {
  const std::string_view word = PeekIdentifier();
  if (word == "true" || word == "false") {
    out = word == "true";
  } else if (*cursor_ == '0' || *cursor_ == '1') {
    out = *cursor_ == '1';
    Advance(cursor_ + 1);
    return true;
  } else {
    return FailWanted("true or false");
  }
  Advance(cursor_ + word.size());
  return true;
}

bool Lexer::ReadDouble(double& out, std::string_view wanted) {
  const auto [stop, problem] = std::from_chars(cursor_, end_, out);
  if (problem == std::errc::invalid_argument) return FailWanted(wanted);
  if (problem != std::errc())
    out = std::strtod(cursor_, nullptr);  // too large or too small: infinity or nearly 0
  Advance(stop);
  return true;
}

bool Lexer::ReadRawString(std::string_view& out, std::string_view wanted) {
  const char quote = *cursor_;
  if (quote != '"' && quote != '\'') return FailWanted(wanted);
  const char* p = cursor_ + 1;
  while (p < end_ && *p != quote) p += *p == '\\' && p + 1 < end_ ? 2 : 1;
  if (p >= end_) return Fail(cursor_, "a string that does not end");
  out = {cursor_, static_cast<size_t>(p + 1 - cursor_)};
  Advance(p + 1);
  return true;
}

bool Lexer::ReadString(std::string& out, std::string_view wanted) {
  const char* start = cursor_;
  std::string_view raw;
  if (!ReadRawString(raw, wanted)) return false;
  out.clear();
  for (size_t i = 1; i + 1 < raw.size(); ++i) {
    char c = raw[i];
    if (c != '\\') {
      out += c;
      continue;
    }
    c = raw[++i];
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'a':
        out += '\a';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'v':
        out += '\v';
        break;
      case '\\':
      case '"':
      case '\'':
      case '?':
        out += c;
        break;
      case 'x': {
        int value = 0, digits = 0;
        while (digits < 2 && i + 2 < raw.size() && HexDigit(raw[i + 1]) >= 0) {
          value = value * 16 + HexDigit(raw[++i]);
          ++digits;
        }
        if (digits == 0) return Fail(start + i, "\\x without a hexadecimal digit in a string");
        out += static_cast<char>(value);
        break;
      }
      default: {
        int value = OctalDigit(c);
        if (value < 0) return Fail(start + i, "\\{} is no escape that a string may have", c);
        for (int digits = 1; digits < 3 && i + 2 < raw.size() && OctalDigit(raw[i + 1]) >= 0; ++digits) {
          value = value * 8 + OctalDigit(raw[++i]);
        }
        out += static_cast<char>(value);
      }
    }
  }
  return true;
}

bool Lexer::ReadBalanced(std::string_view& out, std::string_view wanted) {
  if (*cursor_ != '{') return FailWanted(wanted);
  const char* const start = cursor_;
  int64_t depth = 0;
  for (const char* p = start; p < end_; ++p) {
    switch (*p) {
      case '{':
        ++depth;
        break;
      case '}':
        if (--depth == 0) {
          out = {start, static_cast<size_t>(p + 1 - start)};
          Advance(p + 1);
          return true;
        }
        break;
      case '\'':
        // An apostrophe opens a string only where a value can stand; elsewhere it is part of some other
        // language's text.
        if (std::string_view("={,:([ \t\n").find(p[-1]) == std::string_view::npos) break;
        [[fallthrough]];
      case '"': {
        const char* q = p + 1;
        while (q < end_ && *q != *p) q += *q == '\\' && q + 1 < end_ ? 2 : 1;
        if (q < end_) p = q;
        break;
      }
      default:
        break;
    }
  }
  return Fail(start, "`{{` without its `}}`");
}

bool Lexer::ReadRawValue(std::string_view& out, std::string_view wanted) {
  if (*cursor_ == '{') return ReadBalanced(out);
  if (*cursor_ == '"' || *cursor_ == '\'') return ReadRawString(out);
  out = ReadRun("_.-+");
  return !out.empty() || FailWanted(wanted);
}

std::string_view Lexer::ReadRun(std::string_view more) {
  const char* p = cursor_;
  while (p < end_ && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                      more.find(*p) != std::string_view::npos)) {
    ++p;
  }
  const std::string_view run(cursor_, static_cast<size_t>(p - cursor_));
  if (!run.empty()) Advance(p);
  return run;
}

std::string Lexer::Excerpt(const char* at) const {
  if (at >= end_) return "the end of the text";
  if (at[0] == '/' && at[1] == '*') return "a comment that does not end";
  if (const auto byte = static_cast<uint8_t>(*at); byte < ' ' || byte >= 127) {
    return fmt::format("the byte 0x{:02X}{}", byte, byte >= 128 ? ", which is not ASCII" : "");
  }
  constexpr size_t kLongest = 32;
  size_t length = 1;
  if (*at == '%' || kClass[static_cast<uint8_t>(*at)] & kRest) {
    while (at + length < end_ && kClass[static_cast<uint8_t>(at[length])] & kRest) ++length;
  } else if (*at == '"' || *at == '\'') {
    while (at + length < end_ && at[length] != '\n' && at[length] != *at) ++length;
    if (at + length < end_ && at[length] == *at) ++length;
  }
  std::string text(at, std::min(length, kLongest));
  for (char& c : text) {
    if (static_cast<uint8_t>(c) < ' ' || static_cast<uint8_t>(c) >= 127) c = '?';
  }
  return fmt::format("`{}{}`", text, length > kLongest ? "..." : "");
}

bool Lexer::FailWanted(std::string_view wanted, bool quote) {
  if (failed()) return false;
  return Fail(cursor_, "found {}, wanted {}{}{}", Excerpt(cursor_), quote ? "`" : "", wanted,
              quote ? "`" : "");
}

bool Lexer::FailWith(Error error, const char* at) {
  if (failed()) return false;
  if (error.position().line == 0) {
    const LineColumn place = PlaceOf(at);
    error.At({file_name_, place.line, place.column});
  }
  error_ = std::move(error);
  return false;
}

Lexer::LineColumn Lexer::PlaceOf(const char* at) {
  if (at < line_start_) {
    counted_ = line_start_ = text_.data();
    line_ = 1;
  }
  while (counted_ < at) {
    const void* newline = std::memchr(counted_, '\n', static_cast<size_t>(at - counted_));
    if (newline == nullptr) {
      counted_ = at;
      break;
    }
    counted_ = line_start_ = static_cast<const char*>(newline) + 1;
    ++line_;
  }
  return {line_, static_cast<int>(at - line_start_) + 1};
}

}  // namespace subfloor::hlo
