// Fonts are in points and follow the desktop's; what holds text grows with it.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/main_window.h"
#include "app/frame/top_bar.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

class TstFonts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { desktop_ = QApplication::font(); }
  void cleanup() { QApplication::setFont(desktop_); }

  void theWindowHasTheDesktopsFont() {
    setDesktopFont(11);
    QCOMPARE(widgets::interfaceFont().pointSizeF(), 11.0);
    QCOMPARE(widgets::interfaceFont().family(), QApplication::font().family());
    QVERIFY(widgets::interfaceFont(11).pointSizeF() < 11);
    QCOMPARE(widgets::monoFont(13).pointSizeF(), 11.0);
    const int px = widgets::scaledPx(20);
    setDesktopFont(22);
    QVERIFY(std::abs(widgets::scaledPx(20) - 2 * px) <= 1);
    setDesktopFont(6);
    QCOMPARE(widgets::scaledPx(20), 20);
  }

  void noFontIsInPixelsAndNoTextIsCut_data() {
    QTest::addColumn<int>("points");
    for (const int points : {9, 11, 14}) QTest::addRow("%d pt", points) << points;
  }
  void noFontIsInPixelsAndNoTextIsCut() {
    QFETCH(int, points);
    setDesktopFont(points);
    QTemporaryDir parent;
    MainWindow window(&theme_, tests::optionsFor({makeRun(parent.path())}));
    window.show();
    for (const Page page : {Page::Configure, Page::Predictions, Page::Monitor}) {
      window.showPage(page);
      QTRY_VERIFY(window.isReady());
      for (const QWidget* widget : window.findChildren<QWidget*>()) {
        QVERIFY2(widget->font().pixelSize() == -1, nameOf(*widget));
        if (widget->isVisible()) checkRoom(*widget);
        if (QTest::currentTestFailed()) return;
      }
    }
  }

  void whatHoldsTextGrowsWithIt() {
    QTemporaryDir parent;
    const QString run = makeRun(parent.path());
    QList<int> heights, rows;
    for (const int points : {9, 14}) {
      setDesktopFont(points);
      MainWindow window(&theme_, tests::optionsFor({run}));
      window.show();
      QTRY_VERIFY(window.isReady());
      heights << window.findChild<app::TopBar*>()->height();
      const auto* list = window.runsPanel()->findChild<QAbstractItemView*>();
      rows << list->sizeHintForRow(0);
    }
    QVERIFY(heights[1] > heights[0]);
    QVERIFY(rows[1] > rows[0]);
  }

 private:
  static void setDesktopFont(int points) {
    QFont font = QApplication::font();
    font.setPointSize(points);
    QApplication::setFont(font);
  }
  static QString makeRun(const QString& parent) { return tests::makeRun(parent, tests::MadeRun()); }
  static const char* nameOf(const QWidget& widget) {
    static QByteArray name;
    name = widget.metaObject()->className() + QByteArray(" ") + widget.objectName().toUtf8() +
           ": " + widget.property("text").toString().toUtf8();
    return name.constData();
  }
  /// A line of its text is not higher than it, nor a button's text wider.
  static void checkRoom(const QWidget& widget) {
    if (const auto* label = qobject_cast<const QLabel*>(&widget); label && !label->text().isEmpty())
      QVERIFY2(label->height() >= label->fontMetrics().height() - 1, nameOf(widget));
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    if (!button || button->text().isEmpty() || button->objectName() == QLatin1String("trainButton"))
      return;  // Train shortens its text
    QVERIFY2(button->height() >= button->fontMetrics().height(), nameOf(widget));
    QVERIFY2(button->width() >= button->fontMetrics().horizontalAdvance(button->text()),
             nameOf(widget));
  }

  widgets::ThemeSwitch theme_;
  QFont desktop_;
};

LOCKSTEP_TEST(TstFonts)
#include "tst_fonts.moc"
