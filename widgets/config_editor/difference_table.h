#pragma once

#include <QTreeWidget>

#include "engine/config/load.h"

namespace lockstep::widgets {

/// The keys whose values differ between two experiments, each with a button that takes the other's
/// value; a double click goes to the key.
class DifferenceTable : public QTreeWidget {
  Q_OBJECT

 public:
  explicit DifferenceTable(QWidget* parent = nullptr);
  void setDifference(const QString& leftName, const QString& rightName,
                     const std::vector<config::ConfigDifference>& differences);

 Q_SIGNALS:
  void keyChosen(const QString& key);
  /// The other's value is to be set in the file.
  void taken(const QString& key, const QString& value);

 private:
  void addTakeButton(QTreeWidgetItem* item);
};

}  // namespace lockstep::widgets
