#pragma once

#include <QModelIndex>
#include <QRegularExpression>
#include <QString>

namespace lockstep::app {

/// Accepts runs whose name, state or program contains the text or matches /regex/.
class RunFilter {
 public:
  /// False when the text is an invalid /regex/; the filter is then unchanged.
  bool setText(const QString& text);
  bool isEmpty() const { return expression_.pattern().isEmpty(); }
  bool accepts(const QModelIndex& run) const;

 private:
  QRegularExpression expression_;
};

}  // namespace lockstep::app
