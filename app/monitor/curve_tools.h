#pragma once

#include <QWidget>

#include "widgets/curves/curve_source.h"

class QLabel;
class QLineEdit;

namespace lockstep::widgets {
class AxisChoice;
class Slider;
}  // namespace lockstep::widgets

namespace lockstep::app {

/// Controls for smoothing and x axis of all curves.
class CurveTools : public QWidget {
  Q_OBJECT

 public:
  explicit CurveTools(QWidget* parent = nullptr);

  /// Weight of the moving average, 0 to 0.999.
  double smoothing() const;
  void setSmoothing(double weight);
  /// Shows as much as fits into this width: in a narrow one the slider has no label and value.
  /// Returns false if even that is wider.
  bool fit(int widthPx);
  /// No width, so that the window can become narrower: the parent calls fit().
  QSize minimumSizeHint() const override;
  /// Words that cards are searched for.
  QString words() const;
  void setWords(const QString& words);
  void setXAxis(widgets::XAxis axis);
  void focusSearch();

 public Q_SLOTS:
  /// Switches smoothing off, or on again with its last weight.
  void toggleSmoothing();

 Q_SIGNALS:
  void smoothingChanged(double weight);
  void xAxisChanged(lockstep::widgets::XAxis axis);
  void wordsChanged(const QString& words);

 private:
  void buildUi();
  void setSpacious(bool isSpacious);
  void connectSignals();
  void showSmoothing();

  QLineEdit* words_ = nullptr;
  widgets::Slider* smoothing_ = nullptr;
  QLabel* smoothingLabel_ = nullptr;
  QLabel* smoothingText_ = nullptr;
  widgets::AxisChoice* xAxis_ = nullptr;
  int lastSmoothing_ = 0;  ///< last slider position above 0
};

}  // namespace lockstep::app
