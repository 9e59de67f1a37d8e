#include <QTest>
#include <bit>
#include <limits>

#include "tests/support/test_main.h"
#include "tests/widgets_export/made_figure.h"
#include "widgets/export/figure_csv.h"

using namespace lockstep;
using tests::madeFigure;
using widgets::FigureContent;

class TstFigureCsv : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyValueIsReadBackBitForBit() {
    std::vector<QPointF> points;
    const float values[] = {0.1f,    1.0f / 3,    1e-38f, 1e-45f,
                            3.4e38f, 16777217.0f, -0.0f,  0.30000001f};
    for (const float value : values) points.push_back({points.size() + 1.0, value});
    const auto lines = linesOf({tests::madeCurve(QStringLiteral("train"), points)});
    QCOMPARE(lines.size(), points.size() + 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const QByteArray value = lines[i + 1].split(',').last();
      QCOMPARE(std::bit_cast<quint32>(std::strtof(value.constData(), nullptr)),
               std::bit_cast<quint32>(values[i]));
    }
  }

  void pointsAreGatheredWhenTheFileIsMade() {
    const auto curve = tests::madeCurve(QStringLiteral("train"), {{1, 1}});
    const widgets::Figure figure = madeFigure(FigureContent::Table, 1, {curve});
    QVERIFY(!figure.plots.front().curves.front().curve.source);
    const auto points = figure.plots.front().curves.front().points;
    QVERIFY(points);
    QCOMPARE(points().values, std::vector<float>{1});
    QVERIFY(!madeFigure(FigureContent::Drawing, 1, {curve}).plots.front().curves.front().points);
  }

  void aLineNamesCardRunCurveTagStepAndTime() {
    const auto lines = linesOf({tests::madeCurve(QStringLiteral("a, \"b\""), {{7, 0.5}})});
    QCOMPARE(lines[0], QByteArray("card,run,curve,tag,step,seconds,value"));
    QCOMPARE(lines[1],
             QByteArray("Loss 1: training & validation,run a,\"a, \"\"b\"\"\",plain/tag,7,"
                        "3.5,0.5"));
  }

  void valuesThatAreNotFiniteAreKept() {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto lines = linesOf({tests::madeCurve(
        QStringLiteral("train"), {{1, std::nan("")}, {2, infinity}, {3, -infinity}})});
    QVERIFY(lines[1].endsWith(",nan"));
    QVERIFY(lines[2].endsWith(",inf"));
    QVERIFY(lines[3].endsWith(",-inf"));
  }

 private:
  static QList<QByteArray> linesOf(std::vector<widgets::Curve> curves) {
    QByteArray csv = csvOf(madeFigure(FigureContent::Table, 1, std::move(curves)));
    return csv.replace("\r\n", "\n").trimmed().split('\n');
  }
};

LOCKSTEP_TEST(TstFigureCsv)
#include "tst_figure_csv.moc"
