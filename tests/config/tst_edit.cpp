#include <QTest>
#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/config/edit.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/message_of.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Field;
using tests::messageOf;

namespace {

const std::vector<tests::NamedText>& files() { return tests::handwrittenFiles(); }

std::string whole() { return config::writeExperiment({}); }

}  // namespace

namespace {

/// best_metric follows model.masks where it is not given.
bool mayChange(const std::string& key, const Field& edited) {
  return key == edited.key || (edited.key == "model.masks" && key == "evaluation.best_metric");
}

}  // namespace

class TstEdit : public QObject {
  Q_OBJECT

 private:
  static config::Experiment load(const std::string& text) {
    return config::loadExperimentText(text, "/f/a.yaml").experiment;
  }

  /// The value that a key has once it stands in a file of the folder /f.
  static std::string loadedText(const Field& field, const std::string& value) {
    config::Experiment experiment;
    const std::string error = field.assign(experiment, value);
    if (!error.empty()) throw Error(error);
    return field.text(experiment);
  }

  static void checkEdit(const std::string& text, const Field& field, const std::string& value) {
    const std::string edited = config::setValue(text, field.key, value);
    const auto span = config::findValue(edited, field.key);
    QVERIFY2(span.has_value(), edited.c_str());
    QVERIFY2(edited.substr(span->begin, span->end - span->begin) == value, edited.c_str());
    const config::Experiment before = load(text), after = load(edited);
    if (field.key != "base") QCOMPARE(field.text(after), loadedText(field, value));
    for (const config::ConfigDifference& change : config::difference(before, after)) {
      QVERIFY2(mayChange(change.key, field), (change.key + "\n" + edited).c_str());
    }
    // Every comment and every line of the old text that does not hold the key is still there.
    for (std::size_t place = text.find(" # "); place != std::string::npos;
         place = text.find(" # ", place + 1)) {
      const std::string comment =
          text.substr(place + 1, text.find_first_of("\r\n", place) - place - 1);
      const bool isOfRemovedItem = comment == "# one" || comment == "# two" || comment == "# block";
      QVERIFY2(isOfRemovedItem || edited.find(comment) != std::string::npos, edited.c_str());
    }
    const std::string removed = config::removeValue(edited, field.key);
    QVERIFY2(!config::findValue(removed, field.key), removed.c_str());
    for (const config::ConfigDifference& change : config::difference(before, load(removed))) {
      QVERIFY2(mayChange(change.key, field), (change.key + "\n" + removed).c_str());
    }
  }

 private Q_SLOTS:
  void everyKeyCanBeSetInEveryFile_data() {
    QTest::addColumn<QByteArray>("text");
    for (const auto& [name, text] : files()) QTest::newRow(name) << QByteArray::fromStdString(text);
    QTest::newRow("whole") << QByteArray::fromStdString(whole());
    for (const auto& entry :
         std::filesystem::directory_iterator(tests::sourceFolder() / "configs")) {
      QTest::newRow(entry.path().filename().c_str())
          << QByteArray::fromStdString(base::readFile(entry.path()));
    }
  }
  void everyKeyCanBeSetInEveryFile() {
    QFETCH(QByteArray, text);
    std::uint64_t seed = 17;
    for (const Field& field : config::fields()) {
      for (int turn = 0; turn < 3; ++turn) {
        checkEdit(text.toStdString(), field, tests::randomValue(field, seed));
        if (QTest::currentTestFailed()) return;
      }
    }
  }

  void onlyTheCharactersOfAValueChange() {
    // In files where the value of every key is on one line, the rest is byte for byte the same.
    for (const std::string& text : {whole(), files()[3].second, files()[4].second}) {
      std::uint64_t seed = 23;
      for (const Field& field : config::fields()) {
        const auto span = config::findValue(text, field.key);
        if (!span) continue;
        const std::string value = tests::randomValue(field, seed);
        const std::string expected = text.substr(0, span->begin) + value + text.substr(span->end);
        QCOMPARE(config::setValue(text, field.key, value), expected);
      }
    }
  }

