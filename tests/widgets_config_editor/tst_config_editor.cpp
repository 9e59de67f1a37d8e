#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStyle>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>
#include <memory>

#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/fault_list.h"
#include "widgets/config_editor/field_row.h"
#include "widgets/config_editor/learning_rate_curve.h"
#include "widgets/config_editor/switch_button.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

namespace {

const char* const kDocument =
    "# An experiment with remarks.\n"
    "name: droplets   # the name\n"
    "base: base.yaml\n"
    "\n"
    "solver:\n"
    "  base_lr: 0.02     # of the paper\n"
    "  # schedule of the small preset\n"
    "  schedule: cosine\n"
    "model: {backbone: resnet18, rpn: {fg_iou: 0.6}}\n";

}  // namespace

class TstConfigEditor : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<ConfigEditor> editor_;

  YamlText* yaml() { return editor_->findChild<YamlText*>(); }
  ConfigForm* form() { return editor_->findChild<ConfigForm*>(); }
  FieldRow* row(const char* key) { return form()->row(key); }
  QLineEdit* line(const char* key) { return row(key)->findChild<QLineEdit*>(); }
  void open(const QString& text) {
    editor_->setDocument(text, folder_->filePath(QStringLiteral("experiment.yaml")));
    QTRY_VERIFY(editor_->isReady());
  }
  /// Whether a label on the page has these words.
  bool isTold(const char* words) {
    const auto labels = editor_->findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
      return label->isVisible() && QString(label->text())
                                       .replace(QChar(0x202f), QLatin1Char(' '))
                                       .contains(QString::fromUtf8(words));
    });
  }
  QString document() { return QString::fromUtf8(kDocument); }
  /// Types into a row and leaves it.
  void enter(const char* key, const QString& text) {
    line(key)->setFocus();
    line(key)->selectAll();
    QTest::keyClicks(line(key), text);
    QTest::keyClick(line(key), Qt::Key_Return);
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    QFile base(folder_->filePath(QStringLiteral("base.yaml")));
    QVERIFY(base.open(QIODevice::WriteOnly));
    base.write("solver:\n  momentum: 0.8\n  base_lr: 0.5\nruntime: {seed: 7}\n");
    base.close();
    editor_ = std::make_unique<ConfigEditor>();
    editor_->resize(1300, 800);
    editor_->show();
    editor_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(editor_.get()));
  }

  void theEmptyStateOffersToOpen() {
    QVERIFY(!editor_->hasDocument());
    QVERIFY(editor_->isReady());
    QSignalSpy wanted(editor_.get(), &ConfigEditor::openRequested);
    for (QAbstractButton* button : editor_->findChildren<QAbstractButton*>()) {
      if (button->text() == QStringLiteral("Open an experiment")) button->click();
    }
    QCOMPARE(wanted.size(), 1);
  }

  void aNarrowPageCutsNoRowAndNoFact() {
    open(document());
    editor_->resize(732, 420);
    QVERIFY2(editor_->minimumSizeHint().width() <= 732,
             qPrintable(QString::number(editor_->minimumSizeHint().width())));
    const auto* scroll = form()->findChild<QScrollArea*>();
    QTRY_VERIFY(scroll->widget()->width() <= scroll->viewport()->width());
    const auto rows = form()->findChildren<FieldRow*>();
    QTRY_VERIFY(std::all_of(rows.begin(), rows.end(), [](const FieldRow* each) {
      return !each->editor()->isEnabled() || each->editor()->width() >= 90;
    }));
    for (const QLabel* label : editor_->findChild<FactsPanel*>()->findChildren<QLabel*>()) {
      if (!label->isVisible()) continue;
      const int needed = label->hasHeightForWidth() ? label->heightForWidth(label->width())
                                                    : label->sizeHint().height();
      QVERIFY2(label->height() >= needed, qPrintable(label->text()));
      QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(),
               qPrintable(label->text()));
    }
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

  void aKeyThatIsNotBuiltCannotBeEditedAndSaysSo() {
    open(QStringLiteral("evaluation: {max_dets: [1, 10, 600]}\n"));
    const FieldRow* limits = row("evaluation.max_dets");
    QVERIFY(!line("evaluation.max_dets")->isEnabled());
    QVERIFY(limits->editor()->toolTip().contains(QStringLiteral("Not built yet")));
    QVERIFY(limits->state().fault.startsWith(QStringLiteral("[1, 10, 600] is not built yet")));
    // What stands in the file can still be taken out.
    limits->findChild<QAbstractButton*>()->click();
    QVERIFY(!editor_->text().contains(QStringLiteral("max_dets")));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(limits->state().fault, QString());
    QVERIFY(!row("model.masks")->findChild<SwitchButton*>()->isEnabled());
    QVERIFY(line("evaluation.max_images")->isEnabled());
  }

  void aWordThatIsNotBuiltCannotBeChosen() {
    open(document());
    const QComboBox* precision = row("runtime.precision")->findChild<QComboBox*>();
    QVERIFY(precision->isEnabled());
    const auto isEnabled = [&](const char* word) {
      const int index = precision->findText(QString::fromLatin1(word));
      return (precision->model()->flags(precision->model()->index(index, 0)) & Qt::ItemIsEnabled) !=
             0;
    };
    QVERIFY(isEnabled("bf16"));
    QVERIFY(!isEnabled("auto"));
  }

  void aFormEditChangesThatValueOnlyAndKeepsRemarks() {
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

  void resetTakesTheLineOutSoThatTheBaseHolds() {
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

  void faultsStandAtTheirLinesAndRows() {
    QSignalSpy faults(editor_.get(), &ConfigEditor::faultsChanged);
    open(document().replace(QStringLiteral("0.02 "), QStringLiteral("-0.1 ")));
    QVERIFY(editor_->errorCount() > 0);
    QCOMPARE(faults.last()[0].toInt(), editor_->errorCount());
    QVERIFY(!yaml()->annotation(5).isEmpty());
    QVERIFY(!row("solver.base_lr")->state().fault.isEmpty());
    QVERIFY(line("solver.base_lr")->property("fault").toBool());
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("-0.1"));
    enter("solver.base_lr", QStringLiteral("0.1"));
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(row("solver.base_lr")->state().fault.isEmpty());
    QVERIFY(yaml()->annotation(5).isEmpty());
  }

  void aFaultOfTheListIsGoneToAndMended() {
    open(document().replace(QStringLiteral("  schedule:"), QStringLiteral("  shedule:")));
    auto* list = editor_->findChild<FaultList*>();
    QVERIFY(list->isVisible());
    int fault = -1;
    for (int i = 0; i < list->topLevelItemCount(); ++i) {
      if (list->topLevelItem(i)->text(1).contains(QStringLiteral("solver.shedule"))) fault = i;
    }
    QVERIFY(fault >= 0);
    Q_EMIT list->faultChosen(fault);
    QCOMPARE(yaml()->selectedText(), QStringLiteral("shedule"));
    Q_EMIT list->mendRequested(fault);
    QCOMPARE(editor_->text(), document());
  }

  void aTextThatIsNoYamlKeepsTheValuesBeforeGreyedWithAReason() {
    open(document());
    yaml()->changeTo(document().toStdString() + "checkpoint: {keep: 9\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(editor_->errorCount() > 0);
    QCOMPARE(line("solver.base_lr")->text(), QStringLiteral("0.02"));
    QCOMPARE(line("solver.momentum")->placeholderText(), QStringLiteral("0.8"));
    QCOMPARE(editor_->loaded().experiment.solver.baseLr, 0.02);
    QVERIFY(!line("solver.base_lr")->isEnabled());
    QVERIFY(isTold("The text is not YAML"));

    yaml()->changeTo(document().toStdString() + "checkpoint: {keep: 9}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(line("solver.base_lr")->isEnabled());
    QCOMPARE(line("checkpoint.keep")->text(), QStringLiteral("9"));
    QVERIFY(!isTold("The text is not YAML"));
  }

  void aTextThatWasNeverYamlShowsNoValues() {
    open(document());
    open(QStringLiteral("solver: [1, 2\n"));
    QCOMPARE(line("solver.base_lr")->text(), QString());
    QVERIFY(!line("solver.base_lr")->isEnabled());
    QVERIFY(isTold("The text is not YAML"));
  }

  void whatARowRefusesIsForgottenOnceTheTextChanges() {
    open(document());
    enter("augment.min_size", QStringLiteral("[200, 300"));
    QCOMPARE(editor_->text(), document());
    QVERIFY(isTold("cannot be edited by the form"));
    yaml()->changeTo(yaml()->utf8() + "checkpoint: {keep: 9}\n");
    QVERIFY(!isTold("cannot be edited by the form"));
  }

  void factsAreNeverThoseOfAnotherDocument() {
    auto* facts = editor_->findChild<FactsPanel*>();
    open(document());
    editor_->setImageCounts(60, 12);
    QVERIFY(isTold("epochs of 60 images"));
    QVERIFY(!facts->curve()->points().empty());
    // Wrong from the start: nothing is known of it.
    open(QStringLiteral("solver: {max_steps: -1}\n"));
    QVERIFY(!isTold("epochs of 60 images"));
    QVERIFY(facts->curve()->points().empty());
    QVERIFY(isTold("Not known until the errors are mended"));
    editor_->setImageCounts(60, 12);
    editor_->setComparison(QStringLiteral("other"), {});
    QVERIFY(facts->curve()->points().empty());
    // Sound, with images that are not counted yet.
    const QString data =
        QStringLiteral("dataset: {train: {images: ., annotations: base.yaml}}\nsolver: ");
    open(data + QStringLiteral("{max_steps: 70}\n"));
    QVERIFY(isTold("70 steps"));
    QVERIFY(!isTold("of 60 images"));
    // Wrong later: those of the text before, and said so.
    yaml()->changeTo(data.toStdString() + "{max_steps: -70}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(isTold("70 steps") && isTold("Of the last text without errors"));
  }

  void figuresOfATextThatAlwaysHadErrorsAreNotKept() {
    auto* facts = editor_->findChild<FactsPanel*>();
    open(QStringLiteral("solver: {max_steps: 70}\n"));  // without data
    QTRY_VERIFY(isTold("70 steps"));
    yaml()->changeTo("solver: {max_steps: -70}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(!isTold("70 steps") && !isTold("Of the last text"));
    QVERIFY(isTold("Not known until the errors are mended"));
    QVERIFY(facts->curve()->points().empty());
    editor_->setImageCounts(60, 12);
    QVERIFY(!isTold("70 steps"));
    yaml()->changeTo("solver: {max_steps: 71}\n");
    QTRY_VERIFY(isTold("71 steps"));
    QVERIFY(!isTold("Not known"));
  }

  void whatIsInNoFileStaysSoWhenItIsEdited() {
    open(document());
    editor_->setUnsaved(true);
    QVERIFY(isTold("in no file yet") && !isTold("edited"));
    yaml()->changeTo(document().toStdString() + "# more\n");
    QVERIFY(isTold("in no file yet · edited"));
    editor_->setSaved(editor_->filePath());
    editor_->setUnsaved(false);
    QVERIFY(!isTold("in no file yet") && !isTold("edited"));
    yaml()->changeTo(document().toStdString());
    QVERIFY(isTold("edited") && !isTold("in no file"));
  }

  void everyFaultOfTheListCanBeRead() {
    editor_->resize(900, 700);
    open(QStringLiteral("max_steps: 80\n"));
    const auto* list = editor_->findChild<FaultList*>();
    QVERIFY(list->isVisible() && list->topLevelItemCount() == 4);
    const auto cutRow = [list] {
      for (int row = 0; row < list->topLevelItemCount(); ++row) {
        const QTreeWidgetItem* item = list->topLevelItem(row);
        const int margin = list->style()->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, list);
        const int room = list->columnWidth(1) - 2 * (margin + 1);
        const QRect needed =
            QFontMetrics(item->font(1))
                .boundingRect(QRect(0, 0, room, 1000), Qt::TextWordWrap, item->text(1));
        if (needed.width() > room || needed.height() > list->visualItemRect(item).height())
          return item->text(1);
      }
      return QString();
    };
    QTRY_COMPARE(cutRow(), QString());
    // All of the first can be seen at once; the others are scrolled to.
    QVERIFY(list->viewport()->height() >= list->visualItemRect(list->topLevelItem(0)).height());
  }

  void keysOfTheTextStandOutInEveryTheme() {
    ThemeSwitch theme;
    theme.setMode(ThemeSwitch::Mode::Light);
    open(document());
    const auto weightOf = [this](const char* key) {
      const auto labels = row(key)->findChildren<QLabel*>();
      const auto name = std::find_if(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->buddy() == row(key)->editor();
      });
      return name == labels.end() ? -1 : (*name)->font().weight();
    };
    enter("solver.max_steps", QStringLiteral("80"));
    QTRY_VERIFY(editor_->isReady());
    for (const auto mode : {ThemeSwitch::Mode::Light, ThemeSwitch::Mode::Dark,
                            ThemeSwitch::Mode::Light, ThemeSwitch::Mode::System}) {
      theme.setMode(mode);
      for (const char* key : {"solver.base_lr", "solver.max_steps", "name"})
        QCOMPARE(weightOf(key), static_cast<int>(QFont::DemiBold));
      QCOMPARE(weightOf("solver.momentum"), static_cast<int>(QFont::Normal));
    }
    qApp->setStyleSheet({});
  }

  void anEmptyExperimentSaysThatDataAreMissing() {
    open(QString());
    QCOMPARE(editor_->errorCount(), 2);
    QVERIFY(editor_->firstError().startsWith(QStringLiteral("dataset.train.images: is not given")));
    for (const char* key : {"dataset.train.images", "dataset.train.annotations"})
      QVERIFY(!row(key)->state().fault.isEmpty());
    QVERIFY(isTold("Learning rate"));  // what does not depend on data is shown
    QVERIFY(!editor_->findChild<FactsPanel*>()->curve()->points().empty());

    enter("dataset.train.images", folder_->path());
    enter("dataset.train.annotations", folder_->filePath(QStringLiteral("base.yaml")));
    QTRY_VERIFY(editor_->isReady());
    QCOMPARE(editor_->errorCount(), 0);
  }

  void aBaseThatCannotBeReadIsNotAlsoMissingData() {
    open(QStringLiteral("base: nowhere.yaml\n"));
    QCOMPARE(editor_->errorCount(), 1);
  }

  void whatIsBeingTypedInARowIsTakenOverWhenAskedFor() {
    open(document());
    line("solver.base_lr")->setFocus();
    line("solver.base_lr")->selectAll();
    QTest::keyClicks(line("solver.base_lr"), QStringLiteral("0.004"));
    QCOMPARE(editor_->text(), document());
    editor_->finishTyping();
    QVERIFY(editor_->text().contains(QStringLiteral("base_lr: 0.004 ")));
  }

  void aTextTakenFromTheFileIsOneUndoableChange() {
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
    editor_->goToKey(QStringLiteral("solver.base_lr"));  // leaves the search
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
    const auto isTold = [this] {
      const auto labels = form()->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text() == QStringLiteral("model.backbone");
      });
    };
    QTRY_VERIFY(isTold());
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

  void anEditorThatGoesAwayWhileItChecksLeavesNothingBehind() {
    editor_->setDocument(document(), folder_->filePath(QStringLiteral("experiment.yaml")));
    editor_.reset();
    QCoreApplication::processEvents();
  }
};

LOCKSTEP_TEST(TstConfigEditor)
#include "tst_config_editor.moc"
