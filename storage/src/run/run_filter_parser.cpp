// SPDX-License-Identifier: Apache-2.0
//
// Parses a RunFilter by recursive descent, one function a rule of the grammar in run_filter.h. The only
// recursion is that of parentheses, which is bounded; the result is in postfix order, so that neither judging
// nor destroying it recurses. What a value means is decided by its field's type, here and once.
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "batchscope/protocol/suggestion.h"
#include "batchscope/storage/run_filter.h"

namespace batchscope::storage {
namespace {

struct Token {
  enum class Kind { word, text, op, open, close, end };  // text: a word in quotes
  Kind kind = Kind::end;
  std::string value;
  std::size_t column = 0;
  std::size_t length = 0;
};

constexpr std::string_view kBlanks = " \t\r\n", kOperatorCharacters = "=!<>~", kQuotes = "'\"";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

// A number with what follows it, "97" and "%"; none where it does not begin with one.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
  double number = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc()) return std::nullopt;
  return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

std::optional<double> parse_plain(std::string_view text) {
  const auto number = leading_number(text);
  if (!number) return std::nullopt;
  if (number->second.empty()) return number->first;
  if (number->second == "%") return number->first / 100;
  return std::nullopt;
}

// "2026-05-03", "2026-05-03T14:07", "2026-05-03 14:07:33" in local time, or seconds since 1970.
std::optional<double> parse_time(const std::string& text) {
  for (const char* form :
       {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"}) {
    std::tm time{};
    if (strptime(text.c_str(), form, &time) != text.c_str() + text.size()) continue;
    time.tm_isdst = -1;
    const int day = time.tm_mday;
    const auto seconds = static_cast<double>(std::mktime(&time));  // has room for any year of four digits
    if (time.tm_mday != day) return std::nullopt;                  // 31 February
    return seconds;
  }
  return parse_plain(text);
}

const std::vector<std::string>& state_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (int state = 0; state <= static_cast<int>(RunState::damaged); ++state)
      list.emplace_back(run_state_name(static_cast<RunState>(state)));
    list.emplace_back(kDiverged);
    return list;
  }();
  return names;
}

bool is_state(const std::string& name) {
  for (const std::string& known : state_names())
    if (known == name) return true;
  return false;
}

}  // namespace

class RunFilterParser {
 public:
  explicit RunFilterParser(std::string_view text) : text_(text) { filter_.text_ = text; }

  RunFilter parse() {
    advance();
    if (token_.kind == Token::Kind::end) return std::move(filter_);
    expression();
    if (token_.kind == Token::Kind::close) refuse("this parenthesis closes nothing");
    if (token_.kind != Token::Kind::end) refuse("\"and\" or \"or\" is missing before this");
    return std::move(filter_);
  }

 private:
  using Operator = RunFilter::Operator;
  using Act = RunFilter::Act;

  void expression() {
    if (++depth_ > RunFilter::kDeepestNesting) refuse("parentheses are nested too deeply");
    conjunction();
    while (takeKeyword("or")) {
      conjunction();
      filter_.steps_.push_back({Act::either, 0});
    }
    --depth_;
  }

  void conjunction() {
    negation();
    while (takeKeyword("and")) {
      negation();
      filter_.steps_.push_back({Act::both, 0});
    }
  }

  void negation() {
    bool negative = false;
    while (takeKeyword("not")) negative = !negative;
    if (token_.kind == Token::Kind::open) {
      const Token opening = token_;
      advance();
      expression();
      if (token_.kind == Token::Kind::end) refuse(opening, "this parenthesis is never closed");
      if (token_.kind != Token::Kind::close) refuse("\"and\" or \"or\" is missing before this");
      advance();
    } else {
      comparison();
    }
    if (negative) filter_.steps_.push_back({Act::negate, 0});
  }

  void comparison() {
    if (token_.kind != Token::Kind::word && token_.kind != Token::Kind::text)
      refuse("a field is missing here, as in accuracy>0.97");
    if (isKeyword("and") || isKeyword("or")) refuse("a comparison is missing before this");
    RunFilter::Comparison comparison;
    comparison.field = token_.value;
    comparison.column = token_.column;
    comparison.length = token_.length;
    comparison.type = field_type(comparison.field);
    const Token field = token_;
    advance();
    if (token_.kind != Token::Kind::op) {
      const bool ends = token_.kind == Token::Kind::end;
      refuse(ends ? field : token_, "a comparison is missing " + std::string(ends ? "after" : "before") +
                                        " this: one of = != < <= > >= ~ !~");
    }
    comparison.op = parseOperator();
    const Token op = token_;
    advance();
    if (token_.kind != Token::Kind::word && token_.kind != Token::Kind::text)
      refuse(op, "a value is missing after this");
    comparison.text = token_.value;
    interpret(comparison, op);
    advance();
    filter_.comparisons_.push_back(std::move(comparison));
    filter_.steps_.push_back({Act::compare, filter_.comparisons_.size() - 1});
  }

