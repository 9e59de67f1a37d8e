#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/experiment/list_items.h"
#include "widgets/experiment/path_completion.h"
#include "widgets/experiment/value_steps.h"

using namespace lockstep;
using namespace lockstep::widgets;

/// What arrows and completion write.
class TstValueSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anItemGoesOnFromItsList_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("typed");  // | is the cursor
    QTest::addColumn<QString>("added");
    QTest::addColumn<QString>("removed");
    const auto add = [](const char* key, const char* typed, const char* added,
                        const char* removed) {
      QTest::addRow("%s %s", key, typed)
          << QString::fromLatin1(key) << QString::fromLatin1(typed) << QString::fromLatin1(added)
          << QString::fromLatin1(removed);
    };
    add("augment.min_size", "[|640, 800]", "[640, |720, 800]", "[|800]");
    add("augment.min_size", "[640, 800|]", "[640, 800, |960]", "[|640]");
    add("augment.min_size", "640, 8|00", "[640, 800, |960]", "[|640]");
    add("augment.min_size", "[256|]", "[256, |512]", "[|]");
    add("augment.min_size", "[|]", "[|800]", "[|]");
    add("augment.min_size", "[128, 256|]", "[128, 256, |512]", "[|128]");
    add("solver.milestones", "[60000, 80000|]", "[60000, 80000, |100000]", "[|60000]");
    add("solver.milestones", "[8 epochs, 11 epochs|]", "[8 epochs, 11 epochs, |14 epochs]",
        "[|8 epochs]");
    add("model.anchors.aspect_ratios", "[0.5, 1.0|, 2.0]", "[0.5, 1.0, |1.5, 2.0]", "[0.5, |2.0]");
    add("monitor.tensor_stats_include", "['a, b'|, c]", "['a, b', |, c]", "[|c]");
  }
  void anItemGoesOnFromItsList() {
    QFETCH(QString, key);
    QFETCH(QString, typed);
    const auto marked = [](const TypedList& list) {
      return QString(list.text).insert(list.cursor, QLatin1Char('|'));
    };
    const TypedList list{QString(typed).remove(QLatin1Char('|')), typed.indexOf(QLatin1Char('|'))};
    const config::Field& field = *config::findField(key.toStdString());
    QTEST(marked(withItemAdded(field, list)), "added");
    QTEST(marked(withItemRemoved(list)), "removed");
  }

  void aStepSuitsTheKindOfValue_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("up");
    QTest::addColumn<QString>("down");
    const auto add = [](const char* key, const char* value, const char* up, const char* down) {
      QTest::addRow("%s %s", key, value) << QString::fromLatin1(key) << QString::fromLatin1(value)
                                         << QString::fromLatin1(up) << QString::fromLatin1(down);
    };
    add("solver.base_lr", "0.02", "0.05", "0.01");
    add("solver.base_lr", "0.012", "0.02", "0.01");
    add("solver.base_lr", "1e-4", "0.0002", "5.0e-5");
    add("solver.weight_decay", "0", "0.0001", "0");
    add("solver.momentum", "0.9", "0.95", "0.8");
    add("solver.momentum", "0.99", "0.995", "0.98");
    add("solver.ema_decay", "0.9998", "0.9999", "0.9995");
    add("augment.horizontal_flip", "0.5", "0.55", "0.45");
    add("augment.horizontal_flip", "1", "1", "0.95");
    add("augment.blur", "1", "1.5", "0.5");
    add("solver.warmup_factor", "0.001", "0.002", "0.0005");
    add("solver.batch_size", "2", "3", "1");
    add("solver.batch_size", "1", "2", "1");
    add("solver.batch_size", "16", "32", "8");
    add("model.fpn_channels", "256", "512", "128");
    add("augment.max_size", "1333", "1433", "1233");
    add("model.box_head.detections_per_image", "100", "110", "99");
    add("solver.max_steps", "90000", "91000", "89000");
    add("solver.max_steps", "12 epochs", "13 epochs", "11 epochs");
    add("solver.max_steps", "1 epochs", "2 epochs", "1 epochs");
    add("solver.max_steps", "1.5 epochs", "2 epochs", "1 epochs");
    add("dataset.cache_limit", "4 GiB", "5 GiB", "3 GiB");
    add("model.freeze_stages", "auto", "auto", "auto");
    add("model.freeze_stages", "5", "5", "4");
    add("solver.batch_size", "two", "two", "two");
  }
  void aStepSuitsTheKindOfValue() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    const config::Field* field = config::findField(key.toStdString());
    QVERIFY(field != nullptr && isStepped(*field));
    QTEST(stepped(*field, value, 1), "up");
    QTEST(stepped(*field, value, -1), "down");
  }

  void manySteppedValuesAreAllowed() {
    for (const config::Field& field : config::fields()) {
      if (!isStepped(field)) continue;
      QString value = QString::fromStdString(field.defaultText());
      for (const int steps : {10, -30, 7, 100, -3}) {
        value = stepped(field, value, steps);
        config::Experiment scratch;
        const std::string fault = field.assign(scratch, value.toStdString());
        QVERIFY2(fault.empty(), (field.key + ": " + fault).c_str());
      }
    }
  }

  void slidersAreForSharesOfAnOrdinarySize() {
    for (const char* key : {"augment.horizontal_flip", "model.rpn.nms_threshold",
                            "model.box_head.positive_fraction", "augment.crop"})
      QVERIFY2(isFraction(*config::findField(key)), key);
    for (const char* key :
         {"solver.momentum", "solver.ema_decay", "solver.warmup_factor", "model.norm_epsilon",
          "dataset.repeat_threshold", "augment.blur", "solver.base_lr", "solver.gamma"})
      QVERIFY2(!isFraction(*config::findField(key)), key);
  }

  void pathsAreCompletedAsTheyAreWritten() {
    QTemporaryDir folder;
    const QDir root(folder.path());
    QVERIFY(root.mkpath(QStringLiteral("images/train")) && root.mkpath(QStringLiteral(".hidden")));
    for (const char* name : {"images.json", "images/val.json"}) {
      QFile file(root.filePath(QString::fromLatin1(name)));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    const auto found = [&](const QString& typed, bool foldersOnly = false) {
      return pathsBeginningWith(folder.path(), typed, foldersOnly);
    };
    QCOMPARE(found(QStringLiteral("im")),
             (QStringList{QStringLiteral("images.json"), QStringLiteral("images/")}));
    QCOMPARE(found(QStringLiteral("im"), true), QStringList{QStringLiteral("images/")});
    QCOMPARE(found(QStringLiteral("images/v")), QStringList{QStringLiteral("images/val.json")});
    const QString whole = folder.path() % QStringLiteral("/images/t");
    QCOMPARE(found(whole), QStringList{whole.chopped(1) % QStringLiteral("train/")});
    QCOMPARE(found(QStringLiteral(".h")), QStringList{QStringLiteral(".hidden/")});
    QVERIFY(!found({}).contains(QStringLiteral(".hidden/")));
    QCOMPARE(found(QStringLiteral("nowhere/x")), QStringList());
  }
};

LOCKSTEP_TEST(TstValueSteps)
#include "tst_value_steps.moc"
