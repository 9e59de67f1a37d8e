#include <QStandardItemModel>
#include <QTest>
#include <cmath>

#include "app/runs/list/run_filter.h"
#include "app/runs/list/run_list_model.h"
#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::Facts;
using app::FilterMatch;
using app::RunFilter;
using app::RunListModel;

namespace {

/// A row as the list of runs has it, and its facts.
struct FilteredRun {
  QString name = QStringLiteral("shapes"), state = QStringLiteral("finished"), program, note;
  QStringList tags;
  qint64 step = 100;
  bool isPinned = false, isArchived = false;
  QVariant duration, best;
  QString bestMetric;
  Facts facts;

  void setConfig(const std::map<QString, QString>& config) {
    QStringList keys;
    for (const auto& [key, value] : config) {
      keys.append(key);
      facts.configValues.append(value);
    }
    facts.configKeys = std::make_shared<const QStringList>(keys);
  }
  QStandardItem* item() const {
    auto* item = new QStandardItem;
    item->setData(name, RunListModel::NameRole);
    item->setData(state, RunListModel::StateTextRole);
    item->setData(program, RunListModel::ProgramRole);
    item->setData(note, RunListModel::NoteRole);
    item->setData(tags, RunListModel::TagsRole);
    item->setData(step, RunListModel::StepRole);
    item->setData(isPinned, RunListModel::PinnedRole);
    item->setData(isArchived, RunListModel::ArchivedRole);
    item->setData(duration, RunListModel::DurationRole);
    item->setData(best, RunListModel::BestValueRole);
    item->setData(bestMetric, RunListModel::BestMetricRole);
    return item;
  }
};

FilterMatch matchOf(const RunFilter& filter, const FilteredRun& run, bool isRead = true) {
  QStandardItemModel model;
  model.appendRow(run.item());
  return filter.match(model.index(0, 0), isRead ? &run.facts : nullptr);
}

FilteredRun sampleRun() {
  FilteredRun run;
  run.name = QStringLiteral("Shapes baseline");
  run.tags = {QStringLiteral("paper"), QStringLiteral("v 2")};
  run.note = QStringLiteral("too slow");
  run.isPinned = true;
  run.duration = 5400.0;
  run.best = 0.41;
  run.bestMetric = QStringLiteral("segm/AP");
  run.setConfig({{QStringLiteral("model.backbone"), QStringLiteral("resnet50")},
                 {QStringLiteral("solver.base_lr"), QStringLiteral("0.02")}});
  run.facts.metrics = {{QStringLiteral("eval/bbox/AP"), 0.5},
                       {QStringLiteral("eval/loss_total"), std::nan("")},
                       {QStringLiteral("eval/segm/AP"), 0.3}};
  return run;
}

}  // namespace

