#pragma once

#include <QCoreApplication>
#include <QTest>
#include <QWheelEvent>
#include <memory>

#include "tests/widgets_plots/plain_source.h"
#include "widgets/plots/curve_plot.h"

namespace lockstep::tests {

using widgets::Curve;

inline std::shared_ptr<PlainSource> line(int count, double slope = 0.01) {
  auto source = std::make_shared<PlainSource>();
  for (int i = 0; i < count; ++i) source->points.push_back({1.0 + i, 1 + slope * i});
  return source;
}

/// Falls to its lowest value at 50, and rises.
inline std::shared_ptr<PlainSource> valley(double lowest) {
  auto source = std::make_shared<PlainSource>();
  for (int i = 1; i <= 100; ++i)
    source->points.push_back({i + 0.0, lowest + 0.1 * std::abs(i - 50)});
  return source;
}

inline Curve curveOf(std::shared_ptr<PlainSource> source, Curve::Kind kind = Curve::Kind::Line) {
  Curve curve;
  curve.name = QStringLiteral("train");
  curve.kind = kind;
  curve.source = std::move(source);
  return curve;
}

/// One of several runs.
inline Curve ofRun(const QString& run, int style, std::shared_ptr<PlainSource> source) {
  Curve curve = curveOf(std::move(source));
  curve.run = run;
  curve.styleIndex = style;
  return curve;
}

/// Whether the widget accepted the event; if not, it goes to the widgets below.
inline bool wheel(QWidget* widget, const QPointF& position, int delta,
                  Qt::KeyboardModifiers modifiers) {
  QWheelEvent event(position, widget->mapToGlobal(position), {}, {0, delta}, Qt::NoButton,
                    modifiers, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(widget, &event);
  return event.isAccepted();
}

/// A plot on the screen, of 600 x 300 px.
class CurvePlotBench {
 protected:
  void makePlot() {
    plot_ = std::make_unique<widgets::CurvePlot>();
    plot_->resize(600, 300);
  }
  void show() {
    plot_->show();
    QVERIFY(QTest::qWaitForWindowExposed(plot_.get()));
    waitDrawn();
  }
  void waitDrawn() { QTRY_VERIFY(plot_->isUpToDate()); }
  static void drag(QWidget* widget, const QPoint& from, const QPoint& to,
                   Qt::KeyboardModifiers modifiers) {
    QTest::mousePress(widget, Qt::LeftButton, modifiers, from);
    QTest::mouseMove(widget, to);
    QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
  }
  QWidget* overlayOf() { return plot_->childAt(300, 150); }

  std::unique_ptr<widgets::CurvePlot> plot_;
};

}  // namespace lockstep::tests
