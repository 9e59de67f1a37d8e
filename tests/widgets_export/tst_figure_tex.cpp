#include <QRegularExpression>
#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_export/made_figure.h"
#include "widgets/export/figure_tex.h"

using namespace lockstep;
using tests::madeFigure;
using widgets::FigureContent;

namespace {

/// Whether braces, brackets and environments close in the order in which they open. Comments aside.
bool isBalanced(QString tex) {
  tex.remove(QRegularExpression(QStringLiteral("(?m)^%.*$")));
  tex.remove(QRegularExpression(QStringLiteral("\\\\[{}%$#&_]")));
  QStringList open;
  static const QRegularExpression part(QStringLiteral("\\\\(begin|end)\\{(\\w+)\\}|[{}\\[\\]]"));
  auto found = part.globalMatch(tex);
  while (found.hasNext()) {
    const auto match = found.next();
    const QString text = match.captured(0);
    if (match.captured(1) == QLatin1String("begin")) {
      open << match.captured(2);
    } else if (match.captured(1) == QLatin1String("end")) {
      if (open.isEmpty() || open.takeLast() != match.captured(2)) return false;
    } else if (text == QLatin1String("{") || text == QLatin1String("[")) {
      open << (text == QLatin1String("{") ? QStringLiteral("}") : QStringLiteral("]"));
    } else if (open.isEmpty() || open.takeLast() != text) {
      return false;
    }
  }
  return open.isEmpty();
}

/// The coordinates of each \addplot.
std::vector<std::vector<QPointF>> plotsIn(const QString& tex) {
  std::vector<std::vector<QPointF>> plots;
  static const QRegularExpression plot(QStringLiteral("coordinates \\{\\n(.*?)\\}(?: -- cycle)?;"),
                                       QRegularExpression::DotMatchesEverythingOption);
  static const QRegularExpression point(QStringLiteral("\\(([^,]+),([^)]+)\\)"));
  auto found = plot.globalMatch(tex);
  while (found.hasNext()) {
    plots.emplace_back();
    auto points = point.globalMatch(found.next().captured(1));
    while (points.hasNext()) {
      const auto match = points.next();
      plots.back().push_back({match.captured(1).toDouble(), match.captured(2).toDouble()});
    }
  }
  return plots;
}

bool isSame(const QPointF& a, const QPointF& b) {
  return a.x() == b.x() && (a.y() == b.y() || (std::isnan(a.y()) && std::isnan(b.y())));
}

}  // namespace

