#include <QTest>
#include <algorithm>

#include "engine/config/fields.h"
#include "tests/support/test_main.h"
#include "widgets/experiment/completion.h"

using namespace lockstep;
using widgets::completeAt;
using widgets::Completion;

namespace {

/// The position is that of `|`.
Completion at(std::string text) {
  const std::size_t place = text.find('|');
  text.erase(place, 1);
  return completeAt(text, place);
}

bool has(const Completion& completion, const char* candidate) {
  return std::find(completion.candidates.begin(), completion.candidates.end(), candidate) !=
         completion.candidates.end();
}

}  // namespace

class TstCompletion : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keysOfTheSectionAreOffered_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("candidate");
    const auto row = [](const char* name, const char* text, const char* candidate) {
      QTest::newRow(name) << QString::fromLatin1(text) << QString::fromLatin1(candidate);
    };
    row("top level", "so|", "solver:");
    row("top level after a section", "solver:\n  base_lr: 1\nev|", "evaluation:");
    row("block section", "solver:\n  ba|", "base_lr: ");
    row("after a blank line and a comment", "solver:\n\n  # rate\n  ba|", "base_lr: ");
    row("after another key", "solver:\n  momentum: 0.9\n  ba|", "batch_size: ");
    row("sub-section", "model:\n  norm: group\n  rpn:\n    nms|", "nms_threshold: ");
    row("back in the outer section", "model:\n  rpn:\n    fg_iou: 0.7\n  ba|", "backbone: ");
    row("flow section", "model:\n  rpn: {fg_iou: 0.7, n|", "nms_threshold: ");
    row("flow section over lines", "model:\n  rpn: {fg_iou: 0.7,\n    bg|", "bg_iou: ");
    row("after a list", "augment: {min_size: [800, 900], ma|", "max_size: ");
    row("four spaces", "solver:\n    ba|", "base_lr: ");
    row("carriage returns", "solver:\r\n  momentum: 0.9\r\n  ba|", "base_lr: ");
  }
  void keysOfTheSectionAreOffered() {
    QFETCH(QString, text);
    QFETCH(QString, candidate);
    const Completion completion = at(text.toStdString());
    QVERIFY2(has(completion, candidate.toUtf8()),
             completion.candidates.empty() ? "nothing" : completion.candidates[0].c_str());
    for (const std::string& word : completion.candidates) {
      const std::size_t bar = static_cast<std::size_t>(text.indexOf(QLatin1Char('|')));
      QVERIFY(word.starts_with(
          text.toStdString().substr(bar - completion.prefixBytes, completion.prefixBytes)));
    }
  }

  void choicesOfTheKeyAreOffered() {
    QVERIFY(has(at("solver:\n  schedule: c|"), "cosine"));
    QVERIFY(has(at("solver:\n  schedule: |"), "step"));
    QVERIFY(has(at("solver: {schedule: c|"), "constant"));
    QVERIFY(has(at("dataset: {skip_empty: f|"), "false"));
    QVERIFY(has(at("evaluation: {best_metric: segm/|"), "segm/AP"));
    QVERIFY(!has(at("solver:\n  schedule: c|"), "step"));
  }

  void nothingIsOfferedForUnknownKeys() {
    QVERIFY(at("# so|").candidates.empty());
    QVERIFY(at("solver:\n  base_lr: 0.|").candidates.empty());
    QVERIFY(at("solver:\n  unknown:\n    x|").candidates.empty());
    QVERIFY(at("solver: {base_lr: 1} |").candidates.empty());
  }

  void everyPositionOfATextIsAccepted() {
    const std::string text =
        "a: [1, {b: 'x: y'}]\n}}\n:\n  - k:\n\t\"q\n# \xc3\xa4\nmodel: {rpn: {";
    for (std::size_t place = 0; place <= text.size() + 3; ++place) completeAt(text, place);
  }
};

LOCKSTEP_TEST(TstCompletion)
#include "tst_completion.moc"
