#pragma once

#include <QModelIndex>
#include <QRegularExpression>
#include <QString>
#include <QStringList>
#include <vector>

#include "app/runs/list/run_condition.h"

namespace lockstep::app {

/// What of a list of runs is shown. A text is one of:
///
///     text               runs whose name, state or program contains it; "in quotes": also one with
///                        operators
///     /regex/            the same, as a regular expression
///     KEY OP VALUE …     all of these, and what else stands there as text. OP is = == != < <= > >=
///                        or ~ (contains), VALUE perhaps in quotes, KEY a configuration key
///                        (solver.base_lr>0.01), a metric (segm/AP>=0.4: the best value where
///                        run.json has it, else the last) or a column (duration>2h, tag=baseline)
///
/// Numbers are compared as such, texts without regard to case.
class RunFilter {
 public:
  /// False when the text is invalid; the filter is then unchanged, and fault() says why.
  bool setText(const QString& text);
  /// What is wrong with the last text, where, and how to mend it; empty: nothing.
  QString fault() const { return fault_; }
  bool isEmpty() const { return expression_.pattern().isEmpty() && conditions_.empty(); }

  /// Keys that are no columns: if there are any, facts must be read.
  QStringList requiredFacts() const;
  /// `no listed run has the key solver.base_l; nearest: solver.base_lr`; empty: they all are among
  /// those, the keys of all runs.
  QString unknownKey(const QStringList& keys) const;

  /// facts: nullptr if they have not been read.
  FilterMatch match(const QModelIndex& run, const Facts* facts) const;
  /// A pending run is accepted.
  bool accepts(const QModelIndex& run, const Facts* facts = nullptr) const {
    return match(run, facts) != FilterMatch::No;
  }

 private:
  QRegularExpression expression_;
  std::vector<RunCondition> conditions_;
  QString fault_;
};

}  // namespace lockstep::app
