#include "app/runs/list/run_filter.h"

#include <algorithm>

#include "app/runs/list/run_list_model.h"
#include "app/text/bounded_expression.h"
#include "engine/base/error.h"
#include "engine/config/fields.h"

namespace lockstep::app {
namespace {

struct ParsedFilter {
  QStringList words;  ///< that are part of no condition
  std::vector<RunCondition> conditions;
};

/// Throws Error with what is wrong, at which character, and how to mend it.
class Parser {
 public:
  explicit Parser(const QString& text) : text_(text) {}

  ParsedFilter parse() {
    ParsedFilter parsed;
    for (skipSpaces(); at_ < text_.size(); skipSpaces()) {
      const qsizetype begin = at_;
      const bool isQuoted = text_[at_] == u'"';
      const QString word = takeWord(true);
      skipSpaces();
      const auto op = isQuoted ? std::nullopt : takeOperator();
      if (!op) {
        parsed.words.append(word);
      } else {
        if (word.isEmpty())
          refuse(begin,
                 QStringLiteral("a key is missing before the operator; write such as step>100"));
        parsed.conditions.push_back(takeCondition(word, *op));
      }
    }
    return parsed;
  }

 private:
  [[noreturn]] static void refuse(qsizetype at, const QString& what) {
    throw Error(QStringLiteral("character %1: %2").arg(at + 1).arg(what).toStdString());
  }

  RunCondition takeCondition(const QString& key, RunCondition::Operator op) {
    skipSpaces();
    if (at_ == text_.size())
      refuse(at_, QStringLiteral("a value is missing after %1%2")
                      .arg(key, QLatin1StringView(base::textOf(op))));
    return RunCondition(key, op, takeWord(false));
  }

  void skipSpaces() {
    while (at_ < text_.size() && text_[at_].isSpace()) ++at_;
  }

  /// Up to a space, or also to an operator; or what is in quotes.
  QString takeWord(bool endsAtOperator) {
    const qsizetype begin = at_;
    if (text_[at_] == u'"') {
      const qsizetype end = text_.indexOf(u'"', begin + 1);
      if (end < 0) refuse(begin, QStringLiteral("the quote is not closed; add \" at its end"));
      at_ = end + 1;
      return text_.mid(begin + 1, end - begin - 1);
    }
    while (at_ < text_.size() && !text_[at_].isSpace() && !(endsAtOperator && findOperator()))
      ++at_;
    return text_.mid(begin, at_ - begin);
  }

  /// The longest that stands here; nullptr: none.
  const base::EnumText<RunCondition::Operator>* findOperator() const {
    const QStringView rest = QStringView(text_).mid(at_);
    const base::EnumText<RunCondition::Operator>* longest = nullptr;
    for (const auto& row : base::kEnumTexts<RunCondition::Operator>) {
      const QLatin1StringView sign(row.text);
      const bool isLonger =
          longest == nullptr || sign.size() > QLatin1StringView(longest->text).size();
      if (rest.startsWith(sign) && isLonger) longest = &row;
    }
    return longest;
  }

  std::optional<RunCondition::Operator> takeOperator() {
    const auto* found = findOperator();
    if (found == nullptr) return std::nullopt;
    at_ += QLatin1StringView(found->text).size();
    return found->value;
  }

  const QString& text_;
  qsizetype at_ = 0;
};

QRegularExpression regularExpression(const QString& pattern) {
  if (pattern.isEmpty()) return {};
  QRegularExpression expression =
      boundedExpression(pattern, QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid())
    throw Error(QStringLiteral("character %1: the regular expression is invalid: %2")
                    .arg(errorOffset(expression) + 2)  // after the first /
                    .arg(expression.errorString())
                    .toStdString());
  return expression;
}

QString searchedText(const QModelIndex& run) {
  const QStringList texts{run.data(RunListModel::NameRole).toString(),
                          run.data(RunListModel::StateTextRole).toString(),
                          run.data(RunListModel::ProgramRole).toString(),
                          run.data(RunListModel::TagsRole).toStringList().join(u' ')};
  return texts.join(u' ');
}

}  // namespace

bool RunFilter::setText(const QString& text) {
  fault_.clear();
  const bool isExpression = text.size() > 2 && text.startsWith(u'/') && text.endsWith(u'/');
  try {
    ParsedFilter parsed;
    QRegularExpression expression;
    if (isExpression) {
      expression = regularExpression(text.mid(1, text.size() - 2));
    } else {
      parsed = Parser(text).parse();
      // Spaces count as long as there is nothing but text.
      const bool isOneText = parsed.conditions.empty() && !text.contains(u'"');
      const QString words = isOneText ? text.trimmed() : parsed.words.join(u' ');
      expression = regularExpression(QRegularExpression::escape(words));
    }
    expression_ = expression;
    conditions_ = std::move(parsed.conditions);
  } catch (const Error& error) {
    fault_ = QString::fromStdString(error.what());
  }
  return fault_.isEmpty();
}

QStringList RunFilter::requiredFacts() const {
  QStringList keys;
  for (const RunCondition& condition : conditions_)
    if (const QString key = condition.factKey(); !key.isEmpty() && !keys.contains(key))
      keys.append(key);
  return keys;
}

QString RunFilter::unknownKey(const QStringList& keys) const {
  for (const QString& key : requiredFacts()) {
    if (keys.contains(key)) continue;
    std::vector<std::string> candidates;
    for (const auto& row : base::kEnumTexts<RunCondition::Column>) candidates.push_back(row.text);
    for (const QString& known : keys) candidates.push_back(known.toStdString());
    const std::string nearest = config::nearestWord(key.toStdString(), candidates);
    return QStringLiteral("no listed run has the key %1").arg(key) +
           (nearest.empty() ? QString()
                            : QStringLiteral("; nearest: %1").arg(QString::fromStdString(nearest)));
  }
  return {};
}

FilterMatch RunFilter::match(const QModelIndex& run, const Facts* facts) const {
  if (!expression_.pattern().isEmpty() && !expression_.match(searchedText(run)).hasMatch())
    return FilterMatch::No;
  FilterMatch least = FilterMatch::Yes;
  for (const RunCondition& condition : conditions_)
    least = std::min(least, condition.match(run, facts));
  return least;
}

}  // namespace lockstep::app
