#pragma once

#include "decision/decision.h"

namespace subfloor::dispatch {

/// Asks on behalf of one fusion: a test and its record in one expression.
struct Asker {
  decision::Log* log = nullptr;  ///< may be null
  int64_t instruction = -1;      ///< the fusion's id

  bool operator()(decision::Question question, bool yes, decision::Fact fact, int64_t a = 0,
                  int64_t b = 0) const {
    return decision::Decide(log, question, yes, fact, a, b, instruction);
  }
};

}  // namespace subfloor::dispatch
