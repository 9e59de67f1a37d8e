// The question before commands of monitor.on_event that others wrote run.
#include <QAction>
#include <QSettings>
#include <QTest>
#include <fstream>
#include <memory>

#include "app/configure/command_consent.h"
#include "app/configure/configure_page.h"
#include "app/engines/engine_process.h"
#include "app/runs/panel/fork_dialog.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/clicked_answer.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/config_editor/config_editor.h"

using namespace lockstep;
using app::CommandConsent;
using tests::Answer;
using tests::text;

class TstCommandConsent : public QObject {
  Q_OBJECT

 private:
  static constexpr const char* kTrain = "Train and run them";
  static bool asks(CommandConsent& consent, const config::EventCommands& commands) {
    const Answer answer("Cancel");
    return !consent.mayRun(commands, text("a.yaml")) && answer.isGiven();
  }
  void write(const char* name, const std::string& content) const {
    std::ofstream(folder_.filePath(text(name)).toStdString()) << content;
  }

 private Q_SLOTS:
  void init() { QSettings().remove(text("knownCommands")); }

  void commandsAreAskedAboutOnce() {
    CommandConsent consent(nullptr, false);
    QVERIFY(!asks(consent, {}));
    const config::EventCommands commands{"upload", "", "mail me"};
    QVERIFY(asks(consent, commands));
    QVERIFY2(asks(consent, commands), "Cancel agrees to nothing");
    {
      const Answer answer(kTrain);
      QVERIFY(consent.mayRun(commands, text("a.yaml")));
      QVERIFY(answer.isGiven());
      QVERIFY2(answer.asked().contains(text("Run the commands of a.yaml?")),
               qPrintable(answer.asked()));
    }
    QVERIFY(!asks(consent, commands));
    QVERIFY(!asks(consent, {"", "mail me", ""}));
    QVERIFY(asks(consent, {"upload", "", "mail you"}));
  }

  void laterWindowsKnowThem() {
    CommandConsent(nullptr, true).add({text("upload")});
    CommandConsent later(nullptr, true), other(nullptr, false);
    QVERIFY(!asks(later, {"upload", "", ""}));
    QVERIFY(asks(other, {"upload", "", ""}));
  }

  void whatIsTypedIsWrittenHere() {
    write("base.yaml", "monitor: {on_event: {best: of base}}\n");
    write("a.yaml", "base: base.yaml\nmonitor: {on_event: {end: of file}}\n");
    app::ConfigurePage page;
    QVERIFY(page.open(folder_.filePath(text("a.yaml"))));
    widgets::ConfigEditor* editor = page.editor();
    const auto written = [&] { return page.writtenCommands().join(u','); };
    QTRY_VERIFY(editor->isReady());
    QCOMPARE(written(), QString());
    editor->setValue(text("monitor.on_event.alert"), text("typed"));
    QTRY_COMPARE(written(), text("typed"));
    editor->setValue(text("monitor.on_event.alert"), text("of file"));
    QTRY_COMPARE(written(), QString());
    editor->setValue(text("monitor.on_event.best"), text("typed too"));
    QTRY_COMPARE(written(), text("typed too"));
    write("base.yaml", "monitor: {on_event: {alert: of base, best: of base, end: of base}}\n");
    editor->changeText(text("base: base.yaml\n"));
    QTRY_COMPARE(editor->loaded().experiment.monitor.onEvent.alert, std::string("of base"));
    QCOMPARE(written(), QString());
  }

  void trainingAsksFirst() {
    tests::EngineBench bench;
    const std::filesystem::path file = bench.folder() / "mine.yaml";
    std::ofstream(file) << "base: experiment.yaml\nmonitor: {on_event: {end: touch ended}}\n";
    app::MainWindow& window =
        window_.show({QString::fromStdString(file.string())}, app::Page::Configure);
    QTRY_VERIFY2(window.configurePage()->trainingBlockedBy().isEmpty(),
                 qPrintable(window.configurePage()->trainingBlockedBy()));
    const Answer answer("Cancel");
    window.train();
    QVERIFY(answer.isGiven());
    QVERIFY(!window.findChild<app::EngineProcess*>()->isStarting());
  }

  void soDoResumingAndForking() {
    tests::MadeRun plan;
    plan.keptCheckpoints = {10, 20};
    const QString run = tests::makeRun(folder_.path(), plan);
    std::ofstream(run_folder::Layout(run.toStdString()).config(), std::ios::app)
        << "monitor: {on_event: {end: touch ended}}\n";
    app::MainWindow& window = window_.show({run});
    const auto* engine = window.findChild<app::EngineProcess*>();
    {
      const Answer answer("Cancel");
      Q_EMIT window.runsPanel()->resumeRequested(run);
      QTRY_VERIFY(answer.isGiven());
      QVERIFY(!engine->isStarting());
    }
    auto* fork = window.findChild<QAction*>(text("run.fork"));
    QTRY_VERIFY(fork->isEnabled());
    fork->trigger();
    QTRY_VERIFY(window.findChild<app::ForkDialog*>());
    const Answer answer("Cancel");
    window.findChild<app::ForkDialog*>()->accept();
    QTRY_VERIFY(answer.isGiven());
    QVERIFY(!engine->isStarting());
  }

 private:
  QTemporaryDir folder_;
  tests::SharedWindow window_;
};

LOCKSTEP_TEST(TstCommandConsent)
#include "tst_command_consent.moc"
