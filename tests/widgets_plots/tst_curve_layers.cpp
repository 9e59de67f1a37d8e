#include <QSignalSpy>
#include <QTest>
#include <functional>

#include "tests/support/pixels.h"
#include "tests/support/test_main.h"
#include "tests/widgets_plots/plain_source.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/readings_tip.h"
#include "widgets/theme.h"

using namespace lockstep;
using tests::curveOf;
using tests::pixelsOf;
using tests::PlainSource;
using widgets::Curve;
using widgets::CurvePlot;

namespace {

std::vector<QPointF> level(int count, double value) {
  std::vector<QPointF> points;
  for (int i = 0; i < count; ++i) points.push_back({1.0 + i, value});
  return points;
}

/// How much of the background is painted over: the sum of the differences from it.
double inkOnCard(const QImage& image) {
  const auto far = [](const QColor& a, const QColor& b) {
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
           std::abs(a.blue() - b.blue());
  };
  const QColor ground = widgets::currentTheme().card;
  double ink = 0;
  const QRect area(60, 10, 520, 260);
  for (int y = area.top(); y <= area.bottom(); ++y)
    for (int x = area.left(); x <= area.right(); ++x) ink += far(image.pixelColor(x, y), ground);
  return ink;
}

QColor runColor() { return widgets::runStyle(0, widgets::currentTheme()).color; }

}  // namespace

