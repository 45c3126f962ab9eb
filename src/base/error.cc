#include "base/error.h"

namespace subfloor {

Error& Error::At(TextPosition position) {
  position_ = std::move(position);
  return *this;
}

Error& Error::In(std::string_view instruction) {
  instruction_ = instruction;
  return *this;
}

Error& Error::Prepend(std::string_view context) {
  message_ = fmt::format("{}: {}", context, message_);
  return *this;
}

std::string Error::ToString() const {
  std::string text;
  if (!position_.file.empty()) text += position_.file + ":";
  if (position_.line > 0) text += fmt::format("{}:{}:", position_.line, position_.column);
  if (!text.empty()) text += " ";
  if (!instruction_.empty()) text += fmt::format("%{}: ", instruction_);
  return text + message_;
}

int ExitCode(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return 3;
    case ErrorKind::kNotSupported:
      return 4;
    case ErrorKind::kOutOfResources:
      return 5;
    case ErrorKind::kInternal:
      return 70;
  }
  return 70;
}

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return "bad input";
    case ErrorKind::kNotSupported:
      return "not supported";
    case ErrorKind::kOutOfResources:
      return "out of resources";
    case ErrorKind::kInternal:
      return "internal error";
  }
  return "internal error";
}

}  // namespace subfloor
