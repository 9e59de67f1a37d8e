#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace lockstep::widgets {

/// The legend of all plots below it: the names of the runs with samples of their pens, in at most
/// three lines; runs that do not fit are counted.
class RunLegend : public QWidget {
  Q_OBJECT

 public:
  struct Run {
    QString name;
    int styleIndex = 0;
  };
  explicit RunLegend(QWidget* parent = nullptr);
  void setRuns(std::vector<Run> runs);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Place {
    int left = 0, line = 0, width = 0;
  };
  std::vector<Place> places(int width) const;

  std::vector<Run> runs_;
};

}  // namespace lockstep::widgets
