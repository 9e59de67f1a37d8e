#pragma once

#include <QWidget>

#include "widgets/comparison/confusion_model.h"

class QComboBox;
class QLabel;
class QTableView;

namespace lockstep::widgets {

/// A cell of a matrix, and what it counts.
struct ConfusionCell {
  ComparedView view = ComparedView::First;
  std::size_t actual = 0, predicted = 0;
  double scoreThreshold = 0;
  QString text;  ///< "car predicted as truck"
};

/// The confusion matrix of A, of B, or what B has more than A.
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

 Q_SIGNALS:
  /// By a click or Return.
  void cellChosen(const lockstep::widgets::ConfusionCell& cell);

 private:
  void buildUi();
  void choose(const QModelIndex& cell);

  ConfusionModel* model_ = nullptr;
  double scoreThreshold_ = 0;
  QComboBox* views_ = nullptr;
  QLabel* note_ = nullptr;
  QTableView* table_ = nullptr;
};

}  // namespace lockstep::widgets
