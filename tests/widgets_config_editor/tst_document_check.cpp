#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/experiment/document_check.h"

using namespace lockstep::widgets;

namespace {

/// The faults about one key; cross checks of missing data sets are not what is tested here.
std::vector<DocumentFault> faultsOf(const std::string& text, const std::string& key) {
  const auto state = checkDocument(text, "/nowhere/experiment.yaml");
  std::vector<DocumentFault> found;
  for (const DocumentFault& fault : state->faults) {
    if (fault.key == key) found.push_back(fault);
  }
  return found;
}

std::string marked(const std::string& text, const DocumentFault& fault) {
  return text.substr(fault.begin, fault.end - fault.begin);
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

  void aWrongValueIsMarkedWhereItStands() {
    const std::string text = "# größe\nsolver:\n  base_lr: -0.1  # too low\n";
    const auto faults = faultsOf(text, "solver.base_lr");
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(faults[0].line, 3);
    QCOMPARE(faults[0].place, std::string("3:12"));
    QCOMPARE(marked(text, faults[0]), std::string("-0.1"));
    QVERIFY(!faults[0].isOfKey);
  }

  void anUnknownKeyIsRenamed() {
    const std::string text = "solver:\n  shedule: cosine  # kept\n";
    const auto faults = faultsOf(text, "solver.shedule");
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(marked(text, faults[0]), std::string("shedule"));
    QCOMPARE(faults[0].proposal, std::string("solver.schedule"));
    QCOMPARE(applyProposal(text, faults[0]), std::string("solver:\n  schedule: cosine  # kept\n"));
  }

  void aKeyInTheWrongSectionIsMoved() {
    const std::string text = "solver:\n  momentum: 0.8\n  backbone: resnet18\n";
    const auto faults = faultsOf(text, "solver.backbone");
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(faults[0].proposal, std::string("model.backbone"));
    const std::string mended = applyProposal(text, faults[0]);
    QVERIFY(faultsOf(mended, "solver.backbone").empty());
    QCOMPARE(checkDocument(mended, "/nowhere/experiment.yaml")->given.at("model.backbone").text,
             std::string("resnet18"));
  }

  void aWordThatIsNearlyRightIsReplaced() {
    const std::string text = "solver: {schedule: cosin, momentum: 0.9}\n";
    const auto faults = faultsOf(text, "solver.schedule");
    QCOMPARE(faults.size(), std::size_t{1});
    QCOMPARE(applyProposal(text, faults[0]),
             std::string("solver: {schedule: cosine, momentum: 0.9}\n"));
  }

  void brokenYamlIsMarkedToo() {
    const std::string text = "solver:\n  base_lr: [1, 2\nname: x\n";
    const auto state = checkDocument(text, "/nowhere/experiment.yaml");
    QVERIFY(!state->faults.empty());
    QVERIFY(state->faults[0].line > 0);
    QVERIFY(state->faults[0].end <= text.size());
  }

  void aFaultOfTheBaseIsMarkedWhereItIsInherited() {
    const QTemporaryDir folder;
    QFile base(folder.filePath(QStringLiteral("base.yaml")));
    QVERIFY(base.open(QIODevice::WriteOnly));
    base.write("solver:\n  base_lr: -1\n");
    base.close();
    const std::string file = folder.filePath(QStringLiteral("experiment.yaml")).toStdString();
    const auto state = checkDocument("name: a\nbase: base.yaml\n", file);
    bool found = false;
    for (const DocumentFault& fault : state->faults) {
      if (fault.key != "solver.base_lr") continue;
      found = true;
      QVERIFY(!fault.isHere);
      QCOMPARE(fault.line, 2);
      QCOMPARE(fault.place, std::string("base.yaml:2:12"));
    }
    QVERIFY(found);
  }

  void theKeyOfAPlaceIsTheInnermost() {
    const std::string text = "model:\n  rpn: {fg_iou: 0.6}\n";
    const auto state = checkDocument(text, "/nowhere/experiment.yaml");
    QCOMPARE(keyAt(*state, text.find("0.6")), std::string("model.rpn.fg_iou"));
    QCOMPARE(keyAt(*state, text.find("rpn")), std::string("model.rpn"));
    QCOMPARE(keyAt(*state, 0), std::string("model"));
  }
};

LOCKSTEP_TEST(TstDocumentCheck)
#include "tst_document_check.moc"
