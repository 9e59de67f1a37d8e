#pragma once

#include <QVariantMap>
#include <QWidget>
#include <memory>

#include "widgets/comparison/paired_object_model.h"

class QComboBox;
class QLabel;
class QToolButton;
class QTreeView;

namespace lockstep::widgets {

class ObjectFilterBar;

/// The objects by which of A and B finds them, or others that something stands for, filtered by
/// class, size and score. A row that is chosen is to be shown.
class ObjectsView : public QWidget {
  Q_OBJECT

 public:
  explicit ObjectsView(QWidget* parent = nullptr);

  /// Others that are listed stay. nullptr: none.
  void setObjects(std::shared_ptr<const coco::Dataset> dataset, PairedObjectModel::Objects objects);
  void setIouType(coco::IouType type) { objects_->setIouType(type); }
  const PairedObjectModel* model() const { return objects_; }
  /// Opens the chosen object, as a double click does; the owner says whether it can be.
  QToolButton* opening() const { return opening_; }
  /// Lists these in the place of the objects, without the filter, and chooses the first; `title`:
  /// what they are.
  void showOthers(const QString& title, std::shared_ptr<const coco::Dataset> dataset,
                  PairedObjectModel::Objects others);
  /// Lists the objects again, as they were filtered.
  void dropOthers();
  /// The objects of any class, size and score.
  void showAll();
  void showFinders(FinderSet finders);
  /// What only one of A and B finds of a class.
  void showDifferencesOf(CategoryId category);
  /// Chooses the object so many rows on; stays within the list.
  void moveObject(int rows);
  /// Filter, order and finders, for a later start.
  QVariantMap viewState() const;
  void restoreViewState(const QVariantMap& state);

 Q_SIGNALS:
  void objectChosen(const lockstep::widgets::PairedObject& object);
  /// By a double click or Return: its image is to be looked at by itself.
  void objectActivated();
  void viewStateChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildUi();
  void buildList();
  QWidget* buildLeftOut();
  void connectSignals();
  void takeFinders(int index);
  bool takeOthersAway();
  void listFinders();
  void applyFilter();
  void showCounts();
  void showClassColumns(std::size_t classes);
  void fitColumns();
  void chooseFirstObject();
  bool isListingOthers() const;

  QComboBox* finders_ = nullptr;  ///< data: FinderSet::value()
  QToolButton* opening_ = nullptr;
  ObjectFilterBar* filters_ = nullptr;
  QWidget* leftOut_ = nullptr;  ///< how many the filter leaves out, and a button against that
  QLabel* leftOutText_ = nullptr;
  QTreeView* list_ = nullptr;
  PairedObjectModel* objects_ = nullptr;
  FinderSet wanted_{Finders::OnlyFirst, Finders::OnlySecond};  ///< by a person
  QVariantMap keptFilter_;  ///< while others are listed: of the objects
};

}  // namespace lockstep::widgets
