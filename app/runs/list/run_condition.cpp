#include "app/runs/list/run_condition.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/runs/list/run_list_model.h"
#include "engine/base/error.h"

namespace lockstep::app {
namespace {

using Column = RunCondition::Column;
using Operator = RunCondition::Operator;

bool isOrder(Operator op) {
  return op == Operator::Less || op == Operator::AtMost || op == Operator::More ||
         op == Operator::AtLeast;
}

bool isText(Column column) {
  constexpr std::array kTexts{Column::State, Column::Name, Column::Tag, Column::Note,
                              Column::Program};
  return std::ranges::find(kTexts, column) != kTexts.end();
}

bool isFlag(Column column) { return column == Column::Pinned || column == Column::Archived; }

std::optional<double> numberIn(const QString& text) {
  bool isNumber = false;
  const double number = text.toDouble(&isNumber);
  return isNumber ? std::optional(number) : std::nullopt;
}

/// `1h30m`; a number alone is in seconds.
std::optional<double> secondsIn(const QString& text) {
  if (const auto seconds = numberIn(text)) return seconds;
  static const QRegularExpression whole(QStringLiteral("^(?:[0-9]*\\.?[0-9]+[smhd])+$")),
      part(QStringLiteral("([0-9]*\\.?[0-9]+)([smhd])"));
  if (!whole.match(text.toLower()).hasMatch()) return std::nullopt;
  double seconds = 0;
  for (const auto& found : part.globalMatch(text.toLower())) {
    const QString unit = found.captured(2);
    const double length = unit == u"s" ? 1 : unit == u"m" ? 60 : unit == u"h" ? 3600 : 86400;
    seconds += found.captured(1).toDouble() * length;
  }
  return seconds;
}

std::optional<double> flagIn(const QString& text) {
  const auto isOneOf = [&](std::initializer_list<QStringView> words) {
    return std::ranges::any_of(
        words, [&](QStringView word) { return text.compare(word, Qt::CaseInsensitive) == 0; });
  };
  if (isOneOf({u"yes", u"true", u"1"})) return 1;
  if (isOneOf({u"no", u"false", u"0"})) return 0;
  return std::nullopt;
}

std::optional<double> numberOf(std::optional<Column> column, const QString& text) {
  if (column == Column::Duration) return secondsIn(text);
  if (column && isFlag(*column)) return flagIn(text);
  return column && isText(*column) ? std::nullopt : numberIn(text);
}

[[noreturn]] void refuse(const QString& text) { throw Error(text.toStdString()); }

}  // namespace

RunCondition::RunCondition(const QString& key, Operator op, const QString& value)
    : key_(key),
      text_(value),
      operator_(op),
      column_(base::parseEnum<Column>(key.toLower().toStdString())),
      number_(numberOf(column_, value)) {
  const QString sign = QString::fromLatin1(base::textOf(op));
  if (column_ && isText(*column_) && isOrder(op))
    refuse(QStringLiteral("'%2' cannot compare the text %1; use =, != or ~ (contains)")
               .arg(key, sign));
  if (column_ && !isText(*column_) && op == Operator::Contains)
    refuse(QStringLiteral("'~' searches text, and %1 is not text; use = or !=").arg(key));
  if (column_ && isFlag(*column_) && isOrder(op))
    refuse(
        QStringLiteral("'%2' cannot compare %1, which is yes or no; use = or !=").arg(key, sign));
  if (number_) return;
  if (column_ == Column::Duration)
    refuse(QStringLiteral("'%1' is not a duration such as 90s, 30m, 2h, 1d or 1h30m").arg(value));
  if (column_ && isFlag(*column_)) refuse(QStringLiteral("'%1' is neither yes nor no").arg(value));
  if (column_ == Column::Step || isOrder(op))
    refuse(QStringLiteral("'%1' is not a number").arg(value));
}

FilterMatch RunCondition::match(const QModelIndex& run, const Facts* facts) const {
  if (!column_) return matchFact(run, facts);
  return matchesColumn(run) ? FilterMatch::Yes : FilterMatch::No;
}

bool RunCondition::matchesColumn(const QModelIndex& run) const {
  switch (*column_) {
    case Column::State:
      return matchesText(run.data(RunListModel::StateTextRole).toString());
    case Column::Name:
      return matchesText(run.data(RunListModel::NameRole).toString());
    case Column::Note:
      return matchesText(run.data(RunListModel::NoteRole).toString());
    case Column::Program: {
      const QString program = run.data(RunListModel::ProgramRole).toString();
      return matchesText(program.isEmpty() ? QStringLiteral("Lockstep") : program);
    }
    case Column::Tag: {
      const QStringList tags = run.data(RunListModel::TagsRole).toStringList();
      const auto matches = [this](const QString& tag) { return matchesText(tag); };
      return operator_ == Operator::NotEqual ? std::ranges::all_of(tags, matches)
                                             : std::ranges::any_of(tags, matches);
    }
    case Column::Step:
      return matchesNumber(run.data(RunListModel::StepRole).toDouble());
    case Column::Pinned:
      return matchesNumber(run.data(RunListModel::PinnedRole).toBool() ? 1 : 0);
    case Column::Archived:
      return matchesNumber(run.data(RunListModel::ArchivedRole).toBool() ? 1 : 0);
    case Column::Duration: {
      const QVariant seconds = run.data(RunListModel::DurationRole);
      return seconds.isValid() && matchesNumber(seconds.toDouble());
    }
  }
  return false;
}

/// The best value where the list has it, else the last. A run without the key never matches.
FilterMatch RunCondition::matchFact(const QModelIndex& run, const Facts* facts) const {
  const auto matchOf = [](bool matches) { return matches ? FilterMatch::Yes : FilterMatch::No; };
  const QVariant best = run.data(RunListModel::BestValueRole);
  if (best.isValid() && run.data(RunListModel::BestMetricRole).toString() == key_)
    return matchOf(matchesNumber(best.toDouble()));
  if (facts == nullptr) return FilterMatch::Pending;
  if (const QString* value = facts->config(key_)) return matchOf(matchesValue(*value));
  const auto metric = facts->metric(key_);
  return matchOf(metric && matchesNumber(*metric));
}

/// A value of a configuration: a number or text.
bool RunCondition::matchesValue(const QString& text) const {
  const auto number = number_ ? numberIn(text) : std::nullopt;
  return number && operator_ != Operator::Contains ? matchesNumber(*number) : matchesText(text);
}

bool RunCondition::matchesNumber(double number) const {
  if (operator_ == Operator::Contains || !number_) return matchesText(QString::number(number));
  const bool isEqual = number == *number_ || (std::isnan(number) && std::isnan(*number_));
  switch (operator_) {
    case Operator::Equal:
      return isEqual;
    case Operator::NotEqual:
      return !isEqual;
    case Operator::Less:
      return number < *number_;
    case Operator::AtMost:
      return number <= *number_;
    case Operator::More:
      return number > *number_;
    case Operator::AtLeast:
      return number >= *number_;
    case Operator::Contains:
      break;
  }
  return false;
}

bool RunCondition::matchesText(const QString& text) const {
  switch (operator_) {
    case Operator::Equal:
      return text.compare(text_, Qt::CaseInsensitive) == 0;
    case Operator::NotEqual:
      return text.compare(text_, Qt::CaseInsensitive) != 0;
    case Operator::Contains:
      return text.contains(text_, Qt::CaseInsensitive);
    default:
      return false;  // a number is asked for
  }
}

}  // namespace lockstep::app
