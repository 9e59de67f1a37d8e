#pragma once

#include <QWidget>

#include "widgets/comparison/confusion_model.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QSplitter;
class QTableView;
class QTreeWidget;

namespace lockstep::widgets {

/// A cell of a matrix, and what it counts.
struct ConfusionCell {
  ComparedView view = ComparedView::First;
  std::size_t actual = 0, predicted = 0;
  double scoreThreshold = 0;
  QString text;  ///< "car predicted as truck"
};

/// The confusion matrix of A, of B, or what B has more than A, with the classes that are most often
/// taken for another.
class ConfusionView : public QWidget {
  Q_OBJECT

 public:
  explicit ConfusionView(QWidget* parent = nullptr);

  ConfusionModel* model() const { return model_; }
  /// At these thresholds.
  void setConfusions(const std::vector<coco::Category>& categories,
                     const MatchedPair::Confusions& both, double scoreThreshold);
  void clear();
  ComparedView shownView() const { return model_->view(); }
  void setView(ComparedView view);
  ConfusionUnit unit() const { return model_->unit(); }
  void setUnit(ConfusionUnit unit);

 Q_SIGNALS:
  /// By a click or Return.
  void cellChosen(const lockstep::widgets::ConfusionCell& cell);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void buildUi();
  void buildMatrix();
  void buildLargest();
  void connectSignals();
  void choose(const ConfusionModel::Cell& cell);
  void showLargest();
  void showEmptyCount();

  ConfusionModel* model_ = nullptr;
  double scoreThreshold_ = 0;
  QComboBox *views_ = nullptr, *units_ = nullptr;
  QCheckBox* empty_ = nullptr;
  QLabel* note_ = nullptr;
  QSplitter* split_ = nullptr;
  QTableView* table_ = nullptr;
  QTreeWidget* largest_ = nullptr;
  std::vector<ConfusionModel::Cell> listed_;  ///< the rows of largest_
};

}  // namespace lockstep::widgets
