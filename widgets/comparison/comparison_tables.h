#pragma once

#include <QTabWidget>
#include <memory>
#include <vector>

#include "engine/config/load.h"
#include "widgets/comparison/paired_object_model.h"

class QAbstractItemView;
class QComboBox;
class QTreeView;
class QTreeWidget;

namespace lockstep::widgets {

class ConfusionView;
class ErrorView;
class RecallView;

/// A figure of A and of B; NaN: there is none.
struct ComparedFigure {
  QString name;
  double first = 0, second = 0;
  bool isLowerBetter = false;
};

/// Figures that are of the same images; `note`: how they come about; `id`: the same whatever the
/// title says of them.
struct FigureSection {
  QString id, title, note;
  std::vector<ComparedFigure> figures{};
};

/// What two results differ in: figures, classes, settings, confusions, errors, precision-recall
/// curves, and the objects that only one of them finds, or that one of those stands for.
class ComparisonTables : public QTabWidget {
  Q_OBJECT

 public:
  explicit ComparisonTables(QWidget* parent = nullptr);

  void setFigures(const std::vector<FigureSection>& sections);
  void setClasses(const std::vector<ComparedFigure>& classes);
  /// `whyNone`: said if there are none.
  void setSettings(const std::vector<config::ConfigDifference>& settings,
                   const QString& whyNone = {});
  /// Others that are listed stay.
  void setObjects(std::shared_ptr<const coco::Dataset> dataset, PairedObjectModel::Objects objects);
  /// Of which IoU the areas of objects are.
  void setIouType(coco::IouType type) { objects_->setIouType(type); }
  const PairedObjectModel* objects() const { return objects_; }
  /// Lists these in the place of the objects, and chooses the first; `title`: what they are.
  void showOthers(const QString& title, std::shared_ptr<const coco::Dataset> dataset,
                  PairedObjectModel::Objects others);
  /// Lists the objects again.
  void dropOthers();
  ConfusionView* confusions() const { return confusions_; }
  ErrorView* errors() const { return errors_; }
  RecallView* recall() const { return recall_; }
  void showFinders(Finders finders);
  /// Chooses the object so many rows on; stays within the list.
  void moveObject(int rows);
  /// The table of the current tab; nullptr: it has none.
  QAbstractItemView* shownTable() const;
  /// Of all tabs.
  std::vector<QAbstractItemView*> tables() const;

 Q_SIGNALS:
  void objectChosen(const lockstep::widgets::PairedObject& object);

 private:
  void buildUi();
  QWidget* buildObjects();
  void connectSignals();
  void showCounts();
  /// If there are none of the kind that is listed.
  void showObjectsThatThereAre();
  void chooseFirstObject();
  bool isListingOthers() const;
  static QAbstractItemView* tableOf(QWidget* page);

  QTreeWidget *figures_ = nullptr, *classes_ = nullptr, *settings_ = nullptr;
  ConfusionView* confusions_ = nullptr;
  ErrorView* errors_ = nullptr;
  RecallView* recall_ = nullptr;
  QComboBox* finders_ = nullptr;
  QTreeView* list_ = nullptr;
  PairedObjectModel* objects_ = nullptr;
};

}  // namespace lockstep::widgets
