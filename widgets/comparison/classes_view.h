#pragma once

#include <QVariantMap>
#include <QWidget>

#include "widgets/comparison/compared_figure.h"

class QLabel;
class QSpinBox;
class QTreeWidget;
class QTreeWidgetItem;

namespace lockstep::widgets {

class ClassSearch;

/// AP of the classes in A and B, searched by name and by how many objects there are of a class.
class ClassesView : public QWidget {
  Q_OBJECT

 public:
  explicit ClassesView(QWidget* parent = nullptr);

  /// The chosen class and the order stay.
  void setClasses(const std::vector<ComparedClass>& classes);
  QTreeWidget* table() const { return table_; }
  void focusSearch();
  /// Order and least objects, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);

 Q_SIGNALS:
  /// By a click or Return.
  void classChosen(lockstep::CategoryId category);
  void viewStateChanged();

 private:
  void buildUi();
  void connectSignals();
  void filterRows();
  void showNote(int shown);

  ClassSearch* search_ = nullptr;
  QSpinBox* least_ = nullptr;
  QLabel* note_ = nullptr;
  QTreeWidget* table_ = nullptr;
};

}  // namespace lockstep::widgets
