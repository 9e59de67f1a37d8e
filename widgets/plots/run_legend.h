#pragma once

#include <QString>
#include <vector>

#include "widgets/plots/entry_strip.h"

namespace lockstep::widgets {

/// The legend of all plots below it: the names of the runs with samples of their pens, in at most
/// three lines; runs that do not fit are counted.
class RunLegend : public EntryStrip {
  Q_OBJECT

 public:
  struct Run {
    QString name;
    int styleIndex = 0;
    bool isHidden = false;
  };
  explicit RunLegend(QWidget* parent = nullptr);
  void setRuns(std::vector<Run> runs);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  Places placesIn(int width) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void paintRun(QPainter* painter, std::size_t run, const QRect& place) const;

  std::vector<Run> runs_;
};

}  // namespace lockstep::widgets