  void editsLookAsAPersonWouldMakeThem_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* text, const char* key, const char* value,
                        const char* expected) {
      QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(key)
                          << QString::fromUtf8(value) << QString::fromUtf8(expected);
    };
    row("value before a comment", "a: 1\nname: x   # y\n", "name", "z", "a: 1\nname: z   # y\n");
    row("quotes go with their value", "name: \"x\" # y", "name", "z", "name: z # y");
    row("new key in a section", "solver:\n  gamma: 0.5  # g\n\nmodel:\n  norm: group\n",
        "solver.base_lr", "0.1",
        "solver:\n  gamma: 0.5  # g\n  base_lr: 0.1\n\nmodel:\n  norm: group\n");
    row("new section", "name: x\n", "model.rpn.fg_iou", "0.6",
        "name: x\nmodel:\n  rpn:\n    fg_iou: 0.6\n");
    row("new section, the file's indentation", "solver:\n    gamma: 0.5\n", "model.rpn.fg_iou",
        "0.6", "solver:\n    gamma: 0.5\nmodel:\n    rpn:\n        fg_iou: 0.6\n");
    row("new sub-section", "model:\n  norm: group\nname: x\n", "model.rpn.fg_iou", "0.6",
        "model:\n  norm: group\n  rpn:\n    fg_iou: 0.6\nname: x\n");
    row("section without keys", "solver:   # how\nname: x\n", "solver.gamma", "0.5",
        "solver:   # how\n  gamma: 0.5\nname: x\n");
    row("null section", "solver: null  # how\n", "solver.gamma", "0.5",
        "solver: {gamma: 0.5}  # how\n");
    row("flow map", "solver: {gamma: 0.5}  # g\n", "solver.base_lr", "0.1",
        "solver: {gamma: 0.5, base_lr: 0.1}  # g\n");
    row("empty flow map", "solver: {}\n", "solver.loss_weights.loss_mask", "2",
        "solver: {loss_weights: {loss_mask: 2}}\n");
    row("no value", "solver:\n  gamma:   # g\n", "solver.gamma", "0.5",
        "solver:\n  gamma: 0.5   # g\n");
    row("no newline at the end", "name: x", "solver.gamma", "0.5",
        "name: x\nsolver:\n  gamma: 0.5");
    row("carriage returns", "name: x\r\n", "solver.gamma", "0.5",
        "name: x\r\nsolver:\r\n  gamma: 0.5\r\n");
    row("block list",
        "solver:\n  milestones:  # m\n    - 1   # one\n    # second\n    - 2\n  gamma: 0.5\n",
        "solver.milestones", "[3]",
        "solver:\n  milestones: [3]  # m\n    # second\n  gamma: 0.5\n");
    row("block text", "name: |  # b\n  x\n  y\n\nbase: z\n", "name", "a",
        "name: a  # b\n\nbase: z\n");
    row("empty file", "", "solver.gamma", "0.5", "solver:\n  gamma: 0.5\n");
    row("before the document's end", "name: x\n...\n", "base", "y", "name: x\nbase: y\n...\n");
    row("before the end of an empty document", "---\n# x\n...\n", "base", "y",
        "---\n# x\nbase: y\n...\n");
  }
  void editsLookAsAPersonWouldMakeThem() {
    QFETCH(QString, text);
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, expected);
    const std::string edited =
        config::setValue(text.toStdString(), key.toStdString(), value.toStdString());
    QCOMPARE(QString::fromStdString(edited), expected);
  }

  void removingLeavesTheRest_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* text, const char* key, const char* expected) {
      QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(key)
                          << QString::fromUtf8(expected);
    };
    row("line with its comment", "a: 1\nname: x  # y\n# z\nb: 2\n", "name", "a: 1\n# z\nb: 2\n");
    row("last line", "a: 1\nname: x", "name", "a: 1\n");
    row("not there", "a: 1 # x\n", "name", "a: 1 # x\n");
    row("block list", "solver:\n  milestones:\n    - 1\n    - 2 # x\n  gamma: 1\n",
        "solver.milestones", "solver:\n  gamma: 1\n");
    row("first of a flow map", "solver: {gamma: 1, base_lr: 2}\n", "solver.gamma",
        "solver: {base_lr: 2}\n");
    row("middle of a flow map", "solver: {a: 1, gamma: 1, base_lr: 2}\n", "solver.gamma",
        "solver: {a: 1, base_lr: 2}\n");
    row("last of a flow map", "solver: {a: 1, gamma: 1} # x\n", "solver.gamma",
        "solver: {a: 1} # x\n");
    row("last of a flow map over lines",
        "solver: {\n  a: 1,   # high\n  # then\n  gamma: 1   # x\n}\n", "solver.gamma",
        "solver: {\n  a: 1   # high\n  # then\n     # x\n}\n");
    row("middle of a flow map over lines",
        "solver: {a: 1, # high\n  gamma: 1, # x\n  base_lr: 2}\n", "solver.gamma",
        "solver: {a: 1, # high\n  # x\n  base_lr: 2}\n");
    row("only one of a flow map", "solver: {gamma: 1}\n", "solver.gamma", "solver: {}\n");
    row("only one before a comma", "solver: {gamma: 1,}\n", "solver.gamma", "solver: {}\n");
    row("a section", "name: x\nsolver:\n  gamma: 1\n  # c\nbase: y\n", "solver",
        "name: x\n  # c\nbase: y\n");
  }
  void removingLeavesTheRest() {
    QFETCH(QString, text);
    QFETCH(QString, key);
    QFETCH(QString, expected);
    QCOMPARE(QString::fromStdString(config::removeValue(text.toStdString(), key.toStdString())),
             expected);
  }

  void spansCoverExactlyTheValue_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("covered");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    const auto row = [](const char* text, const char* covered, int line, int column) {
      QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(covered) << line
                          << column;
    };
    row("k: v", "v", 1, 4);
    row("k:   v w   # c", "v w", 1, 6);
    row("k: 'v # w' # c", "'v # w'", 1, 4);
    row("k: 'it''s' # c", "'it''s'", 1, 4);
    row("k: \"a\\\"b\" # c", "\"a\\\"b\"", 1, 4);
    row("k: v\n  w\n  # c\nl: 1", "v\n  w", 1, 4);
    row("k: \"v\n\n  w\"\nl: 1", "\"v\n\n  w\"", 1, 4);
    row("k: |\n  v\n\n  w\n\nl: 1", "|\n  v\n\n  w", 1, 4);
    row("k: >2-\n   v\nl: 1", ">2-\n   v", 1, 4);
    row("k: [1, [2, 3], {a: b}] # c", "[1, [2, 3], {a: b}]", 1, 4);
    row("k: [1, # ]\n 2]\nl: 1", "[1, # ]\n 2]", 1, 4);
    row("k: {a: don't, b: \"}\"}\nl: 1", "{a: don't, b: \"}\"}", 1, 4);
    row("k:\n- 1\n- 2 # c\nl: 1", "- 1\n- 2", 2, 1);
    row("k:\n  a: 1\n  b: 2\nl: 1", "a: 1\n  b: 2", 2, 3);
    row("k:\nl: 1", "", 1, 3);
    row("k: # c\nnull: 1", "", 1, 3);
    row("k: null # c", "null", 1, 4);
    row("k: ~", "~", 1, 4);
    row("k: größe # c", "größe", 1, 4);
    row("ö: 1\nk: 2", "2", 2, 4);
    row("{j: ö, k: [a,b] , l}", "[a,b]", 1, 11);
    row("{\"k\":v}", "v", 1, 6);
    row("{k}", "", 1, 3);
  }
  void spansCoverExactlyTheValue() {
    QFETCH(QString, text);
    QFETCH(QString, covered);
    QFETCH(int, line);
    QFETCH(int, column);
    const std::string bytes = text.toStdString();
    const auto span = config::findValue(bytes, "k");
    if (bytes.find("null: 1") != std::string::npos) {
      QVERIFY(!span);  // a key must be a plain word
      return;
    }
    QVERIFY(span.has_value());
    QCOMPARE(QString::fromStdString(bytes.substr(span->begin, span->end - span->begin)), covered);
    QCOMPARE(span->line, line);
    QCOMPARE(span->column, column);
  }

  void missingKeysAreNotFound() {
    QVERIFY(!config::findValue("solver: {gamma: 1}\n", "solver.base_lr"));
    QVERIFY(!config::findValue("solver: {gamma: 1}\n", "solver.gamma.deep"));
    QVERIFY(!config::findValue("solver: {gamma: 1\n", "solver.gamma"));
    QVERIFY(!config::findValue("", "solver"));
  }

  void impossibleEditsAreErrors() {
    const auto error = [](const char* text, const char* key, const char* value) {
      return messageOf([&] { config::setValue(text, key, value); });
    };
    QCOMPARE(error("- a\n", "name", "x"),
             std::string("line 1, column 1: an experiment file must be a YAML mapping, for "
                         "example 'name: my_run'"));
    QVERIFY(!error("solver: {a\n", "name", "x").empty());
    QCOMPARE(error("solver: 5\n", "solver.gamma", "1"),
             std::string("solver holds a value, not keys: remove the value first"));
    QVERIFY(!error("name: x\n", "name", "a: b").empty());
    QVERIFY(!error("name: x\n", "name", "a\nb").empty());
    QVERIFY(!error("name: x\n", "name", "[1").empty());
    // Text that would mean something else inside braces.
    QVERIFY(!error("{name: x}\n", "name", "a, b: c").empty());
    QVERIFY(!error("{name: x}\n", "name", "a}").empty());
    QVERIFY(!error("name: x\nname: y\n", "quux", "[1").empty());
  }

  void damagedTextsNeverCrash() {
    std::uint64_t seed = 29;
    const std::string signs = "{}[]:,#'\"|>-?~ \n\r\t";
    for (int turn = 0; turn < 4000; ++turn) {
      std::string text = files()[tests::nextRandom(seed) % files().size()].second;
      for (int change = 0; change < 3 && !text.empty(); ++change) {
        text[tests::nextRandom(seed) % text.size()] = signs[tests::nextRandom(seed) % signs.size()];
      }
      const Field& field = config::fields()[tests::nextRandom(seed) % config::fields().size()];
      const std::string value = tests::randomValue(field, seed);
      // Either it is refused, or it does what it should and nothing else.
      const std::string error = messageOf([&] {
        const std::string edited = config::setValue(text, field.key, value);
        const config::Experiment before = load(text), after = load(edited);
        for (const config::ConfigDifference& change : config::difference(before, after)) {
          if (!mayChange(change.key, field)) throw std::logic_error(change.key);
        }
        config::removeValue(edited, field.key);
      });
      Q_UNUSED(error);
    }
  }
};

LOCKSTEP_TEST(TstEdit)

#include "tst_edit.moc"
