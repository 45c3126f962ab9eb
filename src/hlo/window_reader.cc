// The values of AttributeReader that say how a window moves: window={size=3x3 ...}, padding=1_1x0_0 and the
// labels of a convolution's dimensions.

#include <algorithm>

#include "hlo/attribute_text.h"

namespace subfloor::hlo {
namespace {

// Numbers separated by `x`: 3x3, -1x0. Each may be joined to a second and third by `_`.
struct Joined {
  int64_t parts[3] = {0, 0, 0};
  int count = 0;
};

bool ReadJoined(Lexer& lexer, int most, std::vector<Joined>& out) {
  out.clear();
  do {
    Joined& joined = out.emplace_back();
    do {
      if (joined.count == most) return lexer.FailWanted("`x` or the end of the list");
      if (!lexer.ReadInteger(joined.parts[joined.count++])) return false;
    } while (lexer.Accept('_'));
  } while (lexer.Accept('x'));
  return true;
}

// One side of convolution labels, e.g. `b01f`: puts each label's place where it belongs. `batch` and
// `feature` are the two letters of this side. Returns an error text, empty if all is well.
std::string ReadSide(std::string_view labels, char batch_letter, char feature_letter, int64_t& batch,
                     int64_t& feature, std::vector<int64_t>& spatial) {
  bool has_batch = false, has_feature = false;
  std::vector<std::pair<int64_t, int64_t>> digits;  // label, place
  for (size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    const auto place = static_cast<int64_t>(i);
    if (c == '?') continue;
    if (c == batch_letter) {
      if (has_batch) return fmt::format("`{}` twice in `{}`", c, labels);
      has_batch = true;
      batch = place;
    } else if (c == feature_letter) {
      if (has_feature) return fmt::format("`{}` twice in `{}`", c, labels);
      has_feature = true;
      feature = place;
    } else if (c >= '0' && c <= '9') {
      digits.emplace_back(c - '0', place);
    } else {
      return fmt::format("`{}` in `{}`, wanted `{}`, `{}`, digits or `?`", c, labels, batch_letter,
                         feature_letter);
    }
  }
  if (!has_batch || !has_feature) {
    return fmt::format("no `{}` in `{}`", has_batch ? feature_letter : batch_letter, labels);
  }
  std::ranges::sort(digits);
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i].first != static_cast<int64_t>(i)) {
      return fmt::format("the spatial dimensions of `{}` must be 0 to {}, each once", labels,
                         digits.size() - 1);
    }
    spatial.push_back(digits[i].second);
  }
  return {};
}

}  // namespace

bool AttributeReader::Read(Window& value) {
  value.clear();
  if (!lexer_.Expect('{')) return false;
  std::vector<Joined> sizes;
  struct Part {
    std::string_view name;
    int most;
    std::vector<Joined> values;
    bool given = false;
  };
  Part parts[] = {{"size", 1, {}},       {"stride", 1, {}},     {"pad", 2, {}},
                  {"lhs_dilate", 1, {}}, {"rhs_dilate", 1, {}}, {"rhs_reversal", 1, {}}};
  const char* start = lexer_.position();
  while (!lexer_.Accept('}')) {
    const char* at = lexer_.position();
    const std::string_view word = lexer_.PeekIdentifier();
    auto part = std::ranges::find(parts, word, &Part::name);
    if (part == std::end(parts)) {
      return lexer_.FailWanted(
          "`}` or a part of a window: size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal");
    }
    if (part->given) return lexer_.Fail(at, "`{}` is given twice", word);
    part->given = true;
    lexer_.Advance(at + word.size());
    if (!lexer_.Expect('=') || !ReadJoined(lexer_, part->most, part->values)) return false;
    lexer_.Accept(',');
  }
  const size_t rank = parts[0].values.size();
  value.resize(rank);
  for (const Part& part : parts) {
    if (!part.given) continue;
    if (part.values.size() != rank) {
      return lexer_.Fail(start, "{} of {} dimensions in a window whose size has {}", part.name,
                         part.values.size(), rank);
    }
    for (size_t i = 0; i < rank; ++i) {
      const Joined& given = part.values[i];
      WindowDimension& dimension = value[i];
      if (part.name == "size") dimension.size = given.parts[0];
      if (part.name == "stride") dimension.stride = given.parts[0];
      if (part.name == "lhs_dilate") dimension.base_dilation = given.parts[0];
      if (part.name == "rhs_dilate") dimension.window_dilation = given.parts[0];
      if (part.name == "rhs_reversal") dimension.reversal = given.parts[0] != 0;
      if (part.name == "pad") {
        if (given.count != 2) return lexer_.Fail(start, "a window's pad wants low_high in each dimension");
        dimension.padding_low = given.parts[0];
        dimension.padding_high = given.parts[1];
      }
    }
  }
  for (const WindowDimension& dimension : value) {
    if (dimension.size < 0 || dimension.stride < 1 || dimension.base_dilation < 1 ||
        dimension.window_dilation < 1) {
      return lexer_.Fail(start, "a window wants sizes of 0 or more, strides and dilations of 1 or more");
    }
  }
  return true;
}

bool AttributeReader::Read(Padding& value) {
  std::vector<Joined> dimensions;
  value.clear();
  const char* start = lexer_.position();
  // A scalar's padding has no dimension.
  if (!lexer_.AtInteger()) return true;
  if (!ReadJoined(lexer_, 3, dimensions)) return false;
  for (const Joined& given : dimensions) {
    if (given.count < 2)
      return lexer_.Fail(start, "padding wants low_high or low_high_interior in each dimension");
    if (given.parts[2] < 0)
      return lexer_.Fail(start, "interior padding of {}; it is 0 or more", given.parts[2]);
    value.push_back({given.parts[0], given.parts[1], given.parts[2]});
  }
  return true;
}

bool AttributeReader::Read(ConvolutionDimensions& value) {
  const char* start = lexer_.position();
  const std::string_view text = lexer_.ReadRun("?_->");
  const size_t underscore = text.find('_');
  const size_t arrow = text.find("->");
  if (underscore == std::string_view::npos || arrow == std::string_view::npos || arrow < underscore) {
    lexer_.Rewind(start);
    return lexer_.FailWanted("labels of a convolution such as b01f_01io->b01f");
  }
  const std::string_view input = text.substr(0, underscore);
  const std::string_view kernel = text.substr(underscore + 1, arrow - underscore - 1);
  const std::string_view output = text.substr(arrow + 2);
  value = {};
  value.text = text;
  std::string problem =
      ReadSide(input, 'b', 'f', value.input_batch, value.input_feature, value.input_spatial);
  if (problem.empty()) {
    problem = ReadSide(kernel, 'i', 'o', value.kernel_input_feature, value.kernel_output_feature,
                       value.kernel_spatial);
  }
  if (problem.empty()) {
    problem = ReadSide(output, 'b', 'f', value.output_batch, value.output_feature, value.output_spatial);
  }
  if (problem.empty() && (value.input_spatial.size() != value.kernel_spatial.size() ||
                          value.input_spatial.size() != value.output_spatial.size())) {
    problem =
        fmt::format("input, kernel and output of `{}` have {}, {} and {} spatial dimensions", text,
                    value.input_spatial.size(), value.kernel_spatial.size(), value.output_spatial.size());
  }
  return problem.empty() || lexer_.Fail(start, "{}", problem);
}

}  // namespace subfloor::hlo
