#include <algorithm>
#include <charconv>
#include <ranges>

#include "hlo/attribute_text.h"
#include "hlo/literal_text.h"

namespace subfloor::hlo {
namespace {

void AppendInteger(std::string& out, int64_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// ` name=AxBxC`, or nothing if every dimension has the usual value.
template <typename Get>
void AppendWindowPart(std::string& out, std::string_view name, const Window& window, int64_t usual,
                      Get&& get) {
  if (std::ranges::all_of(window, [&](const WindowDimension& d) { return get(d) == usual; })) return;
  out += name;
  for (size_t i = 0; i < window.size(); ++i) {
    if (i > 0) out += 'x';
    AppendInteger(out, get(window[i]));
  }
}

// The labels of one side from the places that a ConvolutionDimensions holds.
std::string SideText(char batch_letter, char feature_letter, int64_t batch, int64_t feature,
                     const std::vector<int64_t>& spatial) {
  int64_t rank = std::max(batch, feature) + 1;
  for (int64_t place : spatial) rank = std::max(rank, place + 1);
  std::string text(static_cast<size_t>(rank), '?');
  for (size_t i = 0; i < spatial.size(); ++i)
    text[static_cast<size_t>(spatial[i])] = static_cast<char>('0' + i);
  text[static_cast<size_t>(batch)] = batch_letter;
  text[static_cast<size_t>(feature)] = feature_letter;
  return text;
}

}  // namespace

void AppendIntegerList(std::string& out, std::span<const int64_t> values) {
  out += '{';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    AppendInteger(out, values[i]);
  }
  out += '}';
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '"':
      case '\'':
      case '\\':
        out += '\\';
        out += c;
        break;
      default:
        if (static_cast<uint8_t>(c) < ' ' || static_cast<uint8_t>(c) >= 127) {
          fmt::format_to(std::back_inserter(out), "\\{:03o}", static_cast<uint8_t>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void AttributePrinter::Begin(std::string_view field) {
  out_ += ", ";
  out_ += field;
  out_ += '=';
}

void AttributePrinter::LayoutConstraints(std::string_view field, const std::vector<Shape>& shapes, bool has) {
  if (!has) return;
  Begin(field);
  out_ += '{';
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i > 0) out_ += ", ";
    out_ += shapes[i].ToString();
  }
  out_ += '}';
}

void AttributePrinter::Write(int64_t value) { AppendInteger(out_, value); }

void AttributePrinter::Write(double value) {
  char text[40];
  out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void AttributePrinter::Write(const IntList& value) { AppendIntegerList(out_, value); }

void AttributePrinter::Write(const Window& value) {
  out_ += "{size=";
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += 'x';
    AppendInteger(out_, value[i].size);
  }
  AppendWindowPart(out_, " stride=", value, 1, [](const WindowDimension& d) { return d.stride; });
  if (std::ranges::any_of(
          value, [](const WindowDimension& d) { return d.padding_low != 0 || d.padding_high != 0; })) {
    out_ += " pad=";
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out_ += 'x';
      AppendInteger(out_, value[i].padding_low);
      out_ += '_';
      AppendInteger(out_, value[i].padding_high);
    }
  }
  AppendWindowPart(out_, " lhs_dilate=", value, 1, [](const WindowDimension& d) { return d.base_dilation; });
  AppendWindowPart(out_, " rhs_dilate=", value, 1,
                   [](const WindowDimension& d) { return d.window_dilation; });
  AppendWindowPart(out_, " rhs_reversal=", value, 0,
                   [](const WindowDimension& d) { return int64_t{d.reversal}; });
  out_ += '}';
}

void AttributePrinter::Write(const Padding& value) {
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += 'x';
    AppendInteger(out_, value[i].low);
    out_ += '_';
    AppendInteger(out_, value[i].high);
    if (value[i].interior != 0) {
      out_ += '_';
      AppendInteger(out_, value[i].interior);
    }
  }
}

void AttributePrinter::Write(const SliceRanges& value) {
  out_ += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += ", ";
    out_ += '[';
    AppendInteger(out_, value[i].start);
    out_ += ':';
    AppendInteger(out_, value[i].limit);
    if (value[i].stride != 1) {
      out_ += ':';
      AppendInteger(out_, value[i].stride);
    }
    out_ += ']';
  }
  out_ += '}';
}

void AttributePrinter::Write(const ConvolutionDimensions& value) {
  if (!value.text.empty()) {
    out_ += value.text;
    return;
  }
  out_ += SideText('b', 'f', value.input_batch, value.input_feature, value.input_spatial);
  out_ += '_';
  out_ += SideText('i', 'o', value.kernel_input_feature, value.kernel_output_feature, value.kernel_spatial);
  out_ += "->";
  out_ += SideText('b', 'f', value.output_batch, value.output_feature, value.output_spatial);
}

void AttributePrinter::Write(const ReplicaGroups& value) {
  if (!value.text.empty()) {
    out_ += value.text;
    return;
  }
  Write(value.groups);
}

void AttributePrinter::Write(const PairList& value) {
  out_ += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += ',';
    AppendIntegerList(out_, std::array{value[i].first, value[i].second});
  }
  out_ += '}';
}

void AttributePrinter::Write(const std::vector<IntList>& value) {
  out_ += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += ',';
    AppendIntegerList(out_, value[i]);
  }
  out_ += '}';
}

void AttributePrinter::Write(const AliasList& value) {
  out_ += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += ", ";
    AppendIntegerList(out_, value[i].output_index);
    out_ += ": (";
    AppendInteger(out_, value[i].operand);
    out_ += ", ";
    AppendIntegerList(out_, value[i].operand_index);
    out_ += ')';
  }
  out_ += '}';
}

void AttributePrinter::Write(const PrecisionList& value) {
  out_ += '{';
  for (size_t i = 0; i < value.size(); ++i) {
    if (i > 0) out_ += ',';
    Write(value[i]);
  }
  out_ += '}';
}

void AttributePrinter::Write(const QuotedText& value) { AppendQuoted(out_, value.text); }

void AttributePrinter::Write(const Shape& value) { out_ += value.ToString(); }

void AttributePrinter::Write(const Literal& value) {
  // With a layout: a `{` right behind bare dimensions would be taken for one.
  out_ += value.shape().WithDefaultLayout().ToString();
  out_ += ' ';
  AppendLiteral(out_, value);
}

}  // namespace subfloor::hlo
