#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decision/tables.h"

namespace subfloor::decision {

enum class Question : uint16_t {
#define X(enumerator, text) enumerator,
  SUBFLOOR_QUESTIONS(X)
#undef X
};

enum class Fact : uint16_t {
#define X(enumerator, text) enumerator,
  SUBFLOOR_FACTS(X)
#undef X
};

enum class Answer : uint8_t { kNo, kYes };

/// One choice: what was asked of which instruction, what was answered, the fact that settled it and its two
/// numbers. Instructions are named by Instruction::id(), unique in a module; -1 when the question concerns
/// none.
struct Record {
  Question question;
  Answer answer;
  Fact fact = Fact::kNone;
  int64_t a = 0, b = 0;
  int64_t instruction = -1;
};

/// Where decisions are written. Functions that choose take a `Log*`, which may be null. Not thread-safe: code
/// that runs in parallel records into logs of its own, which are appended in a fixed order.
class Log {
 public:
  void Add(const Record& record) { records_.push_back(record); }
  void Append(const Log& other) {
    records_.insert(records_.end(), other.records_.begin(), other.records_.end());
  }
  const std::vector<Record>& records() const { return records_; }

 private:
  std::vector<Record> records_;
};

/// Adds a record if there is a log, and yields the answer as a bool, so that a test and its record are one
/// expression: `if (Decide(log, Question::kFold, bytes <= budget, Fact::kOverBudget, bytes, budget, id)) ...`
inline bool Decide(Log* log, Question question, bool yes, Fact fact = Fact::kNone, int64_t a = 0,
                   int64_t b = 0, int64_t instruction = -1) {
  if (log) log->Add({question, yes ? Answer::kYes : Answer::kNo, fact, a, b, instruction});
  return yes;
}

std::string_view Text(Question question);
/// The fact's sentence with its numbers put in.
std::string Text(const Record& record);

}  // namespace subfloor::decision
