#pragma once

#include <QTableWidget>
#include <vector>

#include "widgets/instances/image_history.h"

namespace lockstep::widgets {

/// The shown image through the checkpoints that predicted it, one a row.
class ImageHistoryTable : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { Step, TruePositives, FalsePositives, Missed, MeanIou, kColumns };

  explicit ImageHistoryTable(QWidget* parent = nullptr);

  void setHistory(const std::vector<ImageHistory::OfStep>& steps);
  /// Selects its row, or none.
  void showStep(qint64 step);
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// By a click; the page has keys of its own for the checkpoints.
  void stepChosen(qint64 step);

 private:
  std::vector<qint64> steps_;
};

}  // namespace lockstep::widgets
