#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/controllers/config_controller.h"
#include "tests/support/test_main.h"

using lockstep::app::ConfigController;

class TstConfigController : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsSavedIsOpenedAgainToTheLastByte() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.yaml"));
    const QString text =
        QStringLiteral("# a comment\nname: \"été\"   # kept\n\nsolver: {base_lr: 0.01}\n");
    ConfigController controller;
    QSignalSpy saved(&controller, &ConfigController::saved),
        opened(&controller, &ConfigController::opened);
    QVERIFY(controller.save(path, text));
    QCOMPARE(saved[0][0].toString(), path);
    QVERIFY(controller.open(path));
    QCOMPARE(opened[0][0].toString(), text);
    QCOMPARE(controller.filePath(), path);
  }

  void aFileThatIsNotThereIsTold() {
    ConfigController controller;
    QSignalSpy failed(&controller, &ConfigController::failed);
    QVERIFY(!controller.open(QStringLiteral("/nowhere/a.yaml")));
    QVERIFY(failed[0][1].toString().contains(QStringLiteral("/nowhere/a.yaml")));
    QVERIFY(controller.filePath().isEmpty());
  }

  void aFolderThatIsNotThereKeepsTheOpenFile() {
    QTemporaryDir folder;
    ConfigController controller;
    QVERIFY(
        controller.save(folder.filePath(QStringLiteral("a.yaml")), QStringLiteral("name: a\n")));
    QSignalSpy failed(&controller, &ConfigController::failed);
    QVERIFY(!controller.save(folder.filePath(QStringLiteral("no/such/b.yaml")),
                             QStringLiteral("name: b\n")));
    QCOMPARE(failed.count(), 1);
    QCOMPARE(controller.filePath(), folder.filePath(QStringLiteral("a.yaml")));
  }

  void imagesAreCountedOnceForTheSameFiles() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("train.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"images": [{"id": 1, "file_name": "a.png", "width": 20, "height": 20}, {"id": 2, "file_name": "b.png", "width": 20, "height": 20}],
      "categories": [{"id": 1, "name": "thing"}],
      "annotations": [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [1, 1, 9, 9], "area": 81, "iscrowd": 0,
                       "segmentation": [[1, 1, 10, 1, 10, 10, 1, 10]]}]})");
    file.close();
    ConfigController controller;
    QSignalSpy counted(&controller, &ConfigController::imagesCounted);
    controller.countImages(file.fileName(), file.fileName());
    controller.countImages(file.fileName(), file.fileName());
    QVERIFY(counted.wait());
    QCOMPARE(counted[0][0].toLongLong(), 1);
    QCOMPARE(counted[0][1].toLongLong(), 2);
    controller.countImages(QStringLiteral("/nowhere.json"), {});
    QVERIFY(counted.wait());
    QCOMPARE(counted.count(), 2);
    QCOMPARE(counted[1][0].toLongLong(), 0);
  }
};

LOCKSTEP_TEST(TstConfigController)
#include "tst_config_controller.moc"
