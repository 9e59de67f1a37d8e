#pragma once

#include <QTableWidget>
#include <map>
#include <vector>

#include "widgets/instances/image_history.h"

namespace lockstep::widgets {

/// The shown image through the checkpoints that predicted it, one a row.
class ImageHistoryTable : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { Step, TruePositives, FalsePositives, Missed, MeanIou, Loss, kColumns };

  explicit ImageHistoryTable(QWidget* parent = nullptr);

  /// `losses`: held-out, by step; also of steps without a prediction of the image.
  void setHistory(const std::vector<ImageHistory::OfStep>& steps,
                  const std::map<qint64, double>& losses = {});
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
