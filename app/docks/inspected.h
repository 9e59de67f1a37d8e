#pragma once

#include <QCoreApplication>
#include <QString>
#include <vector>

namespace lockstep::app {

/// A fact of what is selected, or a thing with its facts, as the inspector shows it.
struct Inspected {
  QString name;
  QString value;  ///< of a thing: what it is called, or how to select one
  std::vector<Inspected> parts{};

  /// A value that is not known is left out.
  void add(const QString& factName, const QString& factValue) {
    if (!factValue.isEmpty()) parts.push_back({factName, factValue});
  }
  bool operator==(const Inspected&) const = default;

  Q_DECLARE_TR_FUNCTIONS(Inspector)
};

}  // namespace lockstep::app
