#include "token_mutator.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <vector>

#include "hlo/opcode.h"
#include "types/element_type.h"

namespace subfloor::fuzz {
namespace {

enum class Kind : uint8_t { kSpace, kWord, kNumber, kOther };

Kind KindOf(std::string_view token) {
  const auto c = static_cast<unsigned char>(token[0]);
  if (std::isspace(c)) return Kind::kSpace;
  if (std::isdigit(c) || (c == '-' && token.size() > 1)) return Kind::kNumber;
  if (std::isalpha(c) || c == '_' || c == '%') return Kind::kWord;
  return Kind::kOther;
}

std::vector<std::string> Tokenize(std::string_view text) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  };
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    const auto c = static_cast<unsigned char>(text[i]);
    if (std::isspace(c) && c != '\n') {
      while (end < text.size() && text[end] != '\n' && std::isspace(static_cast<unsigned char>(text[end])))
        ++end;
    } else if (in_word(text[i]) || c == '%') {
      while (end < text.size() && in_word(text[end])) ++end;
    }
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

constexpr std::string_view kOpcodes[] = {
#define X(enumerator, text, arity, attributes) text,
    SUBFLOOR_OPCODES(X)
#undef X
};

constexpr std::string_view kTypes[] = {
#define X(enumerator, text, bits, cls) text,
    SUBFLOOR_ELEMENT_TYPES(X)
#undef X
};

constexpr std::string_view kNumbers[] = {"0",           "1",
                                         "-1",          "2",
                                         "3",           "4",
                                         "7",           "8",
                                         "16",          "17",
                                         "127",         "128",
                                         "255",         "65536",
                                         "2147483647",  "2147483648",
                                         "4294967296",  "9223372036854775807",
                                         "-2",          "64",
                                         "-2147483648", "-9223372036854775808",
                                         "1e30",        "0.5"};

class Mutator {
 public:
  Mutator(std::string_view text, uint32_t seed) : random_(seed), tokens_(Tokenize(text)) {}

  std::string Run() {
    for (size_t i = 1 + Below(4); i > 0 && !tokens_.empty(); --i) Once();
    std::string text;
    for (const std::string& token : tokens_) text += token;
    return text;
  }

 private:
  size_t Below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
  template <typename Range>
  std::string Pick(const Range& range) {
    return std::string(range[Below(std::size(range))]);
  }

  // A token that is not white space, or any if luck fails.
  size_t SomeToken() {
    size_t at = Below(tokens_.size());
    for (int attempt = 0; attempt < 8 && KindOf(tokens_[at]) == Kind::kSpace; ++attempt)
      at = Below(tokens_.size());
    return at;
  }

  std::string OtherOfItsKind(const std::string& token) {
    if (std::ranges::find(kOpcodes, token) != std::end(kOpcodes)) return Pick(kOpcodes);
    if (std::ranges::find(kTypes, token) != std::end(kTypes)) return Pick(kTypes);
    const Kind kind = KindOf(token);
    if (kind == Kind::kNumber && Below(2) == 0) return Pick(kNumbers);
    std::vector<size_t> alike;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (KindOf(tokens_[i]) == kind) alike.push_back(i);
    }
    return tokens_[alike[Below(alike.size())]];
  }

  // The line around a token: [begin, end), with its line break.
  std::pair<size_t, size_t> LineAround(size_t at) const {
    size_t begin = at, end = at;
    while (begin > 0 && tokens_[begin - 1] != "\n") --begin;
    while (end < tokens_.size() && tokens_[end] != "\n") ++end;
    return {begin, std::min(end + 1, tokens_.size())};
  }

  void Once() {
    const auto at = [&](size_t i) { return tokens_.begin() + static_cast<std::ptrdiff_t>(i); };
    const size_t token = SomeToken();
    const auto [begin, end] = LineAround(token);
    switch (Below(10)) {
      case 0:
        tokens_.erase(at(token));
        return;
      case 1:
        tokens_.insert(at(token), tokens_[SomeToken()]);
        return;
      case 2:
        std::swap(tokens_[token], tokens_[SomeToken()]);
        return;
      case 3:
        tokens_.erase(at(begin), at(end));
        return;
      case 4: {  // the line again, elsewhere or at once
        const std::vector<std::string> line(at(begin), at(end));
        const size_t place = Below(2) == 0 ? end : LineAround(SomeToken()).first;
        tokens_.insert(at(place), line.begin(), line.end());
        return;
      }
      default:
        tokens_[token] = OtherOfItsKind(tokens_[token]);
        return;
    }
  }

  std::minstd_rand random_;
  std::vector<std::string> tokens_;
};

}  // namespace

std::string MutateTokens(std::string_view text, uint32_t seed) { return Mutator(text, seed).Run(); }

}  // namespace subfloor::fuzz

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string mutant =
      subfloor::fuzz::MutateTokens({reinterpret_cast<const char*>(data), size}, static_cast<uint32_t>(seed));
  const size_t length = std::min(mutant.size(), max_size);
  std::copy_n(mutant.begin(), length, reinterpret_cast<char*>(data));
  return length;
}
