#pragma once

#include <QTableView>
#include <QVariantMap>
#include <optional>
#include <vector>

#include "widgets/instances/class_figures.h"

class QSortFilterProxyModel;

namespace lockstep::widgets {

class ClassModel;

/// The classes with their figures at the thresholds, sorted by a click on a column's title. A click
/// or Return on a class asks for its images, on the chosen one for those of all classes; on its
/// number of false positives or of missed objects it asks for these.
class ClassTable : public QTableView {
  Q_OBJECT

 public:
  explicit ClassTable(QWidget* parent = nullptr);

  void setClasses(const std::vector<coco::Category>& classes);
  /// Shows those with these words in their names.
  void setFilter(const QString& words);
  void setApName(const QString& name);
  void setFigures(const std::vector<ClassFigures>& figures);
  /// The class whose images are shown, if they are of one.
  void showChosen(std::optional<CategoryId> category);
  /// What it is sorted by, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  QSize sizeHint() const override;

 Q_SIGNALS:
  void classChosen(std::optional<lockstep::CategoryId> category);
  void falsePositivesChosen(lockstep::CategoryId category);
  void missedChosen(lockstep::CategoryId category);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void choose(const QModelIndex& row);
  void fitColumns();

  ClassModel* model_ = nullptr;
  QSortFilterProxyModel* sorted_ = nullptr;
  std::optional<CategoryId> chosen_;
};

}  // namespace lockstep::widgets
