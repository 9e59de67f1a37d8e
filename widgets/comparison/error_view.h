#pragma once

#include <QWidget>
#include <array>

#include "engine/coco/analysis/error_types.h"

class QLabel;

namespace lockstep::widgets {

class ErrorTable;

/// TIDE's errors of A and B, with what they are counted of.
class ErrorView : public QWidget {
  Q_OBJECT

 public:
  explicit ErrorView(QWidget* parent = nullptr);

  ErrorTable* table() const { return table_; }
  void setErrors(const std::array<coco::ErrorCosts, 2>& both, double iouThreshold);
  void clear();

 private:
  QLabel* note_ = nullptr;
  ErrorTable* table_ = nullptr;
};

}  // namespace lockstep::widgets
