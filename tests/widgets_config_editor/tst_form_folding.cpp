#include <QRegularExpression>
#include <QToolButton>

#include "tests/support/test_main.h"
#include "tests/widgets_config_editor/config_editor_bench.h"
#include "widgets/config_editor/section_list.h"
#include "widgets/fold_button.h"
#include "widgets/named_action.h"

using namespace lockstep::widgets;

class TstFormFolding : public QObject, protected lockstep::tests::ConfigEditorBench {
  Q_OBJECT

 private:
  bool isShown(const char* key) { return !row(key)->isHidden(); }
  int top(const char* key) { return row(key)->mapTo(form(), QPoint()).y(); }
  /// The fold in the head of the section that this key is in.
  FoldButton* foldOf(const char* key) { return row(key)->parentWidget()->findChild<FoldButton*>(); }
  QAction* action(const char* id) {
    const auto actions = editor_->findChildren<QAction*>();
    const auto found = std::ranges::find_if(
        actions, [id](const QAction* each) { return each->objectName() == QLatin1String(id); });
    return found == actions.end() ? nullptr : *found;
  }

 private Q_SLOTS:
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("setTabOrder")));
    openWindow();
  }

  void theFormBeginsWithDataLengthLearningRateAndModel() {
    open(document());
    const std::vector<const char*> order{"name",
                                         "dataset.train.images",
                                         "dataset.val.annotations",
                                         "solver.max_steps",
                                         "solver.base_lr",
                                         "model.backbone",
                                         "augment.min_size",
                                         "evaluation.loss_every"};
    for (std::size_t i = 0; i < order.size(); ++i) {
      QVERIFY2(isShown(order[i]), order[i]);
      if (i > 0) QVERIFY2(top(order[i - 1]) < top(order[i]), order[i]);
    }
  }

  void tabGoesThroughTheRowsAsTheyStand() {
    open(document());
    form()->focusSearch();
    std::vector<int> tops;
    for (int i = 0; i < 40 && tops.size() < 8; ++i) {
      QTest::keyClick(editor_->focusWidget(), Qt::Key_Tab);
      for (QWidget* at = editor_->focusWidget(); at != nullptr; at = at->parentWidget())
        if (qobject_cast<FieldRow*>(at) != nullptr)
          tops.push_back(at->mapTo(row("name")->window(), QPoint()).y() -
                         row("name")->mapTo(row("name")->window(), QPoint()).y());
    }
    QCOMPARE(tops.size(), std::size_t{8});
    QVERIFY(std::ranges::is_sorted(tops) && tops.front() < tops.back());
  }

  void returnAndDownGoFromTheSearchToWhatItFound() {
    open(document());
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Down}) {
      form()->focusSearch();
      QTest::keyClicks(editor_->focusWidget(), QStringLiteral("solver.max_steps"));
      QTest::keyClick(editor_->focusWidget(), key);
      QVERIFY(row("solver.max_steps")->isAncestorOf(editor_->focusWidget()));
    }
  }

  /// The palette has the actions before there is a document.
  void nothingIsFoldedWithoutADocument() {
    for (const char* id : {"configure.all_keys", "configure.overrides_only"}) {
      QVERIFY(action(id));
      action(id)->trigger();
      action(id)->trigger();
    }
    open(document());
    QVERIFY(!isShown("solver.nesterov"));
  }

  void aSectionUnfoldsItsRareKeys() {
    open(document());
    QVERIFY(!isShown("solver.nesterov"));
    QVERIFY(!isShown("model.box_head.fc_dim"));
    FoldButton* fold = foldOf("solver.nesterov");
    QVERIFY(fold->isVisible());
    QTest::mouseClick(fold, Qt::LeftButton);
    QVERIFY(isShown("solver.nesterov"));
    QVERIFY(top("solver.nesterov") > top("solver.warmup_steps"));
    QVERIFY(!isShown("model.box_head.fc_dim"));
    QTest::keyClick(fold, Qt::Key_Space);
    QVERIFY(!isShown("solver.nesterov"));
  }

  void rareKeysThatAreSetOrWrongAreShownAndStay() {
    open(document() + QStringLiteral("checkpoint: {keep: 9}\nruntime: {seed: -1}\n"));
    QVERIFY(isShown("model.rpn.fg_iou"));
    QVERIFY(isShown("checkpoint.keep"));
    QVERIFY(isShown("runtime.seed"));
    QVERIFY(!isShown("model.rpn.bg_iou"));
    Q_EMIT row("checkpoint.keep")->resetRequested();
    QTRY_VERIFY(editor_->isReady());
    QVERIFY(isShown("checkpoint.keep"));
    open(document());
    QVERIFY(!isShown("checkpoint.keep"));
  }

  void aSearchFindsFoldedKeys() {
    open(document());
    auto* search = form()->findChild<QLineEdit*>();
    QTest::keyClicks(search, QStringLiteral("fc dim"));
    QVERIFY(isShown("model.box_head.fc_dim"));
    QVERIFY(!isShown("solver.base_lr"));
    QTest::keySequence(search, QKeySequence(QKeySequence::SelectAll));
    QTest::keyClick(search, Qt::Key_Delete);
    QVERIFY(!isShown("model.box_head.fc_dim"));
    QVERIFY(isShown("solver.base_lr"));
  }

  void everyKeyIsShownOnRequest() {
    open(document());
    QVERIFY(action("configure.all_keys") != nullptr);
    action("configure.all_keys")->trigger();
    for (const lockstep::config::Field& field : lockstep::config::fields())
      QVERIFY2(isShown(field.key.c_str()), field.key.c_str());
    action("configure.all_keys")->trigger();
    QVERIFY(!isShown("solver.nesterov"));
    action("configure.overrides_only")->trigger();
    QVERIFY(isShown("model.rpn.fg_iou"));
    QVERIFY(!isShown("solver.max_steps"));
  }

  void aKeyThatIsGoneToIsUnfolded() {
    open(document());
    editor_->goToKey(QStringLiteral("solver.nesterov"));
    QVERIFY(isShown("solver.nesterov"));
    QVERIFY(!row("solver.nesterov")->visibleRegion().isEmpty());
  }

  void aSectionOfRareKeysUnfoldsWhenItIsChosen() {
    open(document());
    QVERIFY(!isShown("solver.loss_weights.loss_mask"));
    auto* sections = form()->findChild<SectionList*>();
    const auto found = sections->findItems(QStringLiteral("Loss weights"), Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    QTest::mouseClick(sections->viewport(), Qt::LeftButton, {},
                      sections->visualItemRect(found.front()).center());
    QVERIFY(isShown("solver.loss_weights.loss_mask"));
  }
};

LOCKSTEP_TEST(TstFormFolding)
#include "tst_form_folding.moc"
