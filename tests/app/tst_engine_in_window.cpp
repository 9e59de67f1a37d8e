// The pages of the window with an engine that follows a script: what it says is shown, what the
// person does is said to it.
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>

#include "app/frame/top_bar.h"
#include "app/monitor/alert_banner.h"
#include "app/monitor/log_model.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions_page/predictions_page.h"
#include "app/runs/open/open_runs.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "app/runs/panel/state_pill.h"
#include "tests/app/live_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/elided_label.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/plot_overlay.h"
#include "widgets/plots/readings_tip.h"

using namespace lockstep;
using tests::line;
using tests::LiveRun;
using tests::scalars;
using tests::text;

namespace {

constexpr int kEnginePatienceMs = 20000;

}  // namespace

class TstEngineInWindow : public QObject {
  Q_OBJECT

 private:
  tests::SharedWindow shared_;
  app::MainWindow* window_ = nullptr;

  void open(const LiveRun& live) {
    window_ = &shared_.show({live.folder});
    QCOMPARE(window_->runsPanel()->currentRun(), live.folder);
    QVERIFY(!hasReadings());
  }
  template <typename Widget = QPushButton>
  Widget* find(const char* name) const {
    return window_->findChild<Widget*>(text(name));
  }
  static void click(QWidget* widget) {
    QVERIFY(widget && widget->isVisible() && widget->isEnabled());
    QTest::mouseClick(widget, Qt::LeftButton);
  }
  QString connection() const { return find<widgets::ElidedLabel>("connection")->text(); }
  QListView* list(const char* name) const {
    for (auto* each : window_->findChildren<QListView*>())
      if (each->accessibleName() == text(name)) return each;
    return nullptr;
  }
  QStringList rows(const char* name) const {
    const QAbstractItemModel* model = list(name)->model();
    QStringList rows;
    for (int row = 0; row < model->rowCount(); ++row)
      rows << model->index(row, 0).data(app::LogModel::TextRole).toString();
    return rows;
  }
  std::size_t points() const {
    const auto& cards = window_->monitorPage()->cards();
    if (cards.empty() || cards.front()->plot()->curves().empty()) return 0;
    const auto& source = cards.front()->plot()->curves().front().source;
    return source->isEmpty() ? 0 : static_cast<std::size_t>(source->xRange().second);
  }
  QString state() const {
    return window_->findChild<app::TopBar*>()->findChild<app::StatePill*>()->accessibleName();
  }
  bool hasReadings() const {
    for (const auto* tip : window_->findChildren<widgets::ReadingsTip*>())
      if (tip->isVisible()) return true;
    return false;
  }
  bool shows(const char* words) const {
    for (const auto* label : window_->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text(words))) return true;
    return false;
  }

 private Q_SLOTS:
  void buttonsOfTheTopBarReachTheEngine() {
    LiveRun live;
    const auto says = [&](int seq, protocol::RunState to) {
      return line(protocol::State{live.last + seq, 21, 1.8e9, to});
    };
    QVERIFY(live.engine.start({live.welcome(), scalars(live.last + 1, 21), "@await",
                               says(2, protocol::RunState::Paused), "@await",
                               says(3, protocol::RunState::Running), "@await",
                               says(4, protocol::RunState::Stopping)}));
    open(live);
    QVERIFY(live.engine.nextLine().contains("hello"));
    auto* pause = find("pauseButton");
    QTRY_VERIFY(pause->isEnabled());
    QTRY_VERIFY(shows("21 / 40"));
    QTRY_VERIFY(connection().startsWith(text("connected")));
    click(pause);
    QVERIFY(live.engine.nextLine().contains(R"("type":"pause")"));
    QTRY_VERIFY(pause->text().contains(text("Resume")));
    QTRY_COMPARE(state(), text("paused"));
    click(pause);
    QVERIFY(live.engine.nextLine().contains(R"("type":"resume")"));
    QTRY_VERIFY(pause->text().contains(text("Pause")));
    QTest::keyClick(window_, Qt::Key_Period, Qt::ControlModifier);
    QVERIFY(live.engine.nextLine().contains(R"("type":"stop")"));
    QTRY_COMPARE(state(), text("stopping"));
  }

  void curvesGrowAndTheirPointsAreShownUnderThePointer() {
    LiveRun live;
    QList<QByteArray> script{live.welcome()};
    for (int step = 21; step <= 30; ++step) script << scalars(live.last + step - 20, step);
    QVERIFY(live.engine.start(script));
    open(live);
    QTRY_COMPARE(points(), std::size_t{30});
    QTRY_VERIFY(window_->isReady());
    widgets::CurveCard* card = window_->monitorPage()->cards().front();
    const QPoint middle = card->plot()->rect().center();
    QTest::mouseMove(card->plot()->findChild<widgets::PlotOverlay*>(), middle);
    QTRY_VERIFY(hasReadings());
  }

  void linesOfTheLogAreFilteredAndLeadToTheirStep() {
    LiveRun live;
    const auto log = [&](int seq, int step, const char* words, base::LogLevel level) {
      return line(protocol::Log{live.last + seq, step, 1.8e9, level, words});
    };
    QVERIFY(live.engine.start({live.welcome(), log(1, 12, "first words", base::LogLevel::Info),
                               log(2, 15, "a disk is full", base::LogLevel::Warning)}));
    open(live);
    QTRY_VERIFY(rows("Log").contains(text("a disk is full")));
    auto* filter = find<QLineEdit>("logFilter");
    filter->setFocus();
    QTest::keyClicks(filter, text("DISK"));
    QCOMPARE(rows("Log"), QStringList{text("a disk is full")});
    QTRY_VERIFY(window_->isReady());
    list("Log")->setFocus();
    QTest::keyClick(list("Log"), Qt::Key_Home);
    QTest::keyClick(list("Log"), Qt::Key_Return);
    QTRY_VERIFY(hasReadings());
    filter->clear();
  }

  void anAlertIsShownAboveTheCurvesAndInItsList() {
    LiveRun live;
    QVERIFY(live.engine.start({live.welcome(), line(protocol::Alert{live.last + 1,
                                                                    18,
                                                                    1.8e9,
                                                                    protocol::AlertKind::LossJump,
                                                                    protocol::Severity::Warning,
                                                                    "the loss jumped at step 18",
                                                                    {"train/loss_total"},
                                                                    17,
                                                                    18})}));
    open(live);
    auto* banner = window_->monitorPage()->alertBanner();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY(banner->detail().contains(text("jumped at step 18")));
    QVERIFY(!list("Alerts")->isVisible());
    for (auto* button : banner->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == banner->action()) click(button);
    QTRY_VERIFY(list("Alerts")->isVisible());
    QCOMPARE(rows("Alerts").size(), 1);
  }

  void aPredictionIsAskedForByTheMouseAndItsAnswerOrRefusalShown() {
    QTemporaryDir data;
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    QVERIFY(picture.save(data.filePath(text("a.png"))));
    tests::MadeRun made = LiveRun::madeLive();
    made.valImages = data.path().toStdString();
    made.valAnnotations = data.filePath(text("val.json")).toStdString();
    made.keptCheckpoints = {20};
    QFile annotations(QString::fromStdString(made.valAnnotations));
    QVERIFY(annotations.open(QIODevice::WriteOnly));
    annotations.write(R"({"images": [{"id": 3, "file_name": "a.png", "width": 8, "height": 8}],
                          "categories": [{"id": 1, "name": "thing"}], "annotations": []})");
    annotations.close();
    QFile answer(data.filePath(text("answer.json")));
    QVERIFY(answer.open(QIODevice::WriteOnly));
    answer.write(R"([{"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])");
    answer.close();
    LiveRun live(made);
    QVERIFY(live.engine.start(
        {live.welcome(), "@mute", "@await",
         line(protocol::ErrorReply{"app-1", "rank 0 is saving a checkpoint"}), "@await",
         line(protocol::Ok{"app-2", protocol::AnswerPath{answer.fileName().toStdString()}})}));
    open(live);
    QTRY_VERIFY(connection().startsWith(text("connected")));
    QVERIFY(live.engine.nextLine().contains("hello"));
    QTest::keyClick(window_, Qt::Key_3, Qt::ControlModifier);
    QTRY_VERIFY(window_->isReady());
    auto* stage = window_->predictionsPage()->findChild<widgets::ImageStage*>();
    QTRY_VERIFY(stage->notice().contains(text("not predicted at step 20")));
    const auto predict = [&] {
      for (auto* button : stage->findChildren<QPushButton*>())
        if (button->isVisible()) return click(button);
      QFAIL("no button");
    };
    predict();
    const QByteArray asked = live.engine.nextLine();
    QVERIFY2(asked.contains(R"("type":"predict")") && asked.contains("[3]"), asked.constData());
    QTRY_VERIFY(stage->notice().contains(text("rank 0 is saving a checkpoint")));
    predict();
    QVERIFY(live.engine.nextLine().contains("app-2"));
    QTRY_COMPARE(stage->notice(), QString());
  }

  void anEngineThatAcceptsAndStaysSilentIsSaid() {
    LiveRun live;
    QVERIFY(live.engine.start({"@await"}));
    open(live);
    QTRY_VERIFY2_WITH_TIMEOUT(connection().contains(text("does not respond")),
                              qPrintable(connection()), kEnginePatienceMs);
    QCOMPARE(points(), std::size_t{20});  // what is in its files
    QVERIFY(!find("pauseButton")->isEnabled());
  }

  /// Garbage, a line of more than 1 MiB, values that are none, steps that go back and beyond the
  /// end, and words of a newer version: what is right is shown.
  void anEngineThatLiesBreaksNothing() {
    LiveRun live;
    const std::int64_t last = live.last;
    QVERIFY(live.engine.start(
        {"oh", live.welcome(), "[]", R"({"v":1,"type":"from the future","seq":7})",
         QByteArray((1 << 20) + 100, 'x'), scalars(last + 1, 21), scalars(last - 3, 3),
         line(protocol::Scalars{last + 2, -5, -1, {{"train/loss_total", NAN}}}),
         R"({"v":1,"type":"scalars","seq":)" + QByteArray::number(last + 3) +
             R"(,"step":22,"time":1,"values":{"train/loss_total":"much"}})",
         scalars(last + 4, 22),
         line(protocol::State{last + 5, 22, 1.8e9, protocol::RunState::Running})
             .replace("running", "dancing"),
         scalars(last + 6, 23)}));
    open(live);
    QTRY_COMPARE(points(), std::size_t{23});
    QTRY_COMPARE(state(), text("dancing"));
    const auto* run = window_->findChild<app::OpenRuns*>()->find(live.folder);
    QCOMPARE(run->history().metrics().series("train/loss_total")->size(), std::size_t{23});
    QVERIFY(connection().startsWith(text("connected")));
    QTRY_VERIFY(window_->isReady());
  }

  /// Its process was killed: what it said last is not what it is.
  void anEngineThatIsKilledHasFailed() {
    LiveRun live;
    QVERIFY(live.engine.start({live.welcome(), scalars(live.last + 1, 21)}));
    open(live);
    QTRY_COMPARE(points(), std::size_t{21});
    live.engine.kill();
    live.lock.reset();
    const auto* banner = window_->findChild<app::RunBanner*>();
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), kEnginePatienceMs);
    QCOMPARE(banner->title(), text("The run failed"));
    QTRY_COMPARE(state(), text("failed"));
  }
};

LOCKSTEP_TEST(TstEngineInWindow)
#include "tst_engine_in_window.moc"
