#include <QBuffer>
#include <QImageReader>
#include <QSvgRenderer>
#include <QTest>
#include <QXmlStreamReader>

#include "tests/support/test_main.h"
#include "tests/widgets_export/made_figure.h"
#include "widgets/export/figure_file.h"
#include "widgets/export/figure_painter.h"
#include "widgets/plots/event_marks.h"
#include "widgets/theme.h"

using namespace lockstep;
using tests::madeFigure;
using widgets::FigureContent;
using widgets::FigureFormat;

namespace {

/// The drawing of an SVG: its texts with their colours, and for each stroke its colour.
struct Svg {
  QStringList texts, dashed;
  QHash<QString, QString> textColors;
  QHash<QString, int> strokes;  ///< elements by stroke colour
  bool isWhole = false;

  explicit Svg(const QByteArray& bytes) {
    QXmlStreamReader xml(bytes);
    QString stroke, dashes;
    while (!xml.atEnd()) {
      if (xml.readNext() != QXmlStreamReader::StartElement) continue;
      if (xml.name() == QLatin1String("g")) {
        stroke = xml.attributes().value(QLatin1String("stroke")).toString();
        dashes = xml.attributes().value(QLatin1String("stroke-dasharray")).toString();
      } else if (xml.name() == QLatin1String("text")) {
        const QString color = xml.attributes().value(QLatin1String("fill")).toString();
        texts << xml.readElementText().trimmed();
        textColors[texts.last()] = color;
      } else if (xml.name() == QLatin1String("polyline") || xml.name() == QLatin1String("path")) {
        ++strokes[stroke];
        if (!dashes.isEmpty() && dashes != QLatin1String("none")) dashed << stroke;
      }
    }
    isWhole = !xml.hasError();
  }
};

QString penOf(int style) { return widgets::runStyle(style, widgets::lightTheme()).color.name(); }

}  // namespace