class TstCurveLayers : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    plot_ = std::make_unique<CurvePlot>();
    plot_->resize(600, 300);
  }

  void theFirstPointIsSeen() { QVERIFY(pixelsOf(drawn({curveOf({{1, 2}})}), runColor()) > 8); }

  void everyKindOfMarkIsDrawnUnlessAnotherTakesItsPlace() {
    using Kind = widgets::EventMark::Kind;
    const auto& theme = widgets::currentTheme();
    const auto pixels = [&](std::vector<widgets::EventMark> marks, const QColor& color) {
      plot_->setEventMarks(std::move(marks));
      return pixelsOf(drawn({curveOf(level(100, 2))}), color);
    };
    const QColor alert = theme.warning, resume = theme.accent;
    QCOMPARE(pixels({}, alert), 0);
    const widgets::EventMark both[] = {{50, {}, Kind::Resume}, {50.2, {}, Kind::Alert}};
    QVERIFY(pixels({both[0]}, resume) > 5);
    QVERIFY(pixels({both[0], both[1]}, alert) > 5);
    QCOMPARE(pixels({both[0], both[1]}, resume), 0);
    // Routine marks are in a row of their own.
    const int checkpoint = pixels({{50, {}, Kind::Checkpoint}}, theme.textFaint);
    QVERIFY(checkpoint > 5);
    QCOMPARE(pixels({{50, {}, Kind::Checkpoint}, both[1]}, theme.textFaint), checkpoint);
  }

  void onlyAnotherPictureIsPainted() {
    auto source = std::make_shared<PlainSource>();
    for (int i = 0; i < 100; ++i) source->points.push_back({1.0 + i, 1 + 0.01 * i});
    Curve curve;
    curve.name = QStringLiteral("train");
    curve.source = source;
    drawn({curve});
    QObject* canvas = nullptr;
    for (QObject* child : plot_->children())
      if (child->inherits("QCustomPlot")) canvas = child;
    QSignalSpy painted(canvas, SIGNAL(afterReplot())), frames(plot_.get(), &CurvePlot::drawn);
    const auto paintings = [&](const std::function<void()>& change) {
      painted.clear();
      frames.clear();
      change();
      plot_->refresh();
      if (!QTest::qWaitFor([&] { return plot_->isUpToDate(); })) return qsizetype{-1};
      return frames.size() > 0 ? painted.size() : qsizetype{-1};
    };
    QCOMPARE(paintings([&] { source->points[50].ry() += 1e-5; }), 0);
    QCOMPARE(paintings([&] { source->points[50].ry() += 0.2; }), 1);
    QCOMPARE(paintings([&] { plot_->setLogY(true); }), 1);
    QCOMPARE(paintings([&] { plot_->setXView(10, 20); }), 1);
    QCOMPARE(paintings([&] { plot_->setXAxis(widgets::XAxis::Relative); }), 1);
    QCOMPARE(paintings([&] { plot_->setEventMarks({{50, QStringLiteral("here")}}); }), 1);
    Curve other = curve;
    other.styleIndex = 3;
    QCOMPARE(paintings([&] { plot_->setCurves({other}); }), 1);
    QCOMPARE(paintings([&] { source->points.clear(); }), 1);
  }

  void aHeldOutCurveOfItsOwnHueIsDrawnInIt() {
    const QColor own = widgets::heldOutColor(0, widgets::currentTheme());
    Curve heldOut = curveOf({{1, 2}, {20, 2}, {40, 2}}, Curve::Kind::Evaluation);
    for (const bool hasOwnHue : {false, true}) {
      heldOut.hasOwnHue = hasOwnHue;
      const QImage image = drawn({curveOf(level(40, 1)), heldOut});
      QCOMPARE(pixelsOf(image, own) > 8, hasOwnHue);
    }
  }

  /// Among those of several runs only its stroke tells it from the training curve.
  void aHeldOutCurveIsDottedInTheColourOfItsRun() {
    const std::vector<QPointF> points{{1, 2}, {20, 2}, {40, 2}};
    const int dots = pixelsOf(drawn({curveOf(points, Curve::Kind::Evaluation)}), runColor());
    const int line = pixelsOf(drawn({curveOf(points)}), runColor());
    QVERIFY2(dots > 8 && dots < line * 3 / 4,
             qPrintable(QStringLiteral("%1 %2").arg(dots).arg(line)));
  }

  void aPointBetweenGapsIsSeen() {
    const std::vector<QPointF> line = level(3, 2);
    std::vector<QPointF> lone = level(5, std::nan(""));
    lone[0] = {1, 2};
    const int without = pixelsOf(drawn({curveOf(lone)}), runColor());
    lone[2].setY(2);
    QVERIFY(pixelsOf(drawn({curveOf(lone)}), runColor()) > without);
  }

  void anUnsmoothedLineIsThin() {
    const Curve raw = curveOf(level(50, 2));
    const double thin = inkOnCard(drawn({raw}));
    auto smoothed = std::make_shared<PlainSource>();
    smoothed->points = level(50, 2);
    smoothed->smoothed = true;
    Curve smooth = raw;
    smooth.source = smoothed;
    QVERIFY(inkOnCard(drawn({smooth})) > 1.1 * thin);
  }

  void markersInTheRunsDashAreFilled() {
    Curve mask = curveOf({{1, 2}}, Curve::Kind::Evaluation);
    const int hollow = pixelsOf(drawn({mask}), runColor());
    mask.stroke = Curve::Stroke::Run;
    QVERIFY(pixelsOf(drawn({mask}), runColor()) > hollow);
  }

  void theLastMarkerHasRoomOnALogX() {
    plot_->setLogX(true);
    const QImage image = drawn({curveOf({{1, 0.5}, {80, 0.5}, {100, 2}}, Curve::Kind::Evaluation)});
    const auto [low, high] = plot_->xView();
    const double room = std::log(high / 100) / std::log(high / low) * (600 - 70);
    QVERIFY2(room >= 7, qPrintable(QString::number(room)));
  }

  void pointsAboveThePlotAreMarkedAndCounted() {
    std::vector<QPointF> points = level(100, 2);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].setY(2 + 0.01 * i);
    for (const std::size_t at : {10, 50, 51}) points[at].setY(500);
    drawn({curveOf(points)});
    QVERIFY(plot_->yView().second < 10);
    QCOMPARE(notesAt(51).size(), 1);
    QVERIFY2(notesAt(51).front().contains(QStringLiteral("3 outliers above")),
             qPrintable(notesAt(51).front()));
    QVERIFY(notesAt(30).isEmpty());
    plot_->setIgnoreOutliers(false);
    QTRY_VERIFY(plot_->isUpToDate());
    QVERIFY(plot_->yView().second > 500);
    QVERIFY(notesAt(51).isEmpty());
  }

  void anEventMarkShowsItsText() {
    plot_->setEventMarks({{50, QStringLiteral("checkpoint kept")}});
    drawn({curveOf(level(100, 2))});
    QCOMPARE(notesAt(50), QStringList{QStringLiteral("▲ checkpoint kept")});
    QVERIFY(notesAt(30).isEmpty());
  }

  void theShadingIsDescribed() {
    Curve heldOut = curveOf({{1, 3}, {50, 1}, {100, 3}}, Curve::Kind::Evaluation);
    heldOut.gapTo = 0;
    drawn({curveOf(level(100, 0.5)), heldOut});
    pointAt(25, 1.2);
    QCOMPARE(notesAt(25), QStringList{QStringLiteral("shaded: between train and validation")});
    pointAt(80, 1.2);
    QCOMPARE(notesAt(80),
             QStringList{QStringLiteral("shaded: validation above train since its minimum")});
    pointAt(25, 2.9);
    QVERIFY(notesAt(25).isEmpty());
  }

 private:
  QImage drawn(std::vector<Curve> curves) {
    plot_->setCurves(std::move(curves));
    plot_->show();
    if (!QTest::qWaitFor([this] { return plot_->isUpToDate(); })) return {};
    return plot_->grab().toImage();
  }
  void pointAt(double x, double y) {
    const auto [left, right] = plot_->xView();
    const auto [bottom, top] = plot_->yView();
    const QRectF area(54, 6, 600 - 70, 300 - 30);
    QTest::mouseMove(plot_->childAt(300, 150),
                     QPointF(area.left() + (x - left) / (right - left) * area.width(),
                             area.bottom() - (y - bottom) / (top - bottom) * area.height())
                         .toPoint());
  }
  QStringList notesAt(double x) {
    plot_->showCursor(x, true);
    return plot_->findChild<widgets::ReadingsTip*>()->readings().notes;
  }

  std::unique_ptr<CurvePlot> plot_;
};

LOCKSTEP_TEST(TstCurveLayers)
#include "tst_curve_layers.moc"
