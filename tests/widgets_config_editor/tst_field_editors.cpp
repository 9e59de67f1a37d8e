#include <QAbstractItemView>
#include <QCompleter>
#include <QDir>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>
#include <QStyleOptionSpinBox>
#include <QToolButton>
#include <QWheelEvent>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/config_editor/step_box.h"

using namespace lockstep::widgets;

class TstFieldEditors : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private:
  StepBox* box(const char* key) { return row(key)->findChild<StepBox*>(); }
  QPoint arrowOf(StepBox* of, QStyle::SubControl arrow) {
    QStyleOptionSpinBox option;
    option.initFrom(of);
    return of->style()->subControlRect(QStyle::CC_SpinBox, &option, arrow, of).center();
  }
  bool hasError(const char* key) {
    return row(key)->editor()->focusProxy()->property("invalid").toBool();
  }

 private Q_SLOTS:
  void init() { openWindow(); }

  void arrowsOfALearningRateMultiply() {
    open(document());
    auto* rate = box("solver.base_lr");
    QTest::mouseClick(rate, Qt::LeftButton, {}, arrowOf(rate, QStyle::SC_SpinBoxUp));
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.05"));
    QTest::keyClick(rate, Qt::Key_Return);
    QCOMPARE(editor_->text(),
             document().replace(QStringLiteral("lr: 0.02 "), QStringLiteral("lr: 0.05 ")));
    QTest::keyClick(rate, Qt::Key_Down);
    QTest::keyClick(rate, Qt::Key_Down);
    QTest::keyClick(rate, Qt::Key_Return);
    QVERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.01 ")));
  }

  void arrowsBeginAtTheInheritedValue() {
    open(document());
    QVERIFY(line("solver.momentum")->text().isEmpty());  // 0.8 of the base
    box("solver.momentum")->setFocus();
    QTest::keyClick(box("solver.momentum"), Qt::Key_Up);
    QTest::keyClick(box("solver.momentum"), Qt::Key_Return);
    QVERIFY(editor_->text().contains(QStringLiteral("momentum: 0.9\n")));
  }

  void itemsOfAListAreAddedRemovedAndStepped() {
    open(document() + QStringLiteral("augment: {min_size: [640, 800]}\n"));
    editor_->goToKey(QStringLiteral("augment.min_size"));
    QLineEdit* sizes = line("augment.min_size");
    const auto button = [&](const char* name) {
      return row("augment.min_size")->findChild<QToolButton*>(QLatin1String(name));
    };
    sizes->setFocus();
    sizes->setCursorPosition(2);  // in the first
    button("addItem")->setFocus(Qt::TabFocusReason);
    QTest::keyClick(button("addItem"), Qt::Key_Space);
    QCOMPARE(sizes->text(), QStringLiteral("[640, 720, 800]"));
    QVERIFY(sizes->hasFocus());  // a number that is typed next replaces the new one
    QCOMPARE(sizes->selectedText(), QStringLiteral("720"));
    QTest::keyClick(sizes, Qt::Key_Up);  // the new one
    QCOMPARE(sizes->text(), QStringLiteral("[640, 730, 800]"));
    QTest::mouseClick(button("removeItem"), Qt::LeftButton);
    QCOMPARE(sizes->text(), QStringLiteral("[640, 800]"));
    QTest::mouseClick(button("removeItem"), Qt::LeftButton);
    QVERIFY(!button("removeItem")->isEnabled());  // one is needed
    sizes->setFocus();
    QTest::keyClick(sizes, Qt::Key_Return);
    QCOMPARE(editor_->text(), document() + QStringLiteral("augment: {min_size: [640]}\n"));
    QVERIFY(!row("model.anchors.sizes")->findChild<QToolButton*>(QStringLiteral("addItem")));
  }

  void aListBeginsInThePlaceOfAWord() {
    const QString text = document().replace(QStringLiteral("solver:\n"),
                                            QStringLiteral("solver:\n  class_weights: none\n"));
    open(text);
    editor_->goToKey(QStringLiteral("solver.class_weights"));
    auto* add = row("solver.class_weights")->findChild<QToolButton*>(QStringLiteral("addItem"));
    QTest::mouseClick(add, Qt::LeftButton);
    QVERIFY(line("solver.class_weights")->hasFocus());
    QTest::keyClicks(line("solver.class_weights"), QStringLiteral("2"));
    QTest::keyClick(line("solver.class_weights"), Qt::Key_Return);
    QVERIFY(editor_->text().contains(QStringLiteral("class_weights: [2]")));
  }

  void aListGoesOnFromTheInheritedOne() {
    open(document());
    editor_->goToKey(QStringLiteral("solver.milestones"));
    auto* add = row("solver.milestones")->findChild<QToolButton*>(QStringLiteral("addItem"));
    QTest::mouseClick(add, Qt::LeftButton);
    QTest::keyClick(line("solver.milestones"), Qt::Key_Return);
    QVERIFY2(editor_->text().contains(QStringLiteral("milestones: [60000, 80000, 100000]")),
             qPrintable(editor_->text()));
  }

  void theWheelChangesOnlyWhatHasTheFocus() {
    open(document());
    auto* rate = box("solver.base_lr");
    line("name")->setFocus();
    const auto turn = [rate] {
      QWheelEvent event(QPointF(5, 5), rate->mapToGlobal(QPointF(5, 5)), {}, QPoint(0, 120),
                        Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
      QCoreApplication::sendEvent(rate, &event);
    };
    turn();
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
    rate->setFocus();
    turn();
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.05"));
  }

  void aDragOfASliderIsOneChange() {
    open(document());
    editor_->goToKey(QStringLiteral("model.rpn.fg_iou"));
    auto* slider = row("model.rpn.fg_iou")->findChild<QSlider*>();
    QCOMPARE(slider->value(), 60);
    const auto at = [slider](double share) {
      return QPoint(static_cast<int>(share * slider->width()), slider->height() / 2);
    };
    QTest::mousePress(slider, Qt::LeftButton, {}, at(0.3));
    QTest::mouseMove(slider, at(0.5));
    QTest::mouseMove(slider, at(0.9));
    QCOMPARE(editor_->text(), document());
    const QString shown = line("model.rpn.fg_iou")->text();
    QCOMPARE(shown, QString::number(slider->value() / 100.0));
    QTest::mouseRelease(slider, Qt::LeftButton, {}, at(0.9));
    QVERIFY(slider->value() > 80);
    QCOMPARE(editor_->text(),
             document().replace(QStringLiteral("fg_iou: 0.6"), QStringLiteral("fg_iou: ") % shown));
    editor_->undo();
    QCOMPARE(editor_->text(), document());
    QTRY_COMPARE(slider->value(), 60);
  }

  void aDurationNamesItsUnit() {
    open(document());
    QVERIFY(row("solver.max_steps")->isVisible() && hasLabelWith("steps"));
    const auto unit = [this] { return line("solver.max_steps")->findChild<QLabel*>()->text(); };
    QCOMPARE(unit(), QStringLiteral("steps"));
    enter("solver.max_steps", QStringLiteral("12 epochs"));
    QCOMPARE(unit(), QString());
    QTest::keyClick(box("solver.max_steps"), Qt::Key_Up);
    QTest::keyClick(box("solver.max_steps"), Qt::Key_Return);
    QVERIFY(editor_->text().contains(QStringLiteral("max_steps: 13 epochs\n")));
  }

  void aValueIsWrittenAfterAPauseInTyping() {
    open(document());
    line("solver.base_lr")->setFocus();
    line("solver.base_lr")->selectAll();
    QTest::keyClicks(line("solver.base_lr"), QStringLiteral("0.03"));
    QTRY_VERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.03 ")));
    QVERIFY(line("solver.base_lr")->hasFocus());
  }

  void aFaultIsSaidWhileItIsTyped() {
    open(document());
    line("augment.min_size")->setFocus();
    QTest::keyClicks(line("augment.min_size"), QStringLiteral("200, x"));
    QVERIFY(hasError("augment.min_size"));
    QVERIFY(hasLabelWith("x is not an integer"));
    QCOMPARE(editor_->text(), document());
    QTest::keyClick(line("augment.min_size"), Qt::Key_Backspace);
    QTest::keyClicks(line("augment.min_size"), QStringLiteral("300"));
    QVERIFY(!hasError("augment.min_size"));
    QVERIFY(!hasLabelWith("x is not an integer"));
  }

  void whatTheTextCannotHaveStaysInItsLine() {
    open(document());
    enter("augment.min_size", QStringLiteral("[200, 300"));
    QCOMPARE(editor_->text(), document());
    enter("solver.base_lr", QStringLiteral("0.005"));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(line("augment.min_size")->text(), QStringLiteral("[200, 300"));
    QVERIFY(hasError("augment.min_size"));
    QTest::keyClicks(line("augment.min_size"), QStringLiteral("]"));
    QTest::keyClick(line("augment.min_size"), Qt::Key_Return);
    QVERIFY(editor_->text().contains(QStringLiteral("min_size: [200, 300]\n")));
    // Another document does not begin with it.
    enter("augment.min_size", QStringLiteral("[200"));
    open(QStringLiteral("augment: {min_size: [400]}\n"));
    QCOMPARE(line("augment.min_size")->text(), QStringLiteral("[400]"));
  }

  void aPathIsCompletedFromTheFolderOfTheFile() {
    QVERIFY(QDir(folder_->path()).mkpath(QStringLiteral("pictures/train")));
    open(document());
    auto* images = line("dataset.train.images");
    images->setFocus();
    QTest::keyClicks(images, QStringLiteral("pic"));
    auto* completer = row("dataset.train.images")->findChild<QCompleter*>();
    QTRY_VERIFY(completer->popup()->isVisible());
    QTest::keyClick(completer->popup(), Qt::Key_Down);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    QCOMPARE(images->text(), QStringLiteral("pictures/"));
    QTRY_VERIFY(completer->popup()->isVisible());
    QTest::keyClick(completer->popup(), Qt::Key_Down);
    QTest::keyClick(completer->popup(), Qt::Key_Return);
    editor_->finishTyping();
    QVERIFY(editor_->text().contains(QStringLiteral("images: pictures/train/\n")));
  }
};

LOCKSTEP_TEST(TstFieldEditors)
#include "tst_field_editors.moc"