class TstFigure : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { theme_.setMode(widgets::ThemeSwitch::Mode::Light); }

  void anSvgHasTitleLegendAxisNamesAndTheRun() {
    const Svg svg(fileOf(madeFigure(FigureContent::Drawing), FigureFormat::Svg));
    QVERIFY(svg.isWhole);
    for (const char* text : {"Loss 1: training & validation", "train", "validation", "Step",
                             "Loss 1", "run a", "20", "0.15"})
      QVERIFY2(svg.texts.contains(QString::fromLatin1(text)),
               qPrintable(QString::fromLatin1(text) + QStringLiteral(" is not in ") +
                          svg.texts.join(QStringLiteral("|"))));
  }

  void eachTitleHasTheColourOfTexts() {
    const Svg svg(fileOf(madeFigure(FigureContent::Drawing, 2), FigureFormat::Svg));
    for (const char* title : {"Loss 1: training & validation", "Loss 2: training & validation"})
      QCOMPARE(svg.textColors.value(QLatin1String(title)), widgets::lightTheme().text.name());
  }

  void anSvgHasALineForEachCurveWithItsDashes() {
    std::vector<widgets::Curve> curves = tests::madeCurves();
    curves[0].styleIndex = 1;
    curves[1].styleIndex = 2;
    const QByteArray bytes =
        fileOf(madeFigure(FigureContent::Drawing, 1, curves), FigureFormat::Svg);
    const Svg svg(bytes);
    QVERIFY(!bytes.contains("<image"));
    QVERIFY(svg.strokes.value(penOf(1)) >= 2);  // the gap at the value that is not finite parts it
    QVERIFY(svg.strokes.value(penOf(2)) >= 1);
    QVERIFY(svg.dashed.contains(penOf(2)));
    QSvgRenderer renderer(bytes);
    QVERIFY(renderer.isValid());
  }

  void theLegendNamesTheLowestValue() {
    std::vector<widgets::Curve> curves = tests::madeCurves();
    curves[1].markLowest = true;
    curves[1].valueName = QStringLiteral("validation loss");
    const Svg svg(fileOf(madeFigure(FigureContent::Drawing, 5, curves), FigureFormat::Svg));
    QVERIFY(svg.texts.contains(QStringLiteral("lowest validation loss 0.110 at step 100")));
  }

  void eventsAreMarkedAndNamedInTheLegend() {
    const std::vector<widgets::EventMark> marks = tests::madeMarks();
    const widgets::Figure figure =
        madeFigure(FigureContent::Drawing, 1, tests::madeCurves(), marks);
    QCOMPARE(figure.plots.front().marks.size(), marks.size() - 1);
    const Svg svg(fileOf(figure, FigureFormat::Svg));
    const Svg plain(fileOf(madeFigure(FigureContent::Drawing), FigureFormat::Svg));
    QHash<QString, int> added;
    for (const widgets::EventMark& mark : figure.plots.front().marks) {
      QVERIFY(svg.texts.contains(widgets::markName(mark.kind)));
      added[widgets::markColor(mark.kind, widgets::lightTheme()).name()] += 2;  // and in the legend
    }
    for (auto each = added.cbegin(); each != added.cend(); ++each)
      QCOMPARE(svg.strokes.value(each.key()) - plain.strokes.value(each.key()), each.value());
  }

  void aValueThatIsNotFiniteHasNoMarker() {
    const widgets::Curve curve =
        tests::madeCurve(QStringLiteral("validation"), {{1, 3}, {2, std::nan("")}, {3, 1}},
                         widgets::Curve::Kind::Evaluation);
    const QByteArray svg =
        fileOf(madeFigure(FigureContent::Drawing, 1, {curve}), FigureFormat::Svg);
    QVERIFY(!svg.contains("nan"));
  }

  void aMarkerAtTheBorderIsWhole() {
    std::vector<widgets::Curve> curves = tests::madeCurves();
    curves[1].stroke = widgets::Curve::Stroke::Run;  // filled markers
    curves[1].styleIndex = 1;
    widgets::PlotView view;
    view.setCurves(curves);
    view.zoomX({0, 100});  // the last evaluation is at 100
    widgets::Figure figure;
    figure.plots = {figurePlot(view, QStringLiteral("Loss"), 1, widgets::FigureContent::Drawing)};
    const QImage picture = pictureOf(figure);
    const QColor color = widgets::runStyle(1, widgets::lightTheme()).color;
    // In the margin, right of the end of the axis, by two pixels and more.
    int found = 0;
    const double plotPx = widgets::figureLayout(1).plotPx.width();
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 2 * static_cast<int>(14 + plotPx - 10 + 2); x < picture.width(); ++x)
        if (picture.pixelColor(x, y) == color) ++found;
    QVERIFY(found > 0);
  }

  void severalRunsAreListedAboveThePlots() {
    std::vector<widgets::Curve> curves = tests::madeCurves();
    curves[1].run = QStringLiteral("run b");
    curves[1].name = curves[0].name;
    widgets::Figure figure = madeFigure(FigureContent::Drawing, 1, curves);
    figure.runs.push_back({QStringLiteral("run b"), 1});
    const Svg svg(fileOf(figure, FigureFormat::Svg));
    QVERIFY(svg.texts.contains(QStringLiteral("run a")));
    QVERIFY(svg.texts.contains(QStringLiteral("run b")));
    QCOMPARE(svg.texts.count(QStringLiteral("train")), 1);
  }

  void aDarkWindowChangesNothing() {
    theme_.setMode(widgets::ThemeSwitch::Mode::Light);
    const QByteArray light = fileOf(madeFigure(FigureContent::Drawing), FigureFormat::Svg);
    theme_.setMode(widgets::ThemeSwitch::Mode::Dark);
    QCOMPARE(fileOf(madeFigure(FigureContent::Drawing), FigureFormat::Svg), light);
    const QImage picture = pictureOf(madeFigure(FigureContent::Drawing));
    QCOMPARE(picture.pixelColor(2, 2), QColor(Qt::white));
  }

  void aPngHasTwiceThePixels() {
    const widgets::Figure figure = madeFigure(FigureContent::Drawing, 5);
    const QImage picture = QImage::fromData(fileOf(figure, FigureFormat::Png), "PNG");
    QCOMPARE(picture.size(), (figureSize(figure) * 2).toSize());
    QVERIFY(std::abs(picture.dotsPerMeterX() - 2 * 96 / 0.0254) < 2);
  }

  void aPdfIsOnePageOfTheFiguresSizeWithFonts() {
    const widgets::Figure figure = madeFigure(FigureContent::Drawing, 2);
    const QByteArray pdf = fileOf(figure, FigureFormat::Pdf);
    QVERIFY(pdf.startsWith("%PDF-1."));
    QVERIFY(pdf.trimmed().endsWith("%%EOF"));
    QVERIFY(pdf.contains("/FontFile"));
    QCOMPARE(pdf.count("/Type /Page\n"), 1);
    const QSizeF points = figureSize(figure) * 0.75;
    const QByteArray box =
        QByteArray("/MediaBox [0 0 ") + QByteArray::number(qRound(points.width()));
    QVERIFY2(pdf.contains(box), box);
  }

  void aLineHasTheMinimumAndMaximumOfAPixelColumn() {
    std::vector<QPointF> many;
    for (int i = 0; i < 1000; ++i) many.push_back({i * 1.0, 1});
    auto curve = tests::madeCurve(QStringLiteral("train"), many);
    const auto figure = madeFigure(FigureContent::Drawing, 12, {curve});
    const auto* source = static_cast<const tests::PlainSource*>(curve.source.get());
    QCOMPARE(source->lastEdges.size(),
             static_cast<std::size_t>(1.5 * widgets::figureLayout(12).plotPx.width() + 1));
    QVERIFY(!figure.plots.front().curves.front().curve.source);
  }

  void thePlotsOfAPageStandInTheirOrder() {
    const QByteArray svg = fileOf(madeFigure(FigureContent::Drawing, 12), FigureFormat::Svg);
    qsizetype last = 0;
    for (int i = 1; i <= 12; ++i) {
      const QByteArray title = ">Loss " + QByteArray::number(i) + ": training";
      const qsizetype at = svg.indexOf(title);
      QVERIFY(at > last);
      last = at;
    }
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstFigure)
#include "tst_figure.moc"
