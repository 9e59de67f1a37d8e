#include <QAccessible>
#include <QFile>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_images.h"
#include "widgets/image_view/thumbnail_strip.h"

using namespace lockstep;
using widgets::ThumbnailStrip;

class TstThumbnailStrip : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::vector<ThumbnailStrip::Item> items(int count) {
    std::vector<ThumbnailStrip::Item> made;
    for (int i = 0; i < count; ++i) {
      const QString name = QStringLiteral("image%1.png").arg(1 + i % 3);
      made.push_back({folder_.filePath(name), QSize(64, 48), name});
    }
    return made;
  }

 private Q_SLOTS:
  void initTestCase() { tests::writeMadeImages(folder_.path(), 3); }

  void thumbnailsShowTheirImages() {
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.show();
    QSignalSpy ready(&strip, &ThumbnailStrip::ready);
    strip.setItems(items(3));
    QTRY_VERIFY(strip.isReady());
    QVERIFY(ready.size() >= 1);
    const QColor middle = strip.viewport()->grab().toImage().pixelColor(strip.itemRect(1).center());
    QVERIFY2(qAbs(middle.red() - 42) <= 2, qPrintable(middle.name()));  // image2.png
  }

  void aFileThatIsMendedOrReplacedIsShown() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.png"));
    const auto writePicture = [&](const QColor& colour) {
      QImage picture(64, 48, QImage::Format_RGB32);
      picture.fill(colour);
      QVERIFY(picture.save(path + QStringLiteral(".new"), "png"));
      QFile::remove(path);
      QVERIFY(QFile::rename(path + QStringLiteral(".new"), path));
    };
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.show();
    const auto middle = [&] {
      return strip.viewport()->grab().toImage().pixelColor(strip.itemRect(0).topLeft() +
                                                           QPoint(10, 10));
    };
    strip.setItems({{path, QSize(64, 48), QStringLiteral("a.png")}});
    QTRY_VERIFY(strip.isReady());
    writePicture(Qt::red);
    strip.reload();
    QTRY_COMPARE(middle(), QColor(Qt::red));
    writePicture(Qt::blue);
    strip.reload();
    QTRY_COMPARE(middle(), QColor(Qt::blue));
  }

  void theNumberOnAThumbnailIsExplained() {
    ThumbnailStrip strip;
    strip.setItems(items(3));
    strip.setMarks({{true, {5, 2, 7}}, {true, {3, 0, 0}}, {}});
    QCOMPARE(strip.toolTipOf(0), QStringLiteral("image1.png\n9 errors: 2 FP, 7 FN"));
    QCOMPARE(strip.toolTipOf(1), QStringLiteral("image2.png\nno error"));
    QCOMPARE(strip.toolTipOf(2), QStringLiteral("image3.png\nnot predicted at this checkpoint"));
  }

  void aScreenReaderIsToldTheImageAndItsErrors() {
    ThumbnailStrip strip;
    QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(&strip);
    QVERIFY(spoken && spoken->role() == QAccessible::List);
    QCOMPARE(spoken->text(QAccessible::Name), QStringLiteral("Images"));
    QCOMPARE(spoken->text(QAccessible::Value), QStringLiteral("no image"));
    strip.setItems(items(3));
    strip.setMarks({{true, {5, 2, 7}}, {true, {3, 0, 0}}, {}});
    strip.setCurrent(1);
    QCOMPARE(spoken->text(QAccessible::Value),
             QStringLiteral("image 2 of 3: image2.png, no error"));
  }

  void aClickChooses() {
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.show();
    strip.setItems(items(3));
    QSignalSpy chosen(&strip, &ThumbnailStrip::chosen);
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.itemRect(2).center());
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), 2);
    QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, QPoint(390, 5));
    QCOMPARE(chosen.size(), 1);
  }

  void theCurrentOneIsBroughtIntoViewAmongThousands() {
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.show();
    strip.setItems(items(20000));
    strip.setCurrent(15000);
    QVERIFY(strip.viewport()->rect().contains(strip.itemRect(15000)));
    QTRY_VERIFY(strip.isReady());
    strip.setCurrent(0);
    QVERIFY(strip.viewport()->rect().contains(strip.itemRect(0)));
    strip.setCurrent(19999);
    QCOMPARE(strip.horizontalScrollBar()->value(), strip.horizontalScrollBar()->maximum());
  }

  void anUnreadableImageCountsAsLoaded() {
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.show();
    strip.setItems({{folder_.filePath(QStringLiteral("none.png")), QSize(64, 48),
                     QStringLiteral("none.png")}});
    QTRY_VERIFY(strip.isReady());
  }

  void fewerItemsMoveTheCurrentOne() {
    ThumbnailStrip strip;
    strip.resize(400, 80);
    strip.setItems(items(10));
    strip.setCurrent(9);
    strip.setItems(items(2));
    QVERIFY(strip.current() < 2);
    strip.setItems({});
    QVERIFY(strip.isReady());
    strip.grab();
  }
};

LOCKSTEP_TEST(TstThumbnailStrip)
#include "tst_thumbnail_strip.moc"
