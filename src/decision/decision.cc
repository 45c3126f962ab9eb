#include "decision/decision.h"

#include <array>

namespace subfloor::decision {
namespace {

constexpr std::array kQuestions = {
#define X(enumerator, text) std::string_view(text),
    SUBFLOOR_QUESTIONS(X)
#undef X
};

constexpr std::array kFacts = {
#define X(enumerator, text) std::string_view(text),
    SUBFLOOR_FACTS(X)
#undef X
};

}  // namespace

std::string_view Text(Question question) { return kQuestions[static_cast<size_t>(question)]; }

std::string Text(const Record& record) {
  const std::string_view sentence = kFacts[static_cast<size_t>(record.fact)];
  std::string text;
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (i + 2 < sentence.size() && sentence[i] == '{' && sentence[i + 2] == '}') {
      text += std::to_string(sentence[i + 1] == 'a' ? record.a : record.b);
      i += 2;
    } else {
      text += sentence[i];
    }
  }
  return text;
}

}  // namespace subfloor::decision
