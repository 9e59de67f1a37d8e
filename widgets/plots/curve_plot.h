#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"

namespace lockstep::widgets {

/// Curves over one x axis, drawn by QCustomPlot from points cut down to the pixel columns in view.
///
/// Ctrl+wheel: zoom at the pointer (over the y axis: y only); the wheel alone is left to the page.
/// Left drag: zoom box. Shift or middle drag: pan. Double-click: reset. No zoom leads beyond the
/// data. New points move the view only while it is not zoomed. GUI thread; nothing here blocks
/// longer than one replot.
class CurvePlot : public QWidget {
  Q_OBJECT

 public:
  explicit CurvePlot(QWidget* parent = nullptr);
  ~CurvePlot() override;

  void setCurves(std::vector<Curve> curves);
  const std::vector<Curve>& curves() const;
  void setXAxis(XAxis axis);
  XAxis xAxis() const;
  /// x range while the view is not zoomed, so that plots side by side show the same; nothing: that
  /// of the own curves.
  void setXExtent(std::optional<std::pair<double, double>> extent);
  void setEventMarks(std::vector<EventMark> marks);
  /// Limits that hold whatever the values are, e.g. 0 for a rate.
  void setYLimits(std::optional<double> least, std::optional<double> most);
  void setLogX(bool log);
  void setLogY(bool log);
  bool isLogX() const;
  bool isLogY() const;
  /// y range without the far greater values of what is in view, told by a mark at the upper edge;
  /// else by all of it.
  void setIgnoreOutliers(bool ignore);
  bool isIgnoringOutliers() const;

  /// The sources have changed: draws again soon, at most every 40 ms.
  void refresh();
  /// Whether the picture shows what the sources hold.
  bool isUpToDate() const;

  /// The linked cursor: shown at x, nothing hides it. `withReadings`: with the table of values (the
  /// plot under the pointer).
  void showCursor(std::optional<double> x, bool withReadings = false);
  void resetView();
  bool isZoomed() const;
  /// Ranges in view; for tests and for export.
  std::pair<double, double> xView() const;
  std::pair<double, double> yView() const;
  void setXView(double low, double high);
  /// Points handed to QCustomPlot for one curve at the last drawing.
  int drawnPointCount(int curve) const;

  /// Writes .pdf, .svg or .png by the name's end. Empty, or why it could not.
  QString exportPicture(const QString& path);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The pointer is at x, or has left.
  void cursorMoved(std::optional<double> x);
  void viewChanged();
  void drawn();
  void menuRequested(const QPoint& globalPosition);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Parts;
  void buildUi();
  void connectSignals();
  void redraw();
  void showZoom();
  void applyTheme();

  std::unique_ptr<Parts> parts_;
};

}  // namespace lockstep::widgets
