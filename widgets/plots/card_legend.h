#pragma once

#include <QWidget>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// Samples of the curves' pens with their names in one line; what does not fit is left out from the
/// right and counted. Of several runs it tells the kinds of curves alone: RunLegend has the runs.
class CardLegend : public QWidget {
  Q_OBJECT

 public:
  explicit CardLegend(QWidget* parent = nullptr);
  void setCurves(const std::vector<Curve>& curves);
  /// Keeps its place when it is not shown.
  void setShown(bool shown);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Entry {
    Curve curve;
    QString text;
    bool anyRun = false;  ///< a kind of curve, not one of a run: without colour
  };
  int widthOf(const Entry& entry) const;

  std::vector<Entry> entries_;
  bool shown_ = true;
};

}  // namespace lockstep::widgets
