#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "tests/support/test_main.h"
#include "widgets/experiment/document_check.h"

using namespace lockstep::widgets;

namespace {

/// The issues of one key; without those about missing datasets.
std::vector<DocumentIssue> issuesOf(const std::string& text, const std::string& key) {
  const auto state = checkDocument(text, "/nowhere/experiment.yaml");
  std::vector<DocumentIssue> found;
  for (const DocumentIssue& issue : state->issues) {
    if (issue.key == key) found.push_back(issue);
  }
  return found;
}

std::string marked(const std::string& text, const DocumentIssue& issue) {
  return text.substr(issue.begin, issue.end - issue.begin);
}

}  // namespace

class TstDocumentCheck : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesOfTheDocumentAreKnownWithTheirLines() {
    const auto state = checkDocument(
        "name: 'a b'\nsolver: {base_lr: 0.01}\naugment:\n  min_size:\n    - 200\n    - 300\n",
        "/nowhere/experiment.yaml");
    QCOMPARE(state->given.size(), std::size_t{3});
    QCOMPARE(state->given.at("name").text, std::string("a b"));
    QCOMPARE(state->given.at("solver.base_lr").text, std::string("0.01"));
    QCOMPARE(state->given.at("solver.base_lr").line, 2);
    QCOMPARE(state->given.at("augment.min_size").text, std::string("[200, 300]"));
  }

  void aWrongValueIsMarked() {
    const std::string text = "# größe\nsolver:\n  base_lr: -0.1  # too low\n";
    const auto issues = issuesOf(text, "solver.base_lr");
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues[0].line, 3);
    QCOMPARE(issues[0].position, std::string("3:12"));
    QCOMPARE(marked(text, issues[0]), std::string("-0.1"));
    QVERIFY(!issues[0].isOfKey);
  }

  void anUnknownKeyIsRenamed() {
    const std::string text = "solver:\n  shedule: cosine  # kept\n";
    const auto issues = issuesOf(text, "solver.shedule");
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(marked(text, issues[0]), std::string("shedule"));
    QCOMPARE(issues[0].suggestion, std::string("solver.schedule"));
    QCOMPARE(applySuggestion(text, issues[0]),
             std::string("solver:\n  schedule: cosine  # kept\n"));
  }

  void aKeyInTheWrongSectionIsMoved() {
    const std::string text = "solver:\n  momentum: 0.8\n  backbone: resnet18\n";
    const auto issues = issuesOf(text, "solver.backbone");
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(issues[0].suggestion, std::string("model.backbone"));
    const std::string fixed = applySuggestion(text, issues[0]);
    QVERIFY(issuesOf(fixed, "solver.backbone").empty());
    QCOMPARE(checkDocument(fixed, "/nowhere/experiment.yaml")->given.at("model.backbone").text,
             std::string("resnet18"));
  }

  void aMisspelledChoiceIsReplaced() {
    const std::string text = "solver: {schedule: cosin, momentum: 0.9}\n";
    const auto issues = issuesOf(text, "solver.schedule");
    QCOMPARE(issues.size(), std::size_t{1});
    QCOMPARE(applySuggestion(text, issues[0]),
             std::string("solver: {schedule: cosine, momentum: 0.9}\n"));
  }

  void invalidYamlIsMarked() {
    const std::string text = "solver:\n  base_lr: [1, 2\nname: x\n";
    const auto state = checkDocument(text, "/nowhere/experiment.yaml");
    QVERIFY(!state->issues.empty());
    QVERIFY(state->issues[0].line > 0);
    QVERIFY(state->issues[0].end <= text.size());
  }

  void aListOrASingleValueIsYamlButNoExperiment() {
    const auto isOtherYaml = [](const char* text) {
      const auto state = checkDocument(text, "/nowhere/experiment.yaml");
      return !state->isReadable && state->isOtherYaml;
    };
    for (const char* text : {"- a\n- b\n", "# only\nwords\n", "[1, 2]\n"})
      QVERIFY2(isOtherYaml(text), text);
    for (const char* text : {"name: a\n", "", "solver: [1, 2\n", "name: &a b\n"})
      QVERIFY2(!isOtherYaml(text), text);
  }

  void anIssueOfTheBaseIsMarkedWhereItIsInherited() {
    const QTemporaryDir folder;
    QFile base(folder.filePath(QStringLiteral("base.yaml")));
    QVERIFY(base.open(QIODevice::WriteOnly));
    base.write("solver:\n  base_lr: -1\n");
    base.close();
    const std::string file = folder.filePath(QStringLiteral("experiment.yaml")).toStdString();
    const auto state = checkDocument("name: a\nbase: base.yaml\n", file);
    bool found = false;
    for (const DocumentIssue& issue : state->issues) {
      if (issue.key != "solver.base_lr") continue;
      found = true;
      QVERIFY(!issue.isHere);
      QCOMPARE(issue.line, 2);
      QCOMPARE(issue.position, std::string("base.yaml:2:12"));
    }
    QVERIFY(found);
  }

  void anIssueOfANamesakeIsPlacedWithItsFolder() {
    const QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("own")));
    QFile base(folder.filePath(QStringLiteral("experiment.yaml")));
    QVERIFY(base.open(QIODevice::WriteOnly));
    base.write("solver:\n  base_lr: -1\n");
    base.close();
    const std::string file = folder.filePath(QStringLiteral("own/experiment.yaml")).toStdString();
    const auto state = checkDocument("name: a\nbase: ../experiment.yaml\n", file);
    const auto issue = std::ranges::find(state->issues, "solver.base_lr", &DocumentIssue::key);
    QVERIFY(issue != state->issues.end());
    QCOMPARE(issue->position, std::string("../experiment.yaml:2:12"));
  }

  void theKeyAtAPositionIsTheInnermost() {
    const std::string text = "model:\n  rpn: {fg_iou: 0.6}\n";
    const auto state = checkDocument(text, "/nowhere/experiment.yaml");
    QCOMPARE(keyAt(*state, text.find("0.6")), std::string("model.rpn.fg_iou"));
    QCOMPARE(keyAt(*state, text.find("rpn")), std::string("model.rpn"));
    QCOMPARE(keyAt(*state, 0), std::string("model"));
  }
};

LOCKSTEP_TEST(TstDocumentCheck)
#include "tst_document_check.moc"
