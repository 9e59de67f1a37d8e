#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QToolTip>

#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/theme.h"

using namespace lockstep;
using widgets::Banner;

class TstBanner : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLongMessageHasRoomAndAnEnd() {
    Banner banner;
    banner.resize(600, 240);
    const QString title =
        QStringLiteral("segmentation is a polygon; masks must be RLE ").repeated(20);
    banner.showMessage(Banner::Kind::Warning, title, {},
                       QStringLiteral("Judge by other annotations…"));
    const auto* label = banner.findChild<QLabel*>();
    const auto* button = banner.findChild<QPushButton*>();
    const auto place = [&](const QWidget* of) {
      return QRect(of->mapTo(&banner, QPoint()), of->size());
    };
    QTRY_VERIFY(place(button).top() >= place(label).bottom());
    QVERIFY2(label->width() > 400, qPrintable(QString::number(label->width())));
    QVERIFY(label->text().endsWith(QStringLiteral("…")) && label->text().size() < title.size());
    const QStringList tip = label->toolTip().split(u'\n');
    QCOMPARE(tip.join(QString()), title);
    for (const QString& line : tip)
      QVERIFY2(QFontMetrics(QToolTip::font()).horizontalAdvance(line.trimmed()) <= 600,
               qPrintable(line));
    QCOMPARE(banner.title(), title);
    banner.resize(1600, 240);
    QTRY_VERIFY(place(button).left() > place(label).right());
  }

  void aShortMessageKeepsItsButtonsBeside() {
    Banner banner;
    banner.resize(500, 120);
    banner.showMessage(Banner::Kind::Info, QStringLiteral("Short"), {}, QStringLiteral("Act"));
    const auto* label = banner.findChild<QLabel*>();
    const auto* button = banner.findChild<QPushButton*>();
    QTRY_VERIFY(button->mapTo(&banner, QPoint()).x() > label->geometry().right());
    QCOMPARE(label->text(), QStringLiteral("Short"));
    QVERIFY(label->toolTip().isEmpty());
  }

 private:
  widgets::ThemeSwitch theme_;
};

LOCKSTEP_TEST(TstBanner)
#include "tst_banner.moc"
