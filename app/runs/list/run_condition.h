#pragma once

#include <QModelIndex>
#include <QString>
#include <optional>
#include <vector>

#include "app/runs/list/facts.h"
#include "engine/base/enum_text.h"

namespace lockstep::app {

/// Whether a filter accepts a run. Pending: facts that decide it have not been read.
enum class FilterMatch { No, Pending, Yes };

/// KEY OP VALUE of a filter. The key is a column of the list, or else a configuration key or a tag.
class RunCondition {
 public:
  enum class Column { State, Name, Tag, Note, Step, Program, Pinned, Archived, Duration };
  enum class Operator { Equal, NotEqual, Less, AtMost, More, AtLeast, Contains };

  /// Throws Error: what is wrong with the value and how to mend it, as the end of a sentence that
  /// says where.
  RunCondition(const QString& key, Operator op, const QString& value);

  /// The key, if it is no column: facts are needed. Else empty.
  QString factKey() const { return column_ ? QString() : key_; }
  /// facts: nullptr if they have not been read.
  FilterMatch match(const QModelIndex& run, const Facts* facts) const;

 private:
  bool matchesColumn(const QModelIndex& run) const;
  FilterMatch matchFact(const QModelIndex& run, const Facts* facts) const;
  bool matchesNumber(double number) const;
  bool matchesText(const QString& text) const;
  bool matchesValue(const QString& text) const;

  QString key_, text_;
  Operator operator_;
  std::optional<Column> column_;
  std::optional<double> number_;  ///< of the text
};

constexpr auto enumTexts(RunCondition::Column) {
  using enum RunCondition::Column;
  return std::to_array<base::EnumText<RunCondition::Column>>({{State, "state"},
                                                              {Name, "name"},
                                                              {Tag, "tag"},
                                                              {Note, "note"},
                                                              {Step, "step"},
                                                              {Program, "program"},
                                                              {Pinned, "pinned"},
                                                              {Archived, "archived"},
                                                              {Duration, "duration"}});
}
constexpr auto enumTexts(RunCondition::Operator) {
  using enum RunCondition::Operator;
  return std::to_array<base::EnumText<RunCondition::Operator>>({{Equal, "="},
                                                                {Equal, "=="},
                                                                {NotEqual, "!="},
                                                                {Less, "<"},
                                                                {AtMost, "<="},
                                                                {More, ">"},
                                                                {AtLeast, ">="},
                                                                {Contains, "~"}});
}

}  // namespace lockstep::app
