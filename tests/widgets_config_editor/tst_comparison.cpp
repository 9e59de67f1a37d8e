#include <QAction>
#include <QSignalSpy>
#include <QToolButton>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/config_editor/difference_table.h"

using namespace lockstep::widgets;

/// The differences to another experiment, in form, text and table.
class TstComparison : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private:
  lockstep::config::Experiment other() const {
    lockstep::config::Experiment experiment = editor_->loaded().experiment;
    experiment.solver.baseLr = 0.005;
    experiment.solver.nesterov = true;
    return experiment;
  }
  QToolButton* take(const char* key) {
    return row(key)->findChild<QToolButton*>(QStringLiteral("take"));
  }

 private Q_SLOTS:
  void init() {
    openWindow();
    open(document() + QStringLiteral("dataset: {train: {images: ., annotations: base.yaml}}\n"));
    QCOMPARE(editor_->errorCount(), 0);
  }

  void aDifferenceIsShownAtItsRowLineAndInTheTable() {
    const unsigned plain = yaml()->markersAtLine(5);
    QVERIFY(row("solver.nesterov")->isHidden());
    editor_->setComparison(QStringLiteral("earlier"), other());
    QVERIFY(row("solver.base_lr")->isOther() && hasLabelWith("earlier: 0.005"));
    QVERIFY(row("solver.nesterov")->isVisible() && row("solver.nesterov")->isOther());
    QVERIFY(!row("solver.momentum")->isOther());
    QVERIFY(yaml()->markersAtLine(5) != plain);
    QCOMPARE(editor_->findChild<DifferenceTable*>()->topLevelItemCount(), 2);
  }

  void theOthersValueIsTakenWithOneClick() {
    editor_->setComparison(QStringLiteral("earlier"), other());
    editor_->goToKey(QStringLiteral("solver.base_lr"));
    QTest::mouseClick(take("solver.base_lr"), Qt::LeftButton);
    QVERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.005     # of the paper\n")));
    QTRY_VERIFY(!row("solver.base_lr")->isOther());
    QVERIFY(!take("solver.base_lr")->isVisible());
    QTest::mouseClick(take("solver.nesterov"), Qt::LeftButton);
    QTRY_COMPARE(editor_->findChild<DifferenceTable*>()->topLevelItemCount(), 0);
    editor_->undo();
    QTRY_VERIFY(row("solver.nesterov")->isOther());
  }

  void theOthersValueIsTakenInTheTable() {
    editor_->setComparison(QStringLiteral("earlier"), other());
    auto* table = editor_->findChild<DifferenceTable*>();
    const auto takes = table->findChildren<QToolButton*>(QStringLiteral("take"));
    QCOMPARE(takes.size(), 2);
    for (QToolButton* each : takes) {
      if (!each->toolTip().contains(QStringLiteral("solver.base_lr"))) continue;
      each->setFocus(Qt::TabFocusReason);
      QTest::keyClick(each, Qt::Key_Space);
    }
    QVERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.005     # of the paper\n")));
    QTRY_COMPARE(table->topLevelItemCount(), 1);
    QTest::mouseClick(table->findChild<QToolButton*>(QStringLiteral("take")), Qt::LeftButton);
    QTRY_COMPARE(table->topLevelItemCount(), 0);
    QVERIFY(editor_->text().contains(QStringLiteral("nesterov: true")));
  }

  void whatWasTakenInTheTableIsUndoneWithTheKeys() {
    editor_->setComparison(QStringLiteral("earlier"), other());
    auto* table = editor_->findChild<DifferenceTable*>();
    const QString before = editor_->text();
    QTest::mouseClick(table->findChild<QToolButton*>(QStringLiteral("take")), Qt::LeftButton);
    QTRY_COMPARE(table->topLevelItemCount(), 1);
    QVERIFY(table->hasFocus());
    QTest::keyClick(table, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(editor_->text(), before);
  }

  void theComparisonEnds() {
    editor_->setComparison(QStringLiteral("earlier"), other());
    auto* end = editor_->findChild<QToolButton*>(QStringLiteral("endComparison"));
    QVERIFY(end->isVisible());
    QTest::mouseClick(end, Qt::LeftButton);
    QVERIFY(!row("solver.base_lr")->isOther() && !end->isVisible());
    QVERIFY(!hasLabelWith("earlier: 0.005"));
  }

  void buttonAndActionAskForAnExperiment() {
    QSignalSpy requested(editor_.get(), &ConfigEditor::comparisonRequested);
    QTest::mouseClick(editor_->findChild<QPushButton*>(QStringLiteral("compare")), Qt::LeftButton);
    QCOMPARE(requested.size(), 1);
    editor_->findChild<QAction*>(QStringLiteral("configure.compare"))->trigger();
    QCOMPARE(requested.size(), 2);
  }
};

LOCKSTEP_TEST(TstComparison)
#include "tst_comparison.moc"
