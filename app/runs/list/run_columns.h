#pragma once

#include <QModelIndex>
#include <QString>
#include <QVariant>
#include <functional>
#include <vector>

namespace lockstep::app {

class RunFacts;

/// A column of the table of runs.
struct RunColumn {
  using Value = std::function<QVariant(const QModelIndex& run)>;
  QString id;     ///< saved with the layout: "step", "solver.base_lr"
  QString title;  ///< in the header
  Value value;    ///< by which rows are sorted; invalid: the run has none, and comes last
  std::function<QString(const QModelIndex& run)> text;  ///< in the cell
};

/// Those that every run can have; the first is the run itself.
const std::vector<RunColumn>& standardColumns();

/// Of a configuration key or a tag: `facts` must live as long as the column is used.
RunColumn configColumn(const RunFacts& facts, const QString& key);
RunColumn metricColumn(const RunFacts& facts, const QString& tag);

/// -1, 0 or 1: numbers as numbers, text as people sort it (`run 9` before `run 10`), what is
/// invalid after all others.
int compareValues(const QVariant& a, const QVariant& b);

}  // namespace lockstep::app
