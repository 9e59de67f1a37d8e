// The inspector: facts of the run, the card and the instance that are selected, to be copied.
#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>

#include "app/docks/dock.h"
#include "app/docks/fact_panel.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/open/run_record.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/config/load.h"
#include "engine/run_folder/source_files.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::MainWindow;
using app::Page;

namespace {

const QByteArray kInspectedData =
    R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": [
  {"id": 1, "image_id": 3, "category_id": 1, "bbox": [1, 2, 4, 3], "area": 12, "iscrowd": 0,
   "segmentation": [[1, 2, 5, 2, 5, 5, 1, 5]]}]})";

/// The tree's rows as they are read.
struct ReadFacts {
  const QTreeWidget* tree;

  explicit ReadFacts(const MainWindow& window)
      : tree(window.findChild<QTreeWidget*>(QStringLiteral("inspector"))) {}
  QTreeWidgetItem* row(const QString& thing, const QString& name = {}) const {
    for (int i = 0; i < tree->topLevelItemCount(); ++i) {
      QTreeWidgetItem* item = tree->topLevelItem(i);
      if (item->text(0) != thing) continue;
      if (name.isEmpty()) return item;
      for (int k = 0; k < item->childCount(); ++k)
        if (item->child(k)->text(0) == name) return item->child(k);
    }
    return nullptr;
  }
  QString of(const QString& thing, const QString& name = {}) const {
    const QTreeWidgetItem* item = row(thing, name);
    return item ? item->text(1) : QString();
  }
};

}  // namespace

