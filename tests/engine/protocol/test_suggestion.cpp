// SPDX-License-Identifier: Apache-2.0
//
// Suggestions for mistyped words.
#include "batchscope/protocol/suggestion.h"
#include "rows.h"
#include "test_case.h"

using batchscope::protocol::did_you_mean;
using batchscope::protocol::nearest_word;

class TestSuggestion : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theFewestEditsWin() {
    const std::vector<std::string> known{"--replicas", "--report", "--recipe", "--json"};
    QCOMPARE(nearest_word("--replica", known), std::string("--replicas"));
    QCOMPARE(nearest_word("--jsno", known), std::string("--json"));
    QCOMPARE(did_you_mean("--jsno", known), std::string("; did you mean --json?"));
  }

  // A word of six letters may be two edits away; each is one: a letter more, less, another, or two turned.
  void editsAreCounted_data() {
    const auto row = batchscope::testing::columns<std::string, std::string, bool>({"word", "known", "near"});
    row("the same", "stripe", "stripe", true);
    row("two more", "stripe", "stripeds", true);
    row("three more", "stripe", "stripedly", false);
    row("two less", "stripe", "trip", true);
    row("three less", "stripe", "tri", false);
    row("two others", "stripe", "strafe", true);
    row("three others", "stripe", "strand", false);
    row("two turns", "stripe", "tsripe", true);
    row("two turns and another", "stripe", "tsrieq", false);
    row("a turn and another", "stripe", "tsripa", true);
    row("a letter of five", "strip", "trip", true);
    row("two letters of five", "strip", "tri", false);
    row("one of one", "x", "y", true);
    row("two of one", "x", "yz", false);
    row("one of two letters", "xy", "x", true);
  }
  void editsAreCounted() {
    QFETCH(const std::string, word);
    QFETCH(const std::string, known);
    QFETCH(const bool, near);
    QCOMPARE(nearest_word(word, {known}), near ? known : std::string());
  }

  void theFirstOfEqualsIsSuggested() {
    QCOMPARE(nearest_word("stop", {"step", "shop"}), std::string("step"));
    QCOMPARE(nearest_word("stop", {"strop", "stop"}), std::string("stop"));
  }

  void noNameIsLongerThan64() {
    const std::string longest(64, 'a');
    QCOMPARE(nearest_word(longest, {longest}), longest);
    QCOMPARE(nearest_word(longest, {longest + "a"}), std::string());
    QCOMPARE(nearest_word(longest + "a", {longest}), std::string());
  }

  void whatIsFarAwayIsNotSuggested() {
    QCOMPARE(nearest_word("--colour", {"--json"}), std::string());
    QCOMPARE(did_you_mean("x", {}), std::string());
    QCOMPARE(nearest_word(std::string(100, 'a'), {std::string(100, 'a')}), std::string());
  }
};

BATCHSCOPE_TEST(TestSuggestion)
#include "test_suggestion.moc"
