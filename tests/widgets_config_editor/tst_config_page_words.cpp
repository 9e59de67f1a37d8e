#include <QApplication>
#include <QFontMetrics>
#include <QLabel>
#include <QScrollArea>
#include <QStyle>
#include <QTreeWidget>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/config_editor/facts_panel.h"
#include "widgets/config_editor/issue_list.h"
#include "widgets/config_editor/learning_rate_curve.h"
#include "widgets/theme.h"

using namespace lockstep::widgets;

/// The facts and messages of the page, and that all of them are readable.
class TstConfigPageWords : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { openWindow(); }

  void factsAreNeverThoseOfAnotherDocument() {
    auto* facts = editor_->findChild<FactsPanel*>();
    open(document());
    editor_->setImageCounts(60, 12);
    QVERIFY(hasLabelWith("epochs (60 training images)"));
    QVERIFY(!facts->curve()->points().empty());
    // Invalid from the start: there are no facts.
    open(QStringLiteral("solver: {max_steps: -1}\n"));
    QVERIFY(!hasLabelWith("epochs (60 training images)"));
    QVERIFY(facts->curve()->points().empty());
    QVERIFY(hasLabelWith("Available once the errors are fixed"));
    editor_->setImageCounts(60, 12);
    editor_->setComparison(QStringLiteral("other"), {});
    QVERIFY(facts->curve()->points().empty());
    editor_->setComparison({}, {});
    // Valid, with images that are not counted yet.
    const QString data =
        QStringLiteral("dataset: {train: {images: ., annotations: base.yaml}}\nsolver: ");
    open(data + QStringLiteral("{max_steps: 70}\n"));
    QVERIFY(hasLabelWith("70 steps"));
    QVERIFY(!hasLabelWith("60 training images"));
    // Invalid later: the facts of the last valid text, marked as such.
    yaml()->changeTo(data.toStdString() + "{max_steps: -70}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(hasLabelWith("70 steps") && hasLabelWith("Values before the error"));
  }

  void factsOfATextThatAlwaysHadErrorsAreNotKept() {
    auto* facts = editor_->findChild<FactsPanel*>();
    open(QStringLiteral("solver: {max_steps: 70}\n"));  // without data
    QTRY_VERIFY(hasLabelWith("70 steps"));
    yaml()->changeTo("solver: {max_steps: -70}\n");
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(!hasLabelWith("70 steps") && !hasLabelWith("Values before the error"));
    QVERIFY(hasLabelWith("Available once the errors are fixed"));
    QVERIFY(facts->curve()->points().empty());
    editor_->setImageCounts(60, 12);
    QVERIFY(!hasLabelWith("70 steps"));
    yaml()->changeTo("solver: {max_steps: 71}\n");
    QTRY_VERIFY(hasLabelWith("71 steps"));
    QVERIFY(!hasLabelWith("Available once"));
  }

  void anEmptyExperimentSaysThatDataAreMissing() {
    open(QString());
    QCOMPARE(editor_->errorCount(), 2);
    QVERIFY(editor_->firstError().startsWith(QStringLiteral("dataset.train.images: is not given")));
    for (const char* key : {"dataset.train.images", "dataset.train.annotations"})
      QVERIFY(!row(key)->state().error.isEmpty());
    QVERIFY(hasLabelWith("Learning rate"));  // facts that do not depend on data are shown
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

  void anUnsavedTextStaysUnsavedWhenEdited() {
    open(document());
    editor_->setUnsaved(true);
    QVERIFY(hasLabelWith("not saved yet") && !hasLabelWith("edited"));
    yaml()->changeTo(document().toStdString() + "# more\n");
    QVERIFY(hasLabelWith("not saved yet · edited"));
    editor_->setSaved(editor_->filePath());
    editor_->setUnsaved(false);
    QVERIFY(!hasLabelWith("not saved yet") && !hasLabelWith("edited"));
    yaml()->changeTo(document().toStdString());
    QVERIFY(hasLabelWith("edited") && !hasLabelWith("not saved"));
  }

  void everyIssueOfTheListIsReadable() {
    editor_->resize(900, 700);
    open(QStringLiteral("max_steps: 80\n"));
    const auto* list = editor_->findChild<IssueList*>();
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
    // The first is visible as a whole; the others can be scrolled to.
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

  void aFileNameDoesNotTurnTheTextOfItsFact() {
    FactsPanel panel;
    const QString name = QStringLiteral("a%1b.png").arg(QChar(0x202e));
    panel.setExperiment({}, {}, {{QStringLiteral("most crowded"), name}});
    QString shown;
    for (const auto* label : panel.findChildren<QLabel*>()) shown += label->text();
    QVERIFY(shown.contains(QStringLiteral("b.png")));
    QVERIFY(!shown.contains(QChar(0x202e)));
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
    const auto cut = [this] {
      QStringList texts;
      for (const auto* label : editor_->findChild<FactsPanel*>()->findChildren<QLabel*>()) {
        if (!label->isVisible()) continue;
        const int needed = label->hasHeightForWidth() ? label->heightForWidth(label->width())
                                                      : label->sizeHint().height();
        if (label->height() < needed ||
            (!label->wordWrap() && label->width() < label->sizeHint().width()))
          texts << label->text();
      }
      return texts;
    };
    QTRY_COMPARE(cut(), QStringList());
  }
};

LOCKSTEP_TEST(TstConfigPageWords)
#include "tst_config_page_words.moc"
