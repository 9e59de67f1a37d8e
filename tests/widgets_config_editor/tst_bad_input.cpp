#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"

using namespace lockstep::widgets;

/// Bad input of every kind is said at its line and, where a key has it, at the key's field.
class TstBadInput : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private:
  void write(const char* name, const QByteArray& text) {
    QFile file(folder_->filePath(QString::fromLatin1(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

 private Q_SLOTS:
  void init() {
    openWindow();
    write("broken.yaml", "solver: [1, 2\n");
    write("wrong.yaml", "name: a\nsolver: {base_lr: -1}\n");
    write("cycle.yaml", "base: experiment.yaml\n");
  }

  void aFaultIsSaidAtItsLineAndField_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("words");
    const auto add = [](const char* name, const char* text, int line, const char* field,
                        const char* words) {
      QTest::newRow(name) << QString::fromUtf8(text) << line << QString::fromLatin1(field)
                          << QString::fromUtf8(words);
    };
    add("wrong type", "solver:\n  batch_size: many\n", 2, "solver.batch_size", "integer");
    add("out of range", "solver:\n  base_lr: -1\n", 2, "solver.base_lr", "> 0");
    add("wrong word", "solver: {schedule: cosin}\n", 1, "solver.schedule", "cosine");
    add("list of the wrong length", "model:\n  anchors: {sizes: [1, 2]}\n", 2,
        "model.anchors.sizes", "5");
    add("unknown key", "name: a\nsolver: {base_lrr: 1}\n", 2, "", "base_lr");
    add("section that is a value", "name: a\nsolver: 5\n", 2, "", "expected a section");
    add("duplicate key", "name: a\nsolver: {}\nname: b\n", 3, "", "given twice");
    add("tab", "solver:\n\tbase_lr: 1\n", 2, "", "tab");
    add("not closed", "name: a\nsolver: {base_lr: 1\n", 3, "", "is missing");
    add("missing base", "name: a\nbase: nowhere.yaml\n", 2, "base", "nowhere.yaml");
    add("broken base", "name: a\nbase: broken.yaml\n", 2, "base", "broken.yaml");
    add("base with a wrong value", "name: a\nbase: wrong.yaml\n", 2, "solver.base_lr",
        "wrong.yaml:2");
    add("cyclic base", "name: a\nbase: cycle.yaml\n", 2, "base", "base");
    add("missing folder", "dataset: {train: {images: nowhere}}\n", 1, "dataset.train.images",
        "nowhere");
  }
  void aFaultIsSaidAtItsLineAndField() {
    QFETCH(QString, text);
    QFETCH(int, line);
    QFETCH(QString, field);
    QFETCH(QString, words);
    write("experiment.yaml", text.toUtf8());
    open(text);
    QVERIFY(editor_->errorCount() > 0);
    const QString said = yaml()->annotation(line - 1);
    QVERIFY2(said.contains(words, Qt::CaseInsensitive), qPrintable(said));
    QVERIFY2(!said.isEmpty(), qPrintable(editor_->firstError()));
    if (field.isEmpty()) return;
    const FieldRow* shown = form()->row(field.toStdString());
    QVERIFY2(!shown->state().error.isEmpty(), qPrintable(said));
    QVERIFY(!shown->isHidden());
  }
};

LOCKSTEP_TEST(TstBadInput)
#include "tst_bad_input.moc"
