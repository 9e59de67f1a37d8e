#include <QTest>

#include "engine/config/fields.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstNearestKey : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void typingErrorsLeadToTheKey_data() {
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("meant");
    const auto row = [](const char* written, const char* meant) {
      QTest::newRow(written) << QString::fromUtf8(written) << QString::fromUtf8(meant);
    };
    row("solver.base_rl", "solver.base_lr");
    row("solver.base-lr", "solver.base_lr");
    row("solver.baseLr", "solver.base_lr");
    row("solver.BASE_LR", "solver.base_lr");
    row("base_lr", "solver.base_lr");
    row("solver.lr", "solver.base_lr");
    row("model.max_size", "augment.max_size");
    row("solver.max_step", "solver.max_steps");
    row("max_steps", "solver.max_steps");
    row("model.rpn.nms_treshold", "model.rpn.nms_threshold");
    row("model.box_head.nms_treshold", "model.box_head.nms_threshold");
    row("dataset.train.image", "dataset.train.images");
    row("dataset.val.anotations", "dataset.val.annotations");
    row("threads", "runtime.cpu_threads");
    row("nam", "name");
    row("runtime.sed", "runtime.seed");
    row("epochs", "solver.max_steps");
    row("solver.max_iter", "solver.max_steps");
    row("learning_rate", "solver.base_lr");
    row("dataset.test", "dataset.val");
    row("dataset.test.images", "dataset.val.images");
    row("DATASET.TEST.annotations", "dataset.val.annotations");
    row("quux", "");
    row("solver.something_else_entirely", "");
    row("", "");
  }
  void typingErrorsLeadToTheKey() {
    QFETCH(QString, written);
    QFETCH(QString, meant);
    QCOMPARE(QString::fromStdString(config::nearestKey(written.toStdString())), meant);
  }

  void sectionsAreFoundToo() {
    QCOMPARE(config::nearestSection("sovler"), std::string("solver"));
    QCOMPARE(config::nearestSection("rpn"), std::string("model.rpn"));
    QCOMPARE(config::nearestSection("model.boxhead"), std::string("model.box_head"));
    QCOMPARE(config::nearestSection("dataset.test"), std::string("dataset.val"));
    QCOMPARE(config::nearestSection("quux"), std::string());
  }

  void valuesOfOtherToolsLeadToOurs_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("ours");
    const auto row = [](const char* key, const char* written, const char* ours) {
      QTest::newRow(written) << key << written << ours;
    };
    row("runtime.device", "gpu", "cuda");
    row("solver.schedule", "multistep", "step");
    row("solver.schedule", "WarmupMultiStepLR", "step");
    row("model.norm", "GN", "group");
    row("model.norm", "BN", "batch");
    row("model.norm", "FrozenBN", "frozen_batch");
    row("model.norm", "SyncBN", "sync_batch");
    row("runtime.precision", "bfloat16", "bf16");
  }
  void valuesOfOtherToolsLeadToOurs() {
    QFETCH(QString, key);
    QFETCH(QString, written);
    QFETCH(QString, ours);
    const config::Field* field = config::findField(key.toStdString());
    QVERIFY(field != nullptr);
    QCOMPARE(QString::fromStdString(config::nearestWord(written.toStdString(), field->choices)),
             ours);
  }

  void everyKeyIsNearestToItself() {
    for (const config::Field& field : config::fields())
      QCOMPARE(config::nearestKey(field.key), field.key);
  }

  void veryLongKeysAreFast() {
    QCOMPARE(config::nearestKey(std::string(1000000, 'x')), std::string());
  }

  void nearestWordIsNear_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("nearest");
    QTest::newRow("swapped letters") << "trian"
                                     << "train";
    QTest::newRow("left out") << "evalute"
                              << "evaluate";
    QTest::newRow("too much") << "predicts"
                              << "predict";
    QTest::newRow("nothing near") << "launch"
                                  << "";
  }
  void nearestWordIsNear() {
    QFETCH(QString, word);
    QFETCH(QString, nearest);
    QCOMPARE(config::nearestWord(word.toStdString(), {"train", "evaluate", "predict", "runs"}),
             nearest.toStdString());
  }
};

LOCKSTEP_TEST(TstNearestKey)

#include "tst_nearest_key.moc"
