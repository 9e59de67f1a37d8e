#pragma once

#include <QWidget>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// The names of the curves with samples of their pens, in one line; those that do not fit are
/// counted at the right end. With several runs it lists only the kinds of curves, and RunLegend
/// lists the runs.
class CardLegend : public QWidget {
  Q_OBJECT

 public:
  explicit CardLegend(QWidget* parent = nullptr);
  void setCurves(const std::vector<Curve>& curves);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Entry {
    Curve curve;
    QString text;
    bool anyRun = false;  ///< a kind of curve of several runs: without colour
  };
  int widthOf(const Entry& entry) const;

  std::vector<Entry> entries_;
};

}  // namespace lockstep::widgets
