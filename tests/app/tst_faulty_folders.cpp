#include <QDir>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "app/configure/configure_page.h"
#include "app/monitor/monitor_page.h"
#include "app/runs/list/run_list_model.h"
#include "app/runs/panel/run_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "app/runs/panel/state_pill.h"
#include "engine/base/atomic_file.h"
#include "engine/events/reader.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/plots/curve_card.h"

using namespace lockstep;
using app::RunListModel;
using tests::text;
namespace fs = std::filesystem;

namespace {

void writeBytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

/// Folders of runs of ours that are not whole: what is wrong is said where the run is, what can be
/// read is shown, and the other runs go on.
class TstFaultyFolders : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;
  tests::SharedWindow shared_;
  app::MainWindow* window_ = nullptr;
  QString run_, own_;

  fs::path path(const char* name) const { return fs::path(run_.toStdString()) / name; }
  fs::path events() const { return events::findEventFile(run_.toStdString()); }

  void open() {
    window_ = &shared_.show({parent_->path()});
    window_->runsPanel()->selectRun(run_);
    QTRY_COMPARE(window_->runsPanel()->currentRun(), run_);
    QTRY_VERIFY(window_->isReady());
  }
  const RunListModel* list() const { return window_->findChild<RunListModel*>(); }
  QString data(int role) const { return list()->index(list()->rowOf(run_)).data(role).toString(); }
  const app::RunBanner* banner() const { return window_->findChild<app::RunBanner*>(); }
  int drawn() const { return window_->monitorPage()->cards().front()->plot()->drawnPointCount(0); }
  static bool says(const QWidget* widget, const char* words) {
    for (const auto* label : widget->findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text(words))) return true;
    return false;
  }
  void theRestGoesOn() {
    window_->runsPanel()->selectRun(own_);
    QTRY_COMPARE(window_->runsPanel()->currentRun(), own_);
    QTRY_VERIFY(window_->isReady());
    QVERIFY(!banner()->isVisible());
    QTRY_VERIFY(drawn() >= 40);
  }

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    run_ = tests::makeRun(parent_->path(), tests::made("faulty", 2000));
    own_ = tests::makeRun(parent_->path(), tests::made("own", 1000));
  }

  /// Half-copied, in the order in which a copy comes.
  void aHalfCopiedRunJsonIsSaid() {
    const std::string whole = base::readFile(path("run.json"));
    writeBytes(path("run.json"), whole.substr(0, whole.size() / 2));
    open();
    QCOMPARE(data(RunListModel::StateTextRole), text("failed"));
    QVERIFY2(data(RunListModel::ErrorRole).contains(text("run.json")),
             qPrintable(data(RunListModel::ErrorRole)));
    QTRY_VERIFY(banner()->isVisible());
    QVERIFY2(banner()->detail().contains(text("run.json")), qPrintable(banner()->detail()));
    QTRY_VERIFY(drawn() >= 40);           // from its log
    writeBytes(path("run.json"), whole);  // the copy is whole now
    const_cast<RunListModel*>(list())->refresh();
    QTRY_COMPARE(data(RunListModel::StateTextRole), text("finished"));
    QTRY_VERIFY(!banner()->isVisible());
    theRestGoesOn();
  }

  void aHalfCopiedLogIsShownAsFarAsItGoes() {
    const std::string whole = base::readFile(events());
    writeBytes(events(), whole.substr(0, whole.size() / 2));
    open();
    QTRY_VERIFY(drawn() > 0);
    const auto& curve = window_->monitorPage()->cards().front()->plot()->curves().front();
    QVERIFY(curve.source->xRange().second < 40);
    theRestGoesOn();
  }

  void aDamagedLogIsSaid() {
    std::string bytes = base::readFile(events());
    for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 40; ++i) bytes[i] = 'x';
    writeBytes(events(), bytes);
    open();
    QTRY_VERIFY(banner()->isVisible());
    QVERIFY2(banner()->detail().contains(QString::fromStdString(events().string())),
             qPrintable(banner()->detail()));
    theRestGoesOn();
  }

  void aRunWithoutItsConfigurationIsShownAndSaysSoWhereItIsNeeded() {
    fs::remove(path("config.yaml"));
    open();
    QTRY_VERIFY(drawn() >= 40);
    QVERIFY(QTest::qWaitForWindowActive(window_));
    QTest::keyClick(window_, Qt::Key_D, Qt::ControlModifier);
    QVERIFY(tests::visibleBanner(*window_, text("configuration cannot be opened"),
                                 text("config.yaml")));
    theRestGoesOn();
  }

  /// Members and keys that this version does not know.
  void aRunOfANewerVersionIsShownAsFarAsItIsKnown() {
    std::string info = base::readFile(path("run.json"));
    info.replace(info.find('{'), 1, "{\"mood\": {\"of\": [1, 2]}, ");
    writeBytes(path("run.json"), info);
    const std::string config = base::readFile(path("config.yaml"));
    writeBytes(path("config.yaml"), config + "telepathy: {range: 3}\n");
    open();
    QCOMPARE(data(RunListModel::StateTextRole), text("finished"));
    QTRY_VERIFY(drawn() >= 40);
    window_->showPage(app::Page::Predictions);
    QTRY_VERIFY(window_->isReady());
    QTRY_VERIFY(says(window_->centralWidget(), "telepathy"));
    window_->showPage(app::Page::Monitor);
    theRestGoesOn();
  }

  void aStateOfANewerVersionIsSaid() {
    std::string info = base::readFile(path("run.json"));
    info.replace(info.find("\"finished\"", info.find("\"state\"")), 10, "\"dancing\"");
    writeBytes(path("run.json"), info);
    open();
    QTRY_VERIFY(banner()->isVisible());
    QVERIFY2(banner()->detail().contains(text("run.json: state 'dancing' is not known")),
             qPrintable(banner()->detail()));
    QTRY_VERIFY(drawn() >= 40);  // from its log
    theRestGoesOn();
  }

  void aRunThatVanishesWhileItIsShownIsSaid() {
    open();
    QVERIFY(QDir(run_).removeRecursively());
    const_cast<RunListModel*>(list())->refresh();
    QTRY_COMPARE(data(RunListModel::StateTextRole), text("vanished"));
    QTRY_COMPARE(window_->findChild<app::StatePill*>()->accessibleName(), text("vanished"));
    QVERIFY(drawn() >= 40);
    QCOMPARE(window_->runsPanel()->currentRun(), run_);
    Q_EMIT window_->runsPanel()->dismissRequested({run_});
    QCOMPARE(list()->rowOf(run_), -1);
    QCOMPARE(window_->runsPanel()->currentRun(), QString());
    theRestGoesOn();
    QVERIFY(QDir(parent_->path()).removeRecursively());
    const_cast<RunListModel*>(list())->refresh();
    QTRY_VERIFY(says(window_->runsPanel(), "out of date"));
    QVERIFY(says(window_->runsPanel(), qPrintable(parent_->path())));
  }
};

LOCKSTEP_TEST(TstFaultyFolders)
#include "tst_faulty_folders.moc"
