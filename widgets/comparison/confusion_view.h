#pragma once

#include <QWidget>

#include "widgets/comparison/confusion_model.h"

class QComboBox;
class QLabel;
class QTableView;

namespace lockstep::widgets {

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
  void setView(ComparedView view);

 Q_SIGNALS:
  /// By a click or Return: row and column of the matrix.
  void cellChosen(lockstep::widgets::ComparedView view, int actual, int predicted);

 private:
  void buildUi();
  void choose(const QModelIndex& cell);

  ConfusionModel* model_ = nullptr;
  QComboBox* views_ = nullptr;
  QLabel* note_ = nullptr;
  QTableView* table_ = nullptr;
};

}  // namespace lockstep::widgets
