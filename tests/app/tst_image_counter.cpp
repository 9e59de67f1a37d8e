#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <utility>

#include "app/experiments/image_counter.h"
#include "tests/support/test_main.h"

using lockstep::app::ImageCounter;
using lockstep::config::DatasetConfig;

class TstImageCounter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aDatasetIsCountedOnce() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("train.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"images": [{"id": 1, "file_name": "a.png", "width": 20, "height": 20}, {"id": 2, "file_name": "b.png", "width": 20, "height": 20},
                  {"id": 3, "file_name": "c.png", "width": 20, "height": 20}],
      "categories": [{"id": 1, "name": "thing"}],
      "annotations": [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [1, 1, 9, 9], "area": 81, "iscrowd": 0,
                       "segmentation": [[1, 1, 10, 1, 10, 10, 1, 10]]}]})");
    file.close();
    ImageCounter counter;
    QSignalSpy counted(&counter, &ImageCounter::counted);
    const auto last = [&] {
      return std::make_pair(counted.last()[0].toLongLong(), counted.last()[1].toLongLong());
    };
    DatasetConfig dataset;
    dataset.train.annotations = dataset.val.annotations = file.fileName().toStdString();
    counter.count(dataset);
    QCOMPARE(last(), std::make_pair(0LL, 0LL));
    QVERIFY(counter.isCounting());
    QVERIFY(counted.wait());
    QCOMPARE(last(), std::make_pair(1LL, 3LL));
    // Known already.
    counter.count(dataset);
    QVERIFY(!counter.isCounting());
    QCOMPARE(last(), std::make_pair(1LL, 3LL));
    // One image of three has the class: it is drawn sqrt(1 / (1/3)) = 1.7 times, the others once.
    dataset.skipEmpty = false;
    dataset.repeatThreshold = 1;
    counter.count(dataset);
    QVERIFY(counted.wait());
    QCOMPARE(last(), std::make_pair(4LL, 3LL));
    // Counts of other files are not used for these.
    dataset.train.annotations = "/nowhere.json";
    dataset.val.annotations.clear();
    counter.count(dataset);
    QCOMPARE(last(), std::make_pair(0LL, 0LL));
    QTRY_VERIFY(!counter.isCounting());
    QCOMPARE(last(), std::make_pair(0LL, 0LL));
  }
};

LOCKSTEP_TEST(TstImageCounter)
#include "tst_image_counter.moc"