class TstFigureTex : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void coordinatesAreThoseOfTheCurves() {
    const widgets::Figure figure = madeFigure(FigureContent::Drawing);
    const QString tex = QString::fromUtf8(texOf(figure));
    QVERIFY(isBalanced(tex));
    const auto plots = plotsIn(tex);
    QCOMPARE(plots.size(), std::size_t{2});
    for (std::size_t i = 0; i < plots.size(); ++i) {
      const auto& drawn = figure.plots.front().curves[i].samples.raw;
      QVERIFY(std::equal(drawn.begin(), drawn.end(), plots[i].begin(), plots[i].end(), isSame));
    }
    QCOMPARE(tex.count(QStringLiteral("\\addlegendentry{")), 2);
    QVERIFY(tex.contains(QStringLiteral("\\addlegendentry{validation}")));
    QVERIFY(tex.contains(QStringLiteral("dash pattern=on ")));
  }

  void eventsAreMarkedOnTheAxis() {
    const widgets::Figure figure =
        madeFigure(FigureContent::Drawing, 1, tests::madeCurves(), tests::madeMarks());
    const QString tex = QString::fromUtf8(texOf(figure));
    QVERIFY(isBalanced(tex));
    QCOMPARE(tex.count(QStringLiteral("only marks")), 6);
    for (const char* name :
         {"checkpoint", "evaluation", "learning-rate step", "resume", "fork", "alert"})
      QVERIFY(tex.contains(QStringLiteral("\\addlegendentry{%1}").arg(QLatin1String(name))));
    const auto plots = plotsIn(tex);
    QCOMPARE(plots.size(), std::size_t{2 + 6});
    const double axis = figure.plots.front().y.first;
    QCOMPARE(plots.back(), (std::vector<QPointF>{{10, axis}}));  // the routine ones last
  }

  void bandsAreClosedPathsWithoutTheirGaps() {
    widgets::Figure figure = madeFigure(FigureContent::Drawing);
    const double gap = std::nan("");
    widgets::CurveSamples& samples = figure.plots.front().curves.front().samples;
    samples.bandHigh = {{1, 5}, {2, 6}, {3, gap}, {4, 7}, {5, 8}};
    samples.bandLow = {{1, 3}, {2, 4}, {3, gap}, {4, 5}, {5, 6}};
    const QString tex = QString::fromUtf8(texOf(figure));
    QVERIFY(isBalanced(tex));
    QCOMPARE(tex.count(QStringLiteral("} -- cycle;")), 2);
    QCOMPARE(tex.count(QStringLiteral("draw=none, fill=")), 2);
    const auto plots = plotsIn(tex);
    QCOMPARE(plots.front(), (std::vector<QPointF>{{1, 5}, {2, 6}, {2, 4}, {1, 3}}));
    QCOMPARE(plots[1], (std::vector<QPointF>{{4, 7}, {5, 8}, {5, 6}, {4, 5}}));
  }

  void bandsOnALogAxisEndAtItsLowerEnd() {
    widgets::Figure figure = madeFigure(FigureContent::Drawing);
    widgets::FigurePlot& plot = figure.plots.front();
    plot.isLogY = true;
    plot.y = {0.5, 10};
    widgets::CurveSamples& samples = plot.curves.front().samples;
    samples.bandHigh = {{1, 5}, {2, 6}};
    samples.bandLow = {{1, -1}, {2, 0}};
    const auto plots = plotsIn(QString::fromUtf8(texOf(figure)));
    QCOMPARE(plots.front(), (std::vector<QPointF>{{1, 5}, {2, 6}, {2, 0.5}, {1, 0.5}}));
  }

  void aPageIsAGroupOfPlots() {
    const QString tex = QString::fromUtf8(texOf(madeFigure(FigureContent::Drawing, 5)));
    QVERIFY(isBalanced(tex));
    QCOMPARE(tex.count(QStringLiteral("\\nextgroupplot[")), 5);
    QVERIFY(tex.contains(QStringLiteral("group size=3 by 2")));
  }

  void namesAreEscaped() {
    const auto curve = tests::madeCurve(QStringLiteral("50%_a^b & $#{x}\\~"), {{1, 1}, {2, 2}});
    const QString tex = QString::fromUtf8(texOf(madeFigure(FigureContent::Drawing, 1, {curve})));
    QVERIFY2(tex.contains(QStringLiteral("\\addlegendentry{50\\%\\_a\\^{}b \\& \\$\\#\\{x\\}"
                                         "\\textbackslash{}\\~{}}")),
             qPrintable(tex));
    QVERIFY(isBalanced(tex));
  }

  void timesAreInHours() {
    widgets::PlotView view;
    view.setCurves({tests::madeCurve(QStringLiteral("train"), {{0, 1}, {7200, 2}})});
    view.setXAxis(widgets::XAxis::Relative);
    widgets::Figure figure;
    figure.plots = {figurePlot(view, QStringLiteral("Loss"), 1, FigureContent::Drawing)};
    const QString tex = QString::fromUtf8(texOf(figure));
    QVERIFY(tex.contains(QStringLiteral("xlabel={Time since the start, h}")));
    QCOMPARE(plotsIn(tex).front().back(), QPointF(2, 2));
  }
};

LOCKSTEP_TEST(TstFigureTex)
#include "tst_figure_tex.moc"