  Operator parseOperator() {
    static constexpr std::array<std::pair<std::string_view, Operator>, 9> kOperators{{
        {"=", Operator::equal},
        {"==", Operator::equal},
        {"!=", Operator::not_equal},
        {"<", Operator::less},
        {"<=", Operator::less_equal},
        {">", Operator::greater},
        {">=", Operator::greater_equal},
        {"~", Operator::contains},
        {"!~", Operator::lacks},
    }};
    for (const auto& [name, op] : kOperators)
      if (name == token_.value) return op;
    refuse("unknown comparison: use one of = != < <= > >= ~ !~");
  }

  // Interprets the value, which is the token at hand, by its field.
  void interpret(RunFilter::Comparison& comparison, const Token& op) {
    const bool searches = comparison.op == Operator::contains || comparison.op == Operator::lacks;
    const bool equates = comparison.op == Operator::equal || comparison.op == Operator::not_equal;
    const auto number = [&](std::optional<double> value, const char* wanted) {
      if (searches) refuse(op, comparison.field + " is not text to search in; compare it by = != < <= > >=");
      if (!value) refuse(comparison.field + " is " + wanted);
      comparison.number = *value;
      comparison.is_number = true;
    };
    switch (comparison.type) {
      case FieldType::number: number(parse_plain(token_.value), "a number, such as 2, 0.97 or 97%"); break;
      case FieldType::duration:
        number(protocol::seconds_of(token_.value), "a duration, such as 90s, 10m, 2h or 3d");
        break;
      case FieldType::time:
        number(parse_time(token_.value), "a time, such as 2026-05-03 or 2026-05-03T14:07");
        break;
      case FieldType::state:
        if (!searches && !equates) refuse(op, "a state is compared by =, !=, ~ or !~");
        if (equates && !is_state(token_.value))
          refuse("there is no such state" + protocol::did_you_mean(token_.value, state_names()));
        break;
      case FieldType::tags:
        if (!searches && !equates) refuse(op, "a tag is compared by =, !=, ~ or !~");
        break;
      case FieldType::text: break;
      case FieldType::open:
        // The number of a series, or the text of a hyperparameter, which a duration may be meant for.
        if (searches || token_.kind == Token::Kind::text) break;
        if (auto value = parse_plain(token_.value); value || (value = protocol::seconds_of(token_.value)))
          number(value, "");
    }
  }

  bool isKeyword(std::string_view keyword) const {
    return token_.kind == Token::Kind::word && lower(token_.value) == keyword;
  }

  bool takeKeyword(std::string_view keyword) {
    if (!isKeyword(keyword)) return false;
    advance();
    return true;
  }

  void advance() {
    while (at_ < text_.size() && is_one_of(text_[at_], kBlanks)) ++at_;
    token_ = {Token::Kind::end, "", at_, 1};
    if (at_ == text_.size()) return;
    const char first = text_[at_];
    if (first == '(' || first == ')') {
      token_.kind = first == '(' ? Token::Kind::open : Token::Kind::close;
      ++at_;
    } else if (is_one_of(first, kQuotes)) {
      quoted(first);
    } else {
      const bool isOperator = is_one_of(first, kOperatorCharacters);
      token_.kind = isOperator ? Token::Kind::op : Token::Kind::word;
      while (at_ < text_.size() && isOperator == is_one_of(text_[at_], kOperatorCharacters) &&
             !is_one_of(text_[at_], kBlanks) && !is_one_of(text_[at_], "()") &&
             !is_one_of(text_[at_], kQuotes))
        token_.value += text_[at_++];
    }
    token_.length = at_ - token_.column;
  }

  // The quote itself is written twice within.
  void quoted(char quote) {
    token_.kind = Token::Kind::text;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == quote && (at_ + 1 == text_.size() || text_[at_ + 1] != quote)) {
        ++at_;
        return;
      }
      if (text_[at_] == quote) ++at_;
      token_.value += text_[at_];
    }
    token_.length = 1;
    refuse("this quotation is never closed");
  }

  [[noreturn]] void refuse(const std::string& reason) const { refuse(token_, reason); }
  [[noreturn]] void refuse(const Token& token, const std::string& reason) const {
    throw FilterError(text_, token.column, token.length, reason);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  int depth_ = 0;
  RunFilter filter_;
};

RunFilter RunFilter::parse(std::string_view text) {
  if (text.size() > kLongestText)
    throw FilterError(text, kLongestText, 1, "it is longer than " + std::to_string(kLongestText) + " bytes");
  return RunFilterParser(text).parse();
}

}  // namespace batchscope::storage