class TstInspector : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void withoutARunItSaysWhatToSelect() {
    // A new window, because a card of the shared one may have had the focus.
    const auto window = tests::openWindow(window_.theme(), tests::optionsFor({parent_->path()}));
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTest::keyClick(window.get(), Qt::Key_I, Qt::ControlModifier);
    const ReadFacts facts(*window);
    QTRY_VERIFY(facts.of(QStringLiteral("Run")).contains(QStringLiteral("list of runs")));
    QVERIFY(facts.of(QStringLiteral("Card")).contains(QStringLiteral("Tab")));
    window->showPage(Page::Predictions);
    QTRY_VERIFY(facts.of(QStringLiteral("Instance")).contains(QStringLiteral("Click one")));
    QVERIFY(!facts.row(QStringLiteral("Card")));
  }

  void theRunsFactsAreThoseOfItsFolder() {
    tests::MadeRun made;
    made.name = "first";
    made.keptCheckpoints = {20, 40};
    const QString run = tests::makeRun(parent_->path(), made);
    write(run, "config.yaml", "name: first\nruntime: {seed: 7, device: cpu}\n");
    MainWindow& window = open({run});
    const ReadFacts facts(window);
    const auto fact = [&](const char* name) {
      return facts.of(QStringLiteral("Run"), QLatin1String(name));
    };
    QTRY_COMPARE(facts.of(QStringLiteral("Run")), QStringLiteral("first"));
    QTRY_COMPARE(fact("Checkpoints"), QStringLiteral("20, 40"));
    QCOMPARE(fact("State"), QStringLiteral("finished"));
    QCOMPARE(fact("Folder"), run);
    QTRY_COMPARE(fact("Seed"), QStringLiteral("7"));
    QVERIFY(fact("Lowest validation loss").contains(QStringLiteral("at step")));
    QVERIFY(!fact("Last mask AP").isEmpty() && !fact("Best checkpoint").isEmpty());
  }

  void whatStartedARunIsReadFromItsSource() {
    tests::MadeRun made;
    made.keptCheckpoints = {40};
    const QString run = tests::makeRun(parent_->path(), made);
    run_folder::SourceFiles source;
    source.folder = "/experiments";
    source.files = {"a.yaml"};
    source.texts = {"name: a\n"};
    source.overrides = {"solver.base_lr=0.5"};
    const run_folder::Layout layout(run.toStdString());
    run_folder::writeSource(layout, source);
    const app::RunRecord record = app::readRunRecord(layout.folder());
    QCOMPARE(record.experiment, QStringLiteral("/experiments/a.yaml"));
    QCOMPARE(record.overrides, QStringList{QStringLiteral("solver.base_lr=0.5")});
    write(run, "checkpoints/step-00000040/state.json", "{");
    QVERIFY(app::readRunRecord(layout.folder()).fault.contains(QStringLiteral("state.json")));
  }

  void theCardWithTheFocusIsShownWithItsCurves() {
    tests::MadeRun made;
    MainWindow& window = open({tests::makeRun(parent_->path(), made)});
    QTRY_VERIFY(window.isReady() && !window.monitorPage()->cards().empty());
    widgets::CurveCard* card = window.monitorPage()->cards().front();
    QTest::mouseClick(card->plot(), Qt::LeftButton, {}, card->plot()->rect().center());
    const ReadFacts facts(window);
    QTRY_COMPARE(facts.of(QStringLiteral("Card")), card->title());
    const auto* train = facts.row(QStringLiteral("Card"), QStringLiteral("train/loss_total"));
    QVERIFY(train);
    QVERIFY(train->text(1).endsWith(QStringLiteral("at step 40")));
    QStringList parts;
    for (int i = 0; i < train->childCount(); ++i)
      parts << train->child(i)->text(0) + u'=' + train->child(i)->text(1);
    QVERIFY2(parts.contains(QStringLiteral("Points=40")) &&
                 parts.contains(QStringLiteral("Steps=1 to 40")),
             qPrintable(parts.join(u' ')));
    // It stays the chosen one while its facts are read with the keyboard.
    window.findChild<QTreeWidget*>(QStringLiteral("inspector"))->setFocus();
    QCOMPARE(facts.of(QStringLiteral("Card")), card->title());
  }

  void theChosenInstanceIsShownWithItsVerdict() {
    MainWindow& window = open({runWithImages()});
    window.showPage(Page::Predictions);
    widgets::PredictionsView* view = window.predictionsPage()->view();
    QTRY_VERIFY(view->currentCheckpoint() > 0 && view->isReady());
    view->setFocus();
    QTest::keyClick(view, Qt::Key_Down);
    const ReadFacts facts(window);
    QTRY_VERIFY(!facts.of(QStringLiteral("Instance"), QStringLiteral("Verdict")).isEmpty());
    const auto fact = [&](const char* name) {
      return facts.of(QStringLiteral("Instance"), QLatin1String(name));
    };
    QCOMPARE(facts.of(QStringLiteral("Instance")), QStringLiteral("thing"));
    QCOMPARE(fact("IoU with its object"), QStringLiteral("0.750"));
    QCOMPARE(fact("Size"), QStringLiteral("small (S)"));
    QCOMPARE(fact("Image"), QStringLiteral("a.png"));
    QVERIFY(fact("Area").endsWith(QStringLiteral(" px²")));
    QCOMPARE(fact("Box x, y, w, h").count(u','), 3);
  }

  void valuesAreCopiedWithKeysAndAllFactsByThePalettesAction() {
    const QString run = tests::makeRun(parent_->path(), tests::MadeRun());
    MainWindow& window = open({run});
    const ReadFacts facts(window);
    QTRY_COMPARE(facts.of(QStringLiteral("Run"), QStringLiteral("Folder")), run);
    auto* tree = window.findChild<QTreeWidget*>(QStringLiteral("inspector"));
    tree->setFocus();
    tree->setCurrentItem(facts.row(QStringLiteral("Run"), QStringLiteral("Folder")));
    QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), run);
    window.findChild<QAction*>(QStringLiteral("inspector.copy_all"))->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("Folder\t") + run));
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("State\tfinished")));
  }

  void valuesAreSeenInANarrowPanel() {
    app::FactPanel panel{QStringLiteral("facts")};
    const QString hint = QStringLiteral("Click the curves of one, or go to it with the keyboard");
    panel.setThings({{QStringLiteral("Run"),
                      QStringLiteral("a"),
                      {{QStringLiteral("A name that is as long as a tag"), QStringLiteral("1")}}},
                     {QStringLiteral("Card"), hint}});
    panel.resize(panel.minimumSizeHint().width(), 300);
    panel.show();
    const QTreeWidget* tree = panel.tree();
    QTRY_VERIFY(tree->columnWidth(0) <= tree->viewport()->width() * 2 / 3);
    QVERIFY(tree->columnWidth(1) >= tree->viewport()->width() / 3);
    const auto heightOf = [tree](int thing) {
      return tree->visualItemRect(tree->topLevelItem(thing)).height();
    };
    QTRY_VERIFY(heightOf(1) > 2 * heightOf(0));
  }

  void usualNamesAreWholeAndLongValuesWrap() {
    app::FactPanel panel{QStringLiteral("facts")};
    const QString name = QStringLiteral("Lowest validation loss");
    const QString path = QStringLiteral("/data/experiments/of the summer/droplets-r50-cosine-0001");
    panel.setThings({{QStringLiteral("Run"),
                      QStringLiteral("a"),
                      {{name, QStringLiteral("0.5")}, {QStringLiteral("Folder"), path}}}});
    panel.resize(panel.sizeHint());
    panel.show();
    const QTreeWidget* tree = panel.tree();
    const QTreeWidgetItem* run = tree->topLevelItem(0);
    const auto placeOf = [&](int fact) { return tree->visualItemRect(run->child(fact)); };
    QTRY_VERIFY(tree->columnWidth(0) - placeOf(0).left() >
                tree->fontMetrics().horizontalAdvance(name));
    QTRY_VERIFY(placeOf(1).height() > 3 * placeOf(0).height() / 2);
    QCOMPARE(run->child(1)->toolTip(1), path);
  }

  void whatIsClosedAndSelectedStaysSoWhileFactsChange() {
    app::FactPanel panel{QStringLiteral("facts")};
    panel.setThings({{QStringLiteral("Run"),
                      QStringLiteral("a"),
                      {{QStringLiteral("Step"), QStringLiteral("1")}}}});
    QTreeWidget* tree = panel.tree();
    tree->setCurrentItem(tree->topLevelItem(0)->child(0));
    panel.setThings({{QStringLiteral("Run"),
                      QStringLiteral("a"),
                      {{QStringLiteral("Step"), QStringLiteral("2")}}}});
    QVERIFY(tree->currentItem() && tree->currentItem()->text(1) == QStringLiteral("2"));
    tree->topLevelItem(0)->setExpanded(false);
    panel.setThings({{QStringLiteral("Run"),
                      QStringLiteral("b"),
                      {{QStringLiteral("Host"), QStringLiteral("h")}}}});
    QVERIFY(!tree->topLevelItem(0)->isExpanded());
  }

 private:
  MainWindow& open(const QStringList& paths) {
    MainWindow& window = window_.show(paths);
    QTest::keyClick(&window, Qt::Key_I, Qt::ControlModifier);
    return window;
  }
  static void write(const QString& folder, const char* name, const QByteArray& text) {
    QFile file(folder + u'/' + QLatin1String(name));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
  }
  QString runWithImages() {
    QFile file(parent_->filePath(QStringLiteral("val.json")));
    if (file.open(QIODevice::WriteOnly)) file.write(kInspectedData);
    file.close();
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    picture.save(parent_->filePath(QStringLiteral("a.png")));
    tests::MadeRun run;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = file.fileName().toStdString();
    run.watchedImages = {3};
    return tests::makeRun(parent_->path(), run);
  }

  tests::SharedWindow window_;
  std::unique_ptr<QTemporaryDir> parent_;
};

LOCKSTEP_TEST(TstInspector)
#include "tst_inspector.moc"
