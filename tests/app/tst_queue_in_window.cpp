// The queue as the window shows it, with real engines and a scripted worker.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QScopeGuard>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <memory>

#include "app/configure/configure_page.h"
#include "app/frame/main_window.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/list/run_tree.h"
#include "app/runs/panel/runs_panel.h"
#include "engine/config/load.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"

using namespace lockstep;
using app::MainWindow;
using app::RunTree;

class TstQueueInWindow : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    bench_ = std::make_unique<tests::EngineBench>();
    bench_->script("state running 0\ntrain-until-stop 1\n");
    locksBefore_ = qgetenv("LOCKSTEP_LOCKS");
    qputenv("LOCKSTEP_LOCKS", (bench_->folder() / "locks").c_str());
  }
  void cleanup() {
    windows_.clear();
    for (const auto& run : run_folder::listRuns(bench_->folder() / "runs"))
      if (run.alive && run.info.pid > 1) ::kill(static_cast<pid_t>(run.info.pid), SIGKILL);
    qputenv("LOCKSTEP_LOCKS", locksBefore_);
    bench_.reset();
  }

  void keysAndTheMenuReorderIt() {
    start({"a", "b", "c"});
    const MainWindow& window = open();
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: a b c, Runs: h"));
    current(window, "c");
    QTest::keyClick(tree(window), Qt::Key_Up, Qt::AltModifier);
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: a c b, Runs: h"));
    QTRY_COMPARE(position("c"), 2);
    choose(window, "b", QStringLiteral("Train next"));
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: b a c, Runs: h"));
    choose(window, "a", QStringLiteral("Remove from queue"));
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: b c, Runs: a h"));
    ::kill(static_cast<pid_t>(info("h").pid), SIGTERM);
    QTRY_COMPARE_WITH_TIMEOUT(info("b").state.text(), std::string("running"), 20000);
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: c, Runs: b a h"));
  }

  /// The list of runs lags behind the engine: a request that comes too late stops no training.
  void aRunThatHasBegunIsNotTakenOutOfTheQueue() {
    start({});
    MainWindow& window = open();
    QTRY_VERIFY(indexOf(window, "h").isValid());
    Q_EMIT window.runsPanel()->leaveQueueRequested(runs() + QStringLiteral("/h"));
    QTRY_VERIFY(says(window, QStringLiteral("h: the run is not queued: it has started")));
    QCOMPARE(info("h").state.text(), std::string("running"));
  }

  void twoWindowsReorderOneQueue() {
    start({"a", "b", "c"});
    const MainWindow &one = open(), &other = open();
    for (const MainWindow* window : {&one, &other})
      QTRY_COMPARE(rows(*window), QStringLiteral("Queue: a b c, Runs: h"));
    const auto queueOf = [&](const MainWindow& window) {
      return tree(window)->model()->index(0, 0);
    };
    for (int turn = 0; turn < 6; ++turn) {
      for (const MainWindow* window : {&one, &other}) {
        auto* model = static_cast<RunTree*>(tree(*window)->model());
        const QModelIndex last = model->index(turn % 3, 0, queueOf(*window));
        const std::unique_ptr<QMimeData> data(model->mimeData({last}));
        model->dropMimeData(data.get(), Qt::MoveAction, (turn + 1) % 3, 0, queueOf(*window));
      }
      QCoreApplication::processEvents();
    }
    QTRY_VERIFY2_WITH_TIMEOUT(rows(one) != QStringLiteral("Queue: a b c, Runs: h") &&
                                  rows(one) == rows(other) && rows(one) == orderOnDisk(),
                              qPrintable(rows(one)), 20000);
  }

  void anEngineThatIsGoneIsSaid() {
    start({"a", "b"});
    MainWindow& window = open();
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: a b, Runs: h"));
    const auto pid = static_cast<pid_t>(info("b").pid);
    ::kill(pid, SIGSTOP);  // silent: its socket takes the request, and nobody answers
    current(window, "b");
    QTest::keyClick(tree(window), Qt::Key_Up, Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(says(window, QStringLiteral("b: its engine does not answer")), 20000);
    ::kill(pid, SIGKILL);
    QTRY_COMPARE(rows(window), QStringLiteral("Queue: a, Runs: b h"));
    current(window, "b");
    QTRY_VERIFY(says(window, QStringLiteral("Its waiting process is gone")));
    choose(window, "b", QStringLiteral("Resume when its devices are free"));
    QTRY_COMPARE_WITH_TIMEOUT(rows(window), QStringLiteral("Queue: a b, Runs: h"), 20000);
  }

  void trainOffersTheQueueWhileDevicesAreBusy() {
    start({});
    MainWindow& window = open({QString::fromStdString(bench_->config().string())});
    auto* queue = window.findChild<QPushButton*>(QStringLiteral("queueButton"));
    QTRY_VERIFY(window.isReady());
    QTRY_VERIFY(queue->isVisible());
    QVERIFY2(queue->toolTip().contains(QStringLiteral("the CPU: run h (")),
             qPrintable(queue->toolTip()));
    QTest::mouseClick(queue, Qt::LeftButton);
    const QString name =
        QString::fromStdString(config::loadExperiment(bench_->config()).experiment.name);
    QTRY_COMPARE_WITH_TIMEOUT(rows(window), QStringLiteral("Queue: %1, Runs: h").arg(name), 20000);
    QTRY_VERIFY(queue->isVisible() && queue->isEnabled());
    for (const auto& run : run_folder::listRuns(bench_->folder() / "runs"))
      ::kill(static_cast<pid_t>(run.info.pid), SIGTERM);
    QTRY_VERIFY_WITH_TIMEOUT(!queue->isVisible(), 20000);
  }

  /// An engine that cannot start a run.
  void aRunThatDoesNotStartIsSaid() {
    start({});
    const MainWindow& window = open({QString::fromStdString(bench_->config().string())});
    QTRY_VERIFY(window.isReady());
    auto* train = window.findChild<QPushButton*>(QStringLiteral("trainButton"));
    QTRY_VERIFY(train->isEnabled());
    ::kill(static_cast<pid_t>(info("h").pid), SIGKILL);
    QTRY_COMPARE(info("h").state.text(), std::string("failed"));
    QVERIFY(QDir(runs()).removeRecursively());
    const auto restore = qScopeGuard([this] { QFile::remove(runs()); });
    QVERIFY(QFile(runs()).open(QIODevice::WriteOnly));  // a file where the folder should be
    QTest::mouseClick(train, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(train->isEnabled() && says(window, runs()), 20000);
  }

 private:
  void start(const std::vector<std::string>& queued) {
    train("h", "--detach");
    for (const std::string& run : queued) train(run, "--queue");
  }
  void train(const std::string& run, const std::string& how) {
    const auto result = bench_->run(
        {"train", "experiment.yaml", "--output", "runs/" + run, how, "--set", "name=" + run});
    QVERIFY2(result.status == 0, result.err.c_str());
  }
  MainWindow& open(const QStringList& paths = {}) {
    app::MainWindowOptions options;
    options.paths = paths + QStringList{runs()};
    options.keepLayout = false;
    windows_.push_back(std::make_unique<MainWindow>(&theme_, options));
    windows_.back()->show();
    return *windows_.back();
  }
  QString runs() const { return QString::fromStdString((bench_->folder() / "runs").string()); }
  run_folder::RunInfo info(const std::string& run) const {
    return run_folder::summarise(bench_->folder() / "runs" / run).info;
  }
  int position(const std::string& run) const { return info(run).queuePosition.value_or(0); }
  QString orderOnDisk() const {
    QStringList names{{}, {}, {}};
    for (const char* run : {"a", "b", "c"})
      if (const int place = position(run); place >= 1 && place <= 3)
        names[place - 1] = QString::fromLatin1(run);
    return QStringLiteral("Queue: %1, Runs: h").arg(names.join(u' '));
  }
  static QTreeView* tree(const MainWindow& window) {
    return window.runsPanel()->findChild<QTreeView*>();
  }
  /// `Queue: a b, Runs: h`
  static QString rows(const MainWindow& window) {
    const auto* model = static_cast<RunTree*>(tree(window)->model());
    QStringList sections;
    for (int row = 0; row < model->rowCount(); ++row) {
      const QModelIndex section = model->index(row, 0);
      QStringList names;
      for (int child = 0; child < model->rowCount(section); ++child)
        names.append(model->index(child, 0, section).data().toString());
      sections.append(model->sectionTitle(section) + QStringLiteral(": ") + names.join(u' '));
    }
    return sections.join(QStringLiteral(", "));
  }
  QModelIndex indexOf(const MainWindow& window, const char* run) const {
    const auto* model = static_cast<RunTree*>(tree(window)->model());
    return model->indexOf(runs() + u'/' + QString::fromLatin1(run));
  }
  void current(const MainWindow& window, const char* run) const {
    tree(window)->setCurrentIndex(indexOf(window, run));
  }
  /// An action of a run's menu.
  void choose(const MainWindow& window, const char* run, const QString& action) const {
    const QPoint place = tree(window)->visualRect(indexOf(window, run)).center();
    bool isChosen = false;
    QTimer::singleShot(0, &window, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY(menu);
      for (QAction* each : menu->actions()) {
        if (each->text() != action) continue;
        isChosen = true;
        menu->setActiveAction(each);
        return QTest::keyClick(menu, Qt::Key_Return);
      }
      menu->close();
    });
    Q_EMIT tree(window)->customContextMenuRequested(place);
    QVERIFY2(isChosen, qPrintable(action));
  }
  static bool says(const MainWindow& window, const QString& text) {
    for (const auto* banner : window.findChildren<widgets::Banner*>())
      if (banner->isVisible() && banner->detail().contains(text)) return true;
    return false;
  }

  std::unique_ptr<tests::EngineBench> bench_;
  QByteArray locksBefore_;
  widgets::ThemeSwitch theme_;
  std::vector<std::unique_ptr<MainWindow>> windows_;
};

LOCKSTEP_TEST(TstQueueInWindow)
#include "tst_queue_in_window.moc"
