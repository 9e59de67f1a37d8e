#include <QComboBox>
#include <QSignalSpy>
#include <QTreeWidget>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/issue_list.h"
#include "widgets/config_editor/section_list.h"
#include "widgets/config_editor/switch_button.h"
#include "widgets/experiment/field_words.h"

using namespace lockstep::widgets;

class TstConfigEditor : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { openWindow(); }

  void theEmptyStateOffersToOpenAnExperiment() {
    QVERIFY(!editor_->hasDocument());
    QVERIFY(editor_->isReady());
    QSignalSpy requested(editor_.get(), &ConfigEditor::openRequested);
    for (QAbstractButton* button : editor_->findChildren<QAbstractButton*>()) {
      if (button->text() == QStringLiteral("Open an experiment")) button->click();
    }
    QCOMPARE(requested.size(), 1);
  }

  void aRangeTestIsAskedForBesideTheLearningRate() {
    open(document());
    QSignalSpy requested(editor_.get(), &ConfigEditor::rangeTestRequested);
    auto* find = editor_->findChild<QPushButton*>(QStringLiteral("rangeTest"));
    QVERIFY(find->isVisible());
    QTest::mouseClick(find, Qt::LeftButton);
    QCOMPARE(requested.size(), 1);
  }

  void betterAnchorsReplaceThoseOfTheFileAsOneEdit() {
    open(document());
    QTRY_VERIFY(editor_->isReady());
    auto* use = editor_->findChild<QPushButton*>(QStringLiteral("useAnchors"));
    lockstep::config::BoxSizes boxes;
    boxes.counts[3] = 5;
    editor_->setSurvey({}, {boxes, std::nullopt});
    QVERIFY(!use->isVisibleTo(editor_.get()));
    editor_->setSurvey(
        {}, {boxes, lockstep::config::AnchorConfig{{8, 16, 32, 64, 128}, {0.5, 1, 2, 4}}});
    QVERIFY(use->isVisibleTo(editor_.get()));
    QVERIFY(use->toolTip().contains(QStringLiteral("model.anchors.sizes [8, 16, 32, 64, 128]")));
    const QString before = editor_->text();
    use->click();
    QTRY_VERIFY(editor_->isReady());
    const auto& anchors = editor_->loaded().experiment.model.anchors;
    QCOMPARE(anchors.sizes, (std::vector<double>{8, 16, 32, 64, 128}));
    QCOMPARE(anchors.aspectRatios, (std::vector<double>{0.5, 1, 2, 4}));
    editor_->undo();
    QCOMPARE(editor_->text(), before);
  }

  void aByteOrderMarkIsPartOfTheText() {
    const QString marked = QChar(QChar::ByteOrderMark) + QStringLiteral("name: a\n");
    open(marked);
    QCOMPARE(editor_->text(), marked);
    QVERIFY(!editor_->isModified());
    enter("solver.base_lr", QStringLiteral("0.005"));
    QVERIFY(editor_->text().startsWith(marked));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->loaded().experiment.solver.baseLr, 0.005);
  }

  /// A line would cut it, and laying it out takes time.
  void aVeryLongListIsEditedInTheText() {
    QString list = QStringLiteral("[1");
    for (int i = 2; i <= 10000; ++i) list += QStringLiteral(", %1").arg(i);
    const QString whole = QStringLiteral("solver:\n  milestones: %1]\n").arg(list);
    open(whole);
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->loaded().experiment.solver.milestones.size(), std::size_t{10000});
    QLineEdit* shown = line("solver.milestones");
    QVERIFY(shown->text().startsWith(QStringLiteral("[1, 2, 3, ")) && shown->text().size() < 3000);
    QVERIFY(shown->isReadOnly() && !shown->toolTip().isEmpty());
    shown->setFocus();
    QTest::keyClicks(shown, QStringLiteral("7"));
    QTest::keyClick(shown, Qt::Key_Up);
    for (auto* button : row("solver.milestones")->editor()->findChildren<QToolButton*>())
      QTest::mouseClick(button, Qt::LeftButton);
    shown->clearFocus();
    editor_->finishTyping();
    QCOMPARE(editor_->text(), whole);
    open(QStringLiteral("solver: {milestones: [5, 6]}\n"));
    QTRY_COMPARE(shown->text(), QStringLiteral("[5, 6]"));
    QVERIFY(!shown->isReadOnly());
  }

  void theFormShowsGivenInheritedAndDefaultValues() {
    open(document());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
    QVERIFY(row("solver.base_lr")->state().value.isGiven);
    QCOMPARE(row("solver.schedule")->findChild<QComboBox*>()->currentText(),
             QStringLiteral("cosine"));
    QCOMPARE(line("model.rpn.fg_iou")->text(), QStringLiteral("0.6"));
    // inherited
    QVERIFY(!row("solver.momentum")->state().value.isGiven);
    QCOMPARE(line("solver.momentum")->text(), QString());
    QCOMPARE(line("solver.momentum")->placeholderText(), QStringLiteral("0.8"));
    QCOMPARE(row("solver.momentum")->state().origin, QStringLiteral("base.yaml:2"));
    QCOMPARE(line("runtime.seed")->placeholderText(), QStringLiteral("7"));
    // default
    QCOMPARE(line("solver.batch_size")->placeholderText(), QStringLiteral("16"));
    QCOMPARE(row("solver.batch_size")->state().origin, QString());
    QVERIFY(!editor_->isModified());
  }

  void anUnimplementedKeyIsDisabledWithAReason() {
    open(QStringLiteral("dataset: {tiles: {size: 512}}\n"));
    const FieldRow* size = row("dataset.tiles.size");
    QVERIFY(!line("dataset.tiles.size")->isEnabled());
    QVERIFY(size->editor()->toolTip().contains(QStringLiteral("Not built yet")));
    QVERIFY(size->state().error.startsWith(QStringLiteral("512 is not built yet")));
    // A line in the file can still be removed.
    size->findChild<QAbstractButton*>()->click();
    QVERIFY(!editor_->text().contains(QStringLiteral("512")));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(size->state().error, QString());
    QVERIFY(row("model.masks")->findChild<SwitchButton*>()->isEnabled());
    QVERIFY(line("evaluation.max_images")->isEnabled());
  }

  void aFormEditChangesOneValueAndKeepsComments() {
    open(document());
    QSignalSpy edited(editor_.get(), &ConfigEditor::textEdited);
    enter("solver.base_lr", QStringLiteral("0.005"));
    QCOMPARE(editor_->text(), document().replace(QStringLiteral("base_lr: 0.02 "),
                                                 QStringLiteral("base_lr: 0.005 ")));
    QVERIFY(edited.size() >= 1);
    QVERIFY(editor_->isModified());
    enter("model.rpn.fg_iou", QStringLiteral("0.65"));
    QVERIFY(editor_->text().contains(
        QStringLiteral("model: {backbone: resnet18, rpn: {fg_iou: 0.65}}\n")));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->loaded().experiment.solver.baseLr, 0.005);
  }

  void aChoiceAndASwitchWriteTheirWords() {
    open(document());
    auto* schedule = row("solver.schedule")->findChild<QComboBox*>();
    schedule->setCurrentText(QStringLiteral("linear"));
    Q_EMIT schedule->activated(schedule->currentIndex());
    QVERIFY(editor_->text().contains(QStringLiteral("  schedule: linear\n")));
    row("solver.nesterov")->findChild<SwitchButton*>()->click();
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(editor_->loaded().experiment.solver.nesterov);
    QVERIFY(editor_->text().contains(QStringLiteral("# schedule of the small preset\n")));
  }

  void listsDurationsAndTextsAreWrittenAsYaml() {
    open(document());
    enter("augment.min_size", QStringLiteral("200, 300"));
    enter("solver.max_steps", QStringLiteral("12 epochs"));
    enter("name", QStringLiteral("a: b # c"));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->loaded().experiment.augment.minSize, (std::vector<int>{200, 300}));
    QCOMPARE(editor_->loaded().experiment.solver.maxSteps,
             (lockstep::config::Duration{12, lockstep::config::Duration::Unit::Epochs}));
    QCOMPARE(editor_->loaded().experiment.name, std::string("a: b # c"));
    QVERIFY(editor_->text().contains(QStringLiteral("# the name")));
  }

  void resetRemovesTheLineSoThatTheBaseValueIsUsed() {
    open(document());
    Q_EMIT row("solver.base_lr")->resetRequested();
    QVERIFY(!editor_->text().contains(QStringLiteral("base_lr")));
    QVERIFY(editor_->text().contains(
        QStringLiteral("# schedule of the small preset\n  schedule: cosine\n")));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->loaded().experiment.solver.baseLr, 0.5);
    QCOMPARE(line("solver.base_lr")->text(), QString());
    QCOMPARE(line("solver.base_lr")->placeholderText(), QStringLiteral("0.5"));
    QCOMPARE(row("solver.base_lr")->state().origin, QStringLiteral("base.yaml:3"));
  }

  void anEmptiedFieldIsReset() {
    open(document());
    line("solver.base_lr")->setFocus();
    line("solver.base_lr")->selectAll();
    QTest::keyClick(line("solver.base_lr"), Qt::Key_Delete);
    QTest::keyClick(line("solver.base_lr"), Qt::Key_Return);
    QVERIFY(!editor_->text().contains(QStringLiteral("base_lr")));
  }

  void aTextEditRefreshesTheForm() {
    open(document());
    yaml()->changeTo(yaml()->utf8() + "checkpoint: {keep: 9}\n");
    QVERIFY(!editor_->isReady());
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(line("checkpoint.keep")->text(), QStringLiteral("9"));
  }

  void undoIsSharedByFormAndText() {
    open(document());
    enter("solver.base_lr", QStringLiteral("0.005"));
    QTRY_VERIFY(editor_->isReady());
    yaml()->changeTo(yaml()->utf8() + "checkpoint: {keep: 9}\n");
    editor_->undo();
    editor_->undo();
    QCOMPARE(editor_->text(), document());
    QVERIFY(!editor_->isModified());
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
    editor_->redo();
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.005"));
  }

  void issuesAreShownAtTheirLinesAndRows() {
    QSignalSpy issues(editor_.get(), &ConfigEditor::issuesChanged);
    open(document().replace(QStringLiteral("0.02 "), QStringLiteral("-0.1 ")));
    QVERIFY(editor_->errorCount() > 0);
    QCOMPARE(issues.last()[0].toInt(), editor_->errorCount());
    QVERIFY(!yaml()->annotation(5).isEmpty());
    QVERIFY(!row("solver.base_lr")->state().error.isEmpty());
    QVERIFY(row("solver.base_lr")->editor()->focusProxy()->property("invalid").toBool());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("-0.1"));
    enter("solver.base_lr", QStringLiteral("0.1"));
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(row("solver.base_lr")->state().error.isEmpty());
    QVERIFY(yaml()->annotation(5).isEmpty());
  }

  void anIssueOfTheListIsGoneToAndFixed() {
    open(document().replace(QStringLiteral("  schedule:"), QStringLiteral("  shedule:")));
    auto* list = editor_->findChild<IssueList*>();
    QVERIFY(list->isVisible());
    int issue = -1;
    for (int i = 0; i < list->topLevelItemCount(); ++i) {
      if (list->topLevelItem(i)->text(1).contains(QStringLiteral("solver.shedule"))) issue = i;
    }
    QVERIFY(issue >= 0);
    Q_EMIT list->issueChosen(issue);
    QCOMPARE(yaml()->selectedText(), QStringLiteral("shedule"));
    Q_EMIT list->fixRequested(issue);
    QCOMPARE(editor_->text(), document());
  }

  void replacingKeepsTheFocusInTheListAsLongAsItHasRows() {
    open(document()
             .replace(QStringLiteral("  schedule:"), QStringLiteral("  shedule:"))
             .replace(QStringLiteral("  base_lr:"), QStringLiteral("  base_rl:")));
    auto* list = editor_->findChild<IssueList*>();
    const auto replace = [&] {
      QTRY_VERIFY(editor_->isReady());
      auto* button = list->findChild<QPushButton*>();
      button->setFocus();
      QTest::keyClick(button, Qt::Key_Space);
      QTRY_VERIFY(editor_->isReady());
    };
    const int before = list->topLevelItemCount();
    replace();
    QCOMPARE(list->topLevelItemCount(), before - 1);
    QVERIFY(list->hasFocus());
    QVERIFY(list->currentItem());
    replace();
    QCOMPARE(editor_->text(), document());
    QVERIFY(list->hasFocus() || yaml()->hasFocus());
  }

  void invalidYamlKeepsTheLastValuesDisabledWithAReason() {
    open(document());
    yaml()->changeTo(document().toStdString() + "checkpoint: {keep: 9\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(editor_->errorCount() > 0);
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
    QCOMPARE(line("solver.momentum")->placeholderText(), QStringLiteral("0.8"));
    QCOMPARE(editor_->loaded().experiment.solver.baseLr, 0.02);
    QVERIFY(!line("solver.base_lr")->isEnabled());
    QVERIFY(hasLabelWith("The text is not valid YAML"));

    yaml()->changeTo(document().toStdString() + "checkpoint: {keep: 9}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(line("solver.base_lr")->isEnabled());
    QCOMPARE(line("checkpoint.keep")->text(), QStringLiteral("9"));
    QVERIFY(!hasLabelWith("The text is not valid YAML"));
  }

  void aTextThatWasNeverYamlShowsNoValues() {
    open(document());
    editor_->clear();
    open(QStringLiteral("solver: [1, 2\n"));
    QCOMPARE(line("solver.base_lr")->text(), QString());
    QVERIFY(!line("solver.base_lr")->isEnabled());
    QVERIFY(hasLabelWith("The text is not valid YAML"));
  }

  void aListIsNotCalledInvalidYaml() {
    open(QStringLiteral("- a\n- b\n"));
    QVERIFY(editor_->errorCount() > 0);
    QVERIFY(!line("solver.base_lr")->isEnabled());
    QVERIFY(hasLabelWith("This text is not an experiment: see line 1."));
    QVERIFY(!hasLabelWith("valid YAML"));
  }

  void theWholeHelpOfAKeyIsShown() {
    open(document());
    const std::string help = lockstep::config::findField("model.norm")->help;
    form()->explain("model.norm");
    const auto labels = form()->findChildren<QLabel*>();
    const auto shown = std::find_if(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->text() == QString::fromStdString(help);
    });
    QVERIFY(shown != labels.end() && (*shown)->isVisible());
    for (const int width : {1300, 740}) {
      editor_->resize(width, 800);
      QTRY_VERIFY((*shown)->width() < width);
      QTRY_VERIFY((*shown)->height() >= (*shown)->heightForWidth((*shown)->width()));
      QVERIFY((*shown)->heightForWidth((*shown)->width()) > 2 * (*shown)->fontMetrics().height());
    }
  }

  void aRejectedFormEditIsDismissedOnceTheTextChanges() {
    open(document());
    enter("augment.min_size", QStringLiteral("[200, 300"));
    QCOMPARE(editor_->text(), document());
    QVERIFY(hasLabelWith("The form cannot edit this text"));
    yaml()->changeTo(yaml()->utf8() + "checkpoint: {keep: 9}\n");
    QVERIFY(!hasLabelWith("The form cannot edit this text"));
  }

  void finishTypingCommitsWhatIsTypedInARow() {
    open(document());
    line("solver.base_lr")->setFocus();
    line("solver.base_lr")->selectAll();
    QTest::keyClicks(line("solver.base_lr"), QStringLiteral("0.004"));
    QCOMPARE(editor_->text(), document());
    editor_->finishTyping();
    QVERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.004 ")));
  }

  void reloadingTheFileIsOneUndoableChange() {
    open(document());
    enter("solver.base_lr", QStringLiteral("0.005"));
    const QString mine = editor_->text();
    editor_->changeText(QStringLiteral("name: other\n"));
    editor_->setSaved(editor_->filePath());
    QVERIFY(!editor_->isModified());
    QCOMPARE(editor_->text(), QStringLiteral("name: other\n"));
    editor_->undo();
    QCOMPARE(editor_->text(), mine);
    QVERIFY(editor_->isModified());
  }

  void carriageReturnsSurviveFormEdits() {
    const QString windows = document().replace(QStringLiteral("\n"), QStringLiteral("\r\n"));
    open(windows);
    enter("solver.base_lr", QStringLiteral("0.005"));
    QCOMPARE(editor_->text(), QString(windows).replace(QStringLiteral("base_lr: 0.02 "),
                                                       QStringLiteral("base_lr: 0.005 ")));
    enter("solver.momentum", QStringLiteral("0.7"));
    QCOMPARE(editor_->text().count(QStringLiteral("\r\n")),
             editor_->text().count(QLatin1Char('\n')));
  }

  void searchShowsOnlyMatchingKeys() {
    open(document());
    auto* search = form()->findChild<QLineEdit*>();
    search->setText(QStringLiteral("nms"));
    QVERIFY(!row("model.rpn.nms_threshold")->isHidden());
    QVERIFY(row("solver.base_lr")->isHidden());
    // The list of sections follows.
    QCOMPARE(form()->findChild<SectionList*>()->currentItem()->text(), sectionTitle("model.rpn"));
    editor_->goToKey(QStringLiteral("solver.base_lr"));  // clears the search
    QVERIFY(!row("solver.base_lr")->isHidden());
    QVERIFY(line("solver.base_lr")->hasFocus());
  }

  void theTextFollowsTheFormAndTheFormTheText() {
    open(document());
    editor_->goToKey(QStringLiteral("solver.base_lr"));
    int at = 0, index = 0;
    yaml()->getCursorPosition(&at, &index);
    QCOMPARE(at, 5);
    yaml()->setFocus();
    yaml()->setCursorPosition(8, 12);  // model.backbone
    const auto isDescribed = [this] {
      const auto labels = form()->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text() == QStringLiteral("model.backbone");
      });
    };
    QTRY_VERIFY(isDescribed());
    QVERIFY(!row("model.backbone")->visibleRegion().isEmpty());
  }

  void undoKeysInALineAreTheDocuments() {
    open(document());
    enter("solver.base_lr", QStringLiteral("0.005"));
    QTRY_VERIFY(editor_->isReady());
    line("solver.base_lr")->setFocus();
    QTest::keyClick(line("solver.base_lr"), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(editor_->text(), document());
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
  }

  void savingClearsTheMark() {
    open(document());
    enter("solver.base_lr", QStringLiteral("0.005"));
    QSignalSpy modified(editor_.get(), &ConfigEditor::modifiedChanged);
    editor_->setSaved(editor_->filePath());
    QVERIFY(!editor_->isModified());
    QCOMPARE(modified.last()[0].toBool(), false);
  }

  void everyRowTakesItsDefault() {
    open(QString());
    for (const lockstep::config::Field& field : lockstep::config::fields()) {
      QVERIFY2(form()->row(field.key) != nullptr, field.key.c_str());
      QCOMPARE(form()->row(field.key)->state().value.text,
               QString::fromStdString(field.defaultText()));
    }
    editor_->clear();
    QVERIFY(!editor_->hasDocument());
  }

  void anEditorCanBeDestroyedDuringACheck() {
    editor_->setDocument(document(), folder_->filePath(QStringLiteral("experiment.yaml")));
    editor_.reset();
    QCoreApplication::processEvents();
  }
};

LOCKSTEP_TEST(TstConfigEditor)
#include "tst_config_editor.moc"
