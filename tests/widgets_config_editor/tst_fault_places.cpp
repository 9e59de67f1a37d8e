// Every fault of the text is listed at a key of the form and at a line.
#include <QTest>
#include <algorithm>

#include "engine/base/number_text.h"
#include "engine/config/fields.h"
#include "engine/config/issue_text.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"
#include "widgets/experiment/document_check.h"
#include "widgets/experiment/form_fields.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

constexpr const char* kFile = "/nowhere/experiment.yaml";

/// `a.b.c: value` as nested maps, a key a line.
std::string nested(const std::string& key, const std::string& value) {
  std::string text, indent;
  std::size_t begin = 0;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    text += indent + key.substr(begin, dot - begin) + ":\n";
    indent += "  ";
    begin = dot + 1;
  }
  return text + indent + key.substr(begin) + ": " + value + "\n";
}

bool isInForm(const std::string& key) {
  return std::ranges::any_of(config::fields(), [&key](const config::Field& field) {
    return field.key == key || field.key.starts_with(key + ".");
  });
}

}  // namespace

class TstFaultPlaces : public QObject {
  Q_OBJECT

 private:
  /// Issues of missing data have no line where the text says nothing of data.
  static std::vector<DocumentIssue> issuesOf(const std::string& text) {
    std::vector<DocumentIssue> issues = checkDocument(text, kFile)->issues;
    if (text.find("dataset") == std::string::npos)
      std::erase_if(issues, [](const DocumentIssue& issue) {
        return issue.line == 0 && issue.key.starts_with("dataset.");
      });
    return issues;
  }

 private Q_SLOTS:
  void badValuesOfEveryKeyArePlaced() {
    int errors = 0;
    for (const config::Field& field : config::fields()) {
      for (const char* value :
           {"{a: 1}", "[[1], 2]", "-1e300", "1e300", "no such word", "''", "[]", "-1", "0"}) {
        const std::string text = nested(field.key, value);
        const auto state = checkDocument(text, kFile);
        for (const DocumentIssue& issue : issuesOf(text)) {
          const std::string what = text + issue.key + ": " + issue.text;
          QVERIFY2(issue.line > 0, what.c_str());
          QVERIFY2(issue.key.empty() || isInForm(issue.key), what.c_str());
          if (issue.key != field.key) continue;
          errors += issue.isError;
          QVERIFY2(!issue.isError || !fieldState(field, *state, QString()).error.isEmpty(),
                   what.c_str());
        }
      }
    }
    QVERIFY(errors > static_cast<int>(config::fields().size()));
  }

  void faultsOfSeveralKeysArePlaced_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("key");
    QTest::addColumn<int>("line");
    const auto row = [](const char* text, const char* key, int line) {
      QTest::newRow(key) << QString::fromUtf8(text) << QString::fromUtf8(key) << line;
    };
    row("model: {norm: frozen_batch}", "model.norm", 1);
    row("name: a\nmodel: {norm: group, freeze_stages: 2}", "model.freeze_stages", 2);
    row("solver: {milestones: [200, 100]}", "solver.milestones", 1);
    row("solver: {batch_size: 10, accumulate: 4}", "solver.batch_size", 1);
    row("model: {rpn: {bg_iou: 0.8}}", "model.rpn.bg_iou", 1);
    row("model: {anchors: {sizes: [32, 64]}}", "model.anchors.sizes", 1);
    row("model: {norm: batch}\nruntime: {cuda_graphs: true}", "runtime.cuda_graphs", 2);
    row("solver: {nesterov: true, momentum: 0}", "solver.nesterov", 1);
    // Of a key that is not set: at its section.
    row("name: a\nsolver:\n  max_steps: 100", "solver.warmup_steps", 2);
    row("augment: {min_size: [400, 900], max_size: 800}", "augment.min_size", 1);
    row("name: ../x", "name", 1);
    row("dataset: {train: {images: /}}", "dataset.train.images", 1);
    row("name: a\ndataset:\n  val: {images: /}", "dataset.val.images", 3);
    row("dataset:\n  train:\n    images: /no/where\n    annotations: /no/file.json",
        "dataset.train.annotations", 4);
    row("model:\n  weights: /no/w.safetensors", "model.weights", 2);
    row("evaluation: {best_metric: segm/AR600}", "evaluation.best_metric", 1);
    row("evaluation: {max_dets: [1, 100, 10]}", "evaluation.max_dets", 1);
    row("monitor:\n  tensor_stats_include: ['(a']", "monitor.tensor_stats_include", 2);
    row("solver:\n  base_rl: 1", "solver.base_rl", 2);
  }
  void faultsOfSeveralKeysArePlaced() {
    QFETCH(QString, text);
    QFETCH(QString, key);
    QFETCH(int, line);
    const auto issues = issuesOf(text.toStdString());
    const auto found = std::ranges::find(issues, key.toStdString(), &DocumentIssue::key);
    QVERIFY(found != issues.end());
    QCOMPARE(found->line, line);
    QVERIFY(
        std::ranges::none_of(issues, [](const DocumentIssue& issue) { return issue.line == 0; }));
  }

  void whatTheEngineSaysIsReadAgain() {
    using config::ConfigIssue;
    for (const ConfigIssue& issue :
         {ConfigIssue{.file = "a:b/c.yaml",
         .line = 3,
         .column = 12,
         .key = "solver.base_lr",
         .text = "-0.1: is not > 0"},
          ConfigIssue{.severity = ConfigIssue::Severity::Warning,
          .file = "c.yaml",
          .key = "model.weights",
          .text = "no: such"},
          ConfigIssue{.file = "c.yaml", .line = 1, .column = 1, .text = "a key: is missing"}}) {
      const auto read = config::parseIssue(issue.format());
      QVERIFY2(read, issue.format().c_str());
      QCOMPARE(read->format(), issue.format());
      QCOMPARE(read->key, issue.key);
      QCOMPARE(read->line, issue.line);
      QVERIFY(read->severity == issue.severity);
    }
    QVERIFY(!config::parseIssue("rank 0 ran out of memory"));
    QVERIFY(!config::parseIssue("/data/train.json: line 3: a '}' is missing"));
  }

  void whatTheEngineFindsIsPlaced() {
    const std::string text =
        "model:\n  weights: w.safetensors\ndataset:\n  train:\n    images: /i\n    annotations: "
        "/a/train.json\n";
    const auto state = checkDocument(text, kFile);
    const std::size_t own = state->issues.size();
    const auto all = withFound(*state,
                               "copy.yaml:2:3: model.weights: conv1.weight has another shape\n"
                               "/a/train.json: byte 12: a '}' is missing\n"
                               "something else\n"
                               "copy.yaml: solver.batch_size: warning: needs about 90 GiB",
                               text);
    QCOMPARE(all->issues.size(), own + 3);
    const auto at = [&](std::size_t i) { return all->issues[own + i]; };
    QCOMPARE(at(0).key, std::string("model.weights"));
    QCOMPARE(at(0).line, 2);
    QVERIFY(at(0).isFound && at(0).isError && at(0).end > at(0).begin);
    QCOMPARE(at(1).key, std::string("dataset.train.annotations"));
    QCOMPARE(at(1).line, 6);
    QVERIFY(!at(2).isError);
    QCOMPARE(withFound(*all, "", text)->issues.size(), own);
  }
};

LOCKSTEP_TEST(TstFaultPlaces)
#include "tst_fault_places.moc"
