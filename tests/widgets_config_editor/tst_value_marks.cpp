#include <QAction>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/banner.h"
#include "widgets/experiment/line_marks.h"

using namespace lockstep::widgets;
using Kind = LineMark::Kind;

/// What shows whether a value is inherited, overrides one, or changes nothing.
class TstValueMarks : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private:
  QAction* resetAction() { return editor_->findChild<QAction*>(QStringLiteral("configure.reset")); }
  /// In the base: momentum 0.8 in line 2, base_lr 0.5 in line 3.
  static QString text() {
    return QStringLiteral(
        "base: base.yaml\n"
        "solver:\n"
        "  base_lr: 0.02\n"
        "  momentum: 0.8\n"
        "  nesterov: true\n"
        "  gamma: 0.1\n"
        "runtime: {seed: 7, device: cpu}\n");
  }

 private Q_SLOTS:
  void init() { openWindow(); }

  void aRowTellsWhatItsValueReplaces() {
    open(text());
    const FieldState rate = row("solver.base_lr")->state();
    QCOMPARE(rate.replaced, QStringLiteral("0.5"));
    QCOMPARE(rate.replacedFrom, QStringLiteral("base.yaml:3"));
    QVERIFY(!rate.repeats && hasLabelWith("not 0.5"));
    QVERIFY(row("solver.momentum")->state().repeats);
    QCOMPARE(row("solver.momentum")->state().replacedFrom, QStringLiteral("base.yaml:2"));
    QVERIFY(!row("solver.nesterov")->state().repeats);
    QCOMPARE(row("solver.nesterov")->state().replacedFrom, QString());
    QVERIFY(row("solver.gamma")->state().repeats);
    const auto buttons = row("solver.base_lr")->findChildren<QAbstractButton*>();
    QVERIFY(std::ranges::any_of(buttons, [](const QAbstractButton* button) {
      return button->toolTip().endsWith(QStringLiteral("the value of base.yaml:3 applies: 0.5"));
    }));
  }

  void everyLineWithValuesHasAMark() {
    const std::string bytes = text().toStdString();
    const auto state =
        checkDocument(bytes, folder_->filePath(QStringLiteral("a.yaml")).toStdString());
    const auto marks = lineMarks(*state, {"solver.gamma"});
    QCOMPARE(marks, (std::vector<LineMark>{{1, Kind::Sets},
                                           {3, Kind::Sets},
                                           {4, Kind::Repeats},
                                           {5, Kind::Sets},
                                           {6, Kind::Differs},
                                           {7, Kind::Sets}}));
    open(text());
    QVERIFY(yaml()->markersAtLine(2) != 0);
    QVERIFY(yaml()->markersAtLine(3) != 0);
    QVERIFY(yaml()->markersAtLine(2) != yaml()->markersAtLine(3));
    QCOMPARE(yaml()->markersAtLine(1), 0U);
  }

  void theKeyThatIsWorkedOnIsReset() {
    open(text());
    QVERIFY(resetAction() != nullptr);
    line("solver.base_lr")->setFocus();
    resetAction()->trigger();
    QCOMPARE(editor_->text(), text().remove(QStringLiteral("  base_lr: 0.02\n")));
    QTRY_VERIFY(editor_->isReady());
    resetAction()->trigger();
    QVERIFY(editor_->findChild<Banner*>()->detail().startsWith(
        QStringLiteral("solver.base_lr is not set in this file")));
    yaml()->setFocus();
    yaml()->setCursorPosition(5, 22);  // runtime.device
    resetAction()->trigger();
    QVERIFY(editor_->text().contains(QStringLiteral("runtime: {seed: 7}\n")));
  }
};

LOCKSTEP_TEST(TstValueMarks)
#include "tst_value_marks.moc"
