#pragma once

#include <QTabWidget>
#include <QVariantMap>
#include <memory>
#include <vector>

#include "engine/config/load.h"
#include "widgets/comparison/compared_figure.h"
#include "widgets/comparison/paired_object_model.h"

class QAbstractItemView;
class QTreeWidget;

namespace lockstep::widgets {

class ClassesView;
class ConfusionView;
class ErrorView;
class ObjectsView;
class RecallView;

/// What two results differ in: figures, classes, settings, confusions, errors, precision-recall
/// curves, and the objects that only one of them finds, or that one of those stands for.
class ComparisonTables : public QTabWidget {
  Q_OBJECT

 public:
  explicit ComparisonTables(QWidget* parent = nullptr);

  void setFigures(const std::vector<FigureSection>& sections);
  /// `whyNone`: said if there are none.
  void setSettings(const std::vector<config::ConfigDifference>& settings,
                   const QString& whyNone = {});
  /// Lists these in the place of the objects, and chooses the first; `title`: what they are.
  void showOthers(const QString& title, std::shared_ptr<const coco::Dataset> dataset,
                  PairedObjectModel::Objects others);
  ObjectsView* objectsView() const { return objects_; }
  const PairedObjectModel* objects() const;
  ClassesView* classes() const { return classes_; }
  ConfusionView* confusions() const { return confusions_; }
  ErrorView* errors() const { return errors_; }
  RecallView* recall() const { return recall_; }
  /// Chooses the object so many rows on, in its tab; stays within the list.
  void moveObject(int rows);
  void searchClasses();
  /// What the tabs keep for the next start, but for the one that is shown.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);
  /// The table of the current tab; nullptr: it has none.
  QAbstractItemView* shownTable() const;
  /// Of all tabs.
  std::vector<QAbstractItemView*> tables() const;

 Q_SIGNALS:
  void viewStateChanged();

 private:
  void buildUi();
  void connectSignals();
  static QAbstractItemView* tableOf(QWidget* page);

  QTreeWidget *figures_ = nullptr, *settings_ = nullptr;
  ClassesView* classes_ = nullptr;
  ObjectsView* objects_ = nullptr;
  ConfusionView* confusions_ = nullptr;
  ErrorView* errors_ = nullptr;
  RecallView* recall_ = nullptr;
};

}  // namespace lockstep::widgets
