#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "decision/decision.h"

namespace subfloor::decision {
namespace {

// Words of all sources but the tables' own floor.
std::set<std::string> WordsOfSources() {
  std::set<std::string> words;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SUBFLOOR_SOURCE_DIR "/src")) {
    if (entry.path().extension() != ".cc" || entry.path().parent_path().filename() == "decision") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string word;
    for (char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
        word += c;
      } else if (!word.empty()) {
        words.insert(std::exchange(word, ""));
      }
    }
  }
  return words;
}

TEST(Tables, EveryQuestionIsAskedAndEveryFactIsGiven) {
  const std::set<std::string> words = WordsOfSources();
  ASSERT_GT(words.size(), 1000u);
#define X(enumerator, text) EXPECT_TRUE(words.contains(#enumerator)) << #enumerator " is a dead word";
  SUBFLOOR_QUESTIONS(X)
  SUBFLOOR_FACTS(X)
#undef X
}

TEST(Text, NumbersStandWhereTheSentenceWantsThem) {
  Record record{Question::kFold, Answer::kNo, Fact::kOverBudget, 70, 64, 3};
  EXPECT_EQ(Text(record), "70 bytes, the budget is 64");
  EXPECT_EQ(Text(Question::kFold), "fold the constant?");
  record.fact = Fact::kNone;
  EXPECT_EQ(Text(record), "");
}

TEST(Decide, AnswersWithAndWithoutALog) {
  Log log;
  EXPECT_TRUE(Decide(&log, Question::kFold, true, Fact::kNone, 1, 2, 3));
  EXPECT_FALSE(Decide(&log, Question::kFold, false));
  EXPECT_FALSE(Decide(nullptr, Question::kFold, false));
  ASSERT_EQ(log.records().size(), 2u);
  EXPECT_EQ(log.records()[0].answer, Answer::kYes);
  EXPECT_EQ(log.records()[0].instruction, 3);
  EXPECT_EQ(log.records()[1].answer, Answer::kNo);
  EXPECT_EQ(log.records()[1].instruction, -1);
}

}  // namespace
}  // namespace subfloor::decision
