// SPDX-License-Identifier: Apache-2.0
//
// `--expect 'accuracy>=0.97'`: a claim about a run that has ended, judged against what was seen. Names are
// those of series, whose last value counts, and the facts generations, epochs, replicas, step and state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "text/comparison.h"

namespace batchscope::cli {

struct Expectation {
  std::string name;
  Comparator op = Comparator::equal;
  std::string value;  // as written
  double number = 0;  // of value; unused for state

  // "NAME OP VALUE" with OP one of >= <= > < == !=, spaces optional. A value is a number, for `state` one
  // of the run states (with == and != only). Throws Error(usage) quoting the text.
  static Expectation parse(const std::string& text);
  std::string text() const;
};

// Facts about the run that expectations are judged by.
struct Facts {
  std::string state;
  std::map<std::string, double> numbers;
};

struct Verdict {
  Expectation expectation;
  std::string seen;  // the value, or "nothing" where the run has none of that name
  bool passed = false;
};

std::vector<Verdict> judge(const std::vector<Expectation>& expectations, const Facts& facts);

bool allPassed(const std::vector<Verdict>& verdicts);

// Whether the state the run ended in is one that was asked for: an expectation about it passed.
bool stateWasExpected(const std::vector<Verdict>& verdicts);

}  // namespace batchscope::cli
