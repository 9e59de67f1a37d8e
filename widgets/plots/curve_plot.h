#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/curves/curve_source.h"
#include "widgets/spoken_value.h"

namespace lockstep::widgets {

class DrawQueue;
class PlotView;

/// Ranges that a plot is zoomed to; nothing: all.
struct PlotZoom {
  std::optional<std::pair<double, double>> x, y;
  bool operator==(const PlotZoom&) const = default;
};

/// Curves over one x axis, drawn by QCustomPlot from points downsampled to the pixel columns.
///
/// Ctrl+wheel: zoom at the pointer (over the y axis: y only); the wheel alone scrolls the page.
/// Left drag: zoom box. Shift or middle drag: pan. Ctrl+drag: select a range. Double-click: reset.
/// Left and Right, Home and End move the cursor, Return chooses it, Esc ends the range or hides the
/// cursor. The view
/// stays within the data. New points move the view only while it is not zoomed. GUI thread; no call
/// blocks longer than one replot.
class CurvePlot : public QWidget, public SpokenValue {
  Q_OBJECT

 public:
  /// `queue`: shared by the plots of a page, for as long as they are shown; nullptr: its own.
  explicit CurvePlot(DrawQueue* queue = nullptr, QWidget* parent = nullptr);
  ~CurvePlot() override;

  void setCurves(std::vector<Curve> curves);
  const std::vector<Curve>& curves() const;
  void setXAxis(XAxis axis);
  XAxis xAxis() const;
  /// x range that is shown while the view is not zoomed, so that the plots of a page show the same;
  /// std::nullopt: that of the curves.
  void setXExtent(std::optional<std::pair<double, double>> extent);
  void setEventMarks(std::vector<EventMark> marks);
  const std::vector<EventMark>& eventMarks() const;
  /// Fixed limits of y, e.g. 0 for a rate.
  void setYLimits(std::optional<double> min, std::optional<double> max);
  void setLogX(bool log);
  void setLogY(bool log);
  bool isLogX() const;
  bool isLogY() const;
  /// Whether the y range leaves out outliers in view. A mark at the upper edge shows where they
  /// are.
  void setIgnoreOutliers(bool ignore);
  bool isIgnoringOutliers() const;

  /// Call it when the sources have changed. Draws again with the next frame, or once it is in
  /// sight.
  void refresh();
  /// Whether any curve has a point. Without points the axes have no labels.
  bool hasPoints() const;
  /// Whether the plot shows the current points of the sources, or is out of sight.
  bool isUpToDate() const;

  /// Shows the linked cursor at x; std::nullopt hides it. `withReadings`: with the table of values,
  /// for the plot under the pointer.
  void showCursor(std::optional<double> x, bool withReadings = false);
  /// With its figures where the cursor is in it; std::nullopt: none.
  void setSelectedRange(std::optional<std::pair<double, double>> range);
  void resetView();
  bool isZoomed() const;
  PlotZoom zoom() const;
  /// Without viewChanged().
  void setZoom(const PlotZoom& zoom);
  /// Ranges in view, for tests and export.
  std::pair<double, double> xView() const;
  std::pair<double, double> yView() const;
  void setXView(double low, double high);
  /// Number of points of one curve in the last drawing.
  int drawnPointCount(int curve) const;

  /// What is shown, to be taken for a file.
  const PlotView& view() const;
  /// What is on the screen, as SVG, for tests.
  QByteArray toSvg() const;

  QAccessible::Role spokenRole() const override { return QAccessible::Chart; }
  /// The last value of each curve.
  QString spokenValue() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// `x`: of the pointer, or moved to by keys; std::nullopt: it has left.
  void cursorMoved(std::optional<double> x);
  /// By a click, or by Return at the cursor.
  void clicked(double x);
  void viewChanged();
  /// By a drag, from one x to the other.
  void rangeSelected(double from, double to);
  /// By Esc.
  void rangeDismissed();
  void drawn();
  /// isUpToDate() became true: drawn, or out of sight.
  void upToDate();
  void menuRequested(const QPoint& globalPosition);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  struct Impl;
  void buildUi();
  void connectSignals();
  void redraw();
  void finishDrawing();
  void showZoom();
  void applyTheme();

  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep::widgets