class TstRunFilter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRunIsAccepted_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("isAccepted");
    const auto row = [](const char* text, bool isAccepted) {
      QTest::newRow(text) << QString::fromLatin1(text) << isAccepted;
    };
    row("", true);
    row("shapes", true);
    row("  Shapes BASE ", true);
    row("shapes finished", false);  // one text
    row("paper", true);             // a tag
    row("slow", false);             // of the note
    row("baseline finished", true);
    row("/^shapes.*shed/", true);
    row("/^baseline/", false);
    row("step=100", true);
    row("step == 100", true);
    row("step!=100", false);
    row("step>1e2", false);
    row("step >= 1e2 step<101", true);
    row("state=FINISHED", true);
    row("state~fin", true);
    row("state=fin", false);
    row("name~base tag=paper", true);
    row("tag=\"v 2\"", true);
    row("tag=v", false);
    row("tag!=v", true);
    row("tag!=paper", false);
    row("note~SLOW", true);
    row("program=lockstep", true);
    row("pinned=yes", true);
    row("pinned=no", false);
    row("archived!=true", true);
    row("duration=5400", true);
    row("duration>1h", true);
    row("duration<1h30m", false);
    row("duration<=1.5h", true);
    row("duration>1d", false);
    row("baseline step>99", true);
    row("other step>99", false);
    row("step>99 baseline finished", true);
    row("\"step>99\"", false);  // text
    row("solver.base_lr=0.020", true);
    row("solver.base_lr=2e-2", true);
    row("solver.base_lr~02", true);
    row("solver.base_lr>0.02", false);
    row("solver.base_lr!=0.02", false);
    row("model.backbone=ResNet50", true);
    row("model.backbone>5", false);
    row("model.backbone!=5", true);
    row("segm/AP>0.4", true);        // the best
    row("eval/segm/AP>0.4", false);  // the last
    row("bbox/AP=0.5", true);
    row("loss_total>0", false);
    row("loss_total=nan", true);
    row("no.such.key=1", false);
    row("no.such.key!=1", false);
  }
  void aRunIsAccepted() {
    QFETCH(const QString, text);
    QFETCH(const bool, isAccepted);
    RunFilter filter;
    QVERIFY2(filter.setText(text), qPrintable(filter.fault()));
    QCOMPARE(matchOf(filter, sampleRun()) == FilterMatch::Yes, isAccepted);
    QVERIFY(matchOf(filter, sampleRun()) != FilterMatch::Pending);
  }

  void aFaultSaysWhatAndWhere_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("fault");
    const auto row = [](const char* text, const char* fault) {
      QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(fault);
    };
    row("step>", "character 6: a value is missing after step>");
    row("a =1  >5", "character 7: a key is missing before the operator; write such as step>100");
    row("name~\"a b", "character 6: the quote is not closed; add \" at its end");
    row("state<5", "'<' cannot compare the text state; use =, != or ~ (contains)");
    row("step~5", "'~' searches text, and step is not text; use = or !=");
    row("pinned>=no", "'>=' cannot compare pinned, which is yes or no; use = or !=");
    row("pinned=maybe", "'maybe' is neither yes nor no");
    row("duration>2x", "'2x' is not a duration such as 90s, 30m, 2h, 1d or 1h30m");
    row("step=a", "'a' is not a number");
    row("solver.base_lr>a", "'a' is not a number");
    row("/a(/", "character 4: the regular expression is invalid: missing closing parenthesis");
  }
  void aFaultSaysWhatAndWhere() {
    QFETCH(const QString, text);
    QFETCH(const QString, fault);
    RunFilter filter;
    QVERIFY(filter.setText(QStringLiteral("step=100")));
    QVERIFY(!filter.setText(text));
    QCOMPARE(filter.fault(), fault);
    QCOMPARE(matchOf(filter, sampleRun()), FilterMatch::Yes);  // as before
    QVERIFY(filter.setText(QString()));
    QVERIFY(filter.isEmpty() && filter.fault().isEmpty());
  }

  void aRunIsPendingUntilItsFactsAreRead() {
    RunFilter filter;
    QVERIFY(filter.setText(QStringLiteral("step=100 solver.base_lr>1 bbox/AP<1 solver.base_lr<9")));
    QCOMPARE(filter.requiredFacts(),
             (QStringList{QStringLiteral("solver.base_lr"), QStringLiteral("bbox/AP")}));
    QCOMPARE(matchOf(filter, sampleRun(), false), FilterMatch::Pending);
    QCOMPARE(matchOf(filter, sampleRun()), FilterMatch::No);
    QVERIFY(filter.setText(QStringLiteral("step=99 solver.base_lr>1")));
    QCOMPARE(matchOf(filter, sampleRun(), false), FilterMatch::No);
    QVERIFY(filter.setText(QStringLiteral("step=100 segm/AP>0.4")));  // of run.json
    QCOMPARE(matchOf(filter, sampleRun(), false), FilterMatch::Yes);
    QVERIFY(filter.setText(QStringLiteral("step=100")));
    QVERIFY(filter.requiredFacts().isEmpty());
  }

  void anUnknownKeyIsSaidWithTheNearest() {
    const QStringList keys{QStringLiteral("eval/segm/AP"), QStringLiteral("segm/AP"),
                           QStringLiteral("solver.base_lr")};
    const auto saidOf = [&](const char* text) {
      RunFilter filter;
      filter.setText(QString::fromLatin1(text));
      return filter.unknownKey(keys);
    };
    QCOMPARE(saidOf("solver.base_lr>1 state=finished"), QString());
    QCOMPARE(saidOf("solver.base_l>1"),
             QStringLiteral("no listed run has the key solver.base_l; nearest: solver.base_lr"));
    QCOMPARE(saidOf("durations>1"),
             QStringLiteral("no listed run has the key durations; nearest: duration"));
    QCOMPARE(saidOf("completely.different=1"),
             QStringLiteral("no listed run has the key completely.different"));
  }

  /// Of random runs and random conditions.
  void itAcceptsWhatAPlainEvaluationDoes() {
    for (int round = 0; round < 3000; ++round) {
      const FilteredRun run = drawRun();
      QString text;
      bool isExpected = true;
      for (std::uint64_t i = draw(3) + 1; i > 0; --i) {
        const Drawn condition = drawCondition();
        text += condition.text() + u' ';
        isExpected &= accepts(run, condition);
      }
      RunFilter filter;
      QVERIFY2(filter.setText(text), qPrintable(text + filter.fault()));
      QVERIFY2((matchOf(filter, run) == FilterMatch::Yes) == isExpected, qPrintable(text));
    }
  }

 private:
  struct Drawn {
    QString key, op, value;
    QString text() const { return key + op + value; }
  };
  std::uint64_t draw(std::uint64_t below) { return base::counterHash({11, ++drawn_}) % below; }
  QString drawOf(const QStringList& choices) {
    return choices[static_cast<qsizetype>(draw(static_cast<std::uint64_t>(choices.size())))];
  }

  FilteredRun drawRun() {
    FilteredRun run;
    run.state = drawOf({QStringLiteral("running"), QStringLiteral("failed")});
    run.step = static_cast<qint64>(draw(4));
    if (draw(2) == 0) run.duration = static_cast<double>(draw(3)) * 3600;
    std::map<QString, QString> config{{QStringLiteral("seed"), QString::number(draw(3))}};
    if (draw(3) > 0)
      config[QStringLiteral("solver.lr")] = drawOf({QStringLiteral("0.1"), QStringLiteral("1e-1"),
                                                    QStringLiteral("0.3"), QStringLiteral("auto")});
    run.setConfig(config);
    if (draw(3) > 0)
      run.facts.metrics = {{QStringLiteral("eval/AP"), static_cast<double>(draw(4)) / 4}};
    return run;
  }

  Drawn drawCondition() {
    const QString key =
        drawOf({QStringLiteral("state"), QStringLiteral("step"), QStringLiteral("duration"),
                QStringLiteral("seed"), QStringLiteral("solver.lr"), QStringLiteral("AP")});
    const QStringList orders{QStringLiteral("="),  QStringLiteral("!="), QStringLiteral("<"),
                             QStringLiteral("<="), QStringLiteral(">"),  QStringLiteral(">=")};
    if (key == u"state")
      return {key, drawOf({QStringLiteral("="), QStringLiteral("!="), QStringLiteral("~")}),
              drawOf({QStringLiteral("run"), QStringLiteral("RUNNING"), QStringLiteral("il")})};
    if (key == u"duration")
      return {key, drawOf(orders),
              drawOf({QStringLiteral("1h"), QStringLiteral("60m"), QStringLiteral("0.5h"),
                      QStringLiteral("7200")})};
    return {key, drawOf(orders),
            drawOf({QStringLiteral("0"), QStringLiteral("0.1"), QStringLiteral("0.25"),
                    QStringLiteral("2")})};
  }

  static bool compare(const auto& left, const QString& op, const auto& right) {
    return op == u"="    ? left == right
           : op == u"!=" ? left != right
           : op == u"<"  ? left < right
           : op == u"<=" ? left <= right
           : op == u">"  ? left > right
                         : left >= right;
  }

  static bool accepts(const FilteredRun& run, const Drawn& condition) {
    const auto& [key, op, value] = condition;
    if (key == u"state") {
      const QString wanted = value.toLower();
      return op == u"~" ? run.state.contains(wanted) : compare(run.state, op, wanted);
    }
    if (key == u"step") return compare(double(run.step), op, value.toDouble());
    if (key == u"duration") {
      static const std::map<QString, double> seconds{{QStringLiteral("1h"), 3600},
                                                     {QStringLiteral("60m"), 3600},
                                                     {QStringLiteral("0.5h"), 1800},
                                                     {QStringLiteral("7200"), 7200}};
      return run.duration.isValid() && compare(run.duration.toDouble(), op, seconds.at(value));
    }
    if (key == u"AP") {
      return !run.facts.metrics.empty() &&
             compare(run.facts.metrics[0].second, op, value.toDouble());
    }
    const qsizetype at = run.facts.configKeys->indexOf(key);
    if (at < 0) return false;
    const QString& held = run.facts.configValues[at];
    if (held == u"auto") return op == u"!=";
    return compare(held.toDouble(), op, value.toDouble());
  }

  std::uint64_t drawn_ = 0;
};

LOCKSTEP_TEST(TstRunFilter)
#include "tst_run_filter.moc"
