#pragma once

#include <QDialog>
#include <QString>
#include <vector>

#include "engine/config/lr_range_test.h"

class QLabel;
class QPushButton;

namespace lockstep::widgets {
class RangeTestCurve;
}

namespace lockstep::app {

/// What a learning-rate range test found: its curve, and the learning rate to use.
class RangeTestDialog : public QDialog {
  Q_OBJECT

 public:
  /// `run`: its name. `experiment`: of the file that would get the learning rate; empty: none is
  /// open.
  RangeTestDialog(const QString& run, std::vector<config::RangeTestStep> steps,
                  const QString& experiment, QWidget* parent);

  /// 0: the test found none.
  double learningRate() const { return learningRate_; }

 Q_SIGNALS:
  void learningRateChosen(double learningRate);

 private:
  double learningRate_ = 0;
};

/// `0.0123`, as it is written into an experiment.
QString learningRateText(double learningRate);

}  // namespace lockstep::app
