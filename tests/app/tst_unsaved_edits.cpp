#include <signal.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/app/virtual_screen.h"
#include "tests/support/file_content.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"

using lockstep::tests::text;
using lockstep::tests::VirtualScreen;

#define STEP(call) \
  call;            \
  if (QTest::currentTestFailed()) return

namespace {

constexpr int kProgramPatienceMs = 60000;

}  // namespace

/// A session with the real program: every edit is in the file, in a draft, or was asked about,
/// whatever happens to the program and the file.
class TstUnsavedEdits : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<VirtualScreen> screen_;
  std::unique_ptr<QProcess> program_;
  QString window_;

  QString path(const char* name) const { return folder_->filePath(text(name)); }
  void write(const char* name, const QByteArray& bytes) const {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }
  QByteArray read(const char* name) const { return lockstep::tests::contentOf(path(name)); }
  /// The content of all drafts.
  QByteArray drafts() const {
    const QDir folder(path("state/lockstep/drafts"));
    QByteArray all;
    for (const QString& name : folder.entryList({text("*.json")})) {
      QFile file(folder.filePath(name));
      if (file.open(QIODevice::ReadOnly)) all += file.readAll();
    }
    return all;
  }

  void start(const QStringList& arguments) {
    program_ = std::make_unique<QProcess>();
    QProcessEnvironment environment = screen_->environment();
    for (const auto& [name, folder] : {std::pair{"XDG_STATE_HOME", "state"},
                                       {"XDG_CONFIG_HOME", "config"},
                                       {"XDG_RUNTIME_DIR", "run"},
                                       {"LOCKSTEP_RUNS", "runs"}})
      environment.insert(text(name), path(folder));
    program_->setProcessEnvironment(environment);
    program_->setWorkingDirectory(folder_->path());
    program_->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    program_->start(lockstep::tests::program("lockstep"),
                    arguments + QStringList{text("--size"), text("1280x880")});
    QVERIFY(program_->waitForStarted(kProgramPatienceMs));
    QVERIFY(QTest::qWaitFor([this] { return takeWindow(); }, kProgramPatienceMs));
  }

  /// Looks once, because a second look may see other windows.
  bool takeWindow() {
    const QStringList windows = screen_->windowsOf(program_->processId());
    if (windows.size() == 1) window_ = windows.front();
    return windows.size() == 1;
  }

  void end(int signal) {
    QCOMPARE(::kill(static_cast<pid_t>(program_->processId()), signal), 0);
    QVERIFY(program_->waitForFinished(kProgramPatienceMs));
  }

  /// Types a line at the beginning of the text.
  void typeLine(const char* line) {
    screen_->click(window_, 1100, 230);  // below a banner, in the upper lines
    screen_->press(window_, text("ctrl+Home"));
    screen_->type(window_, text(line) + QLatin1Char('\n'));
  }

  /// The window of the open question.
  QString question() const {
    const QStringList windows = screen_->windowsOf(program_->processId());
    for (const QString& window : windows)
      if (window != window_) return window;
    return {};
  }
  void waitForQuestion() {
    QVERIFY(QTest::qWaitFor([this] { return !question().isEmpty(); }, kProgramPatienceMs));
  }
  /// Presses a key in the question until it is answered, as it may not be ready yet.
  void answer(const char* key) {
    QVERIFY(QTest::qWaitFor([&] { return isAnswered(key); }, kProgramPatienceMs));
  }
  bool isAnswered(const char* key) {
    const QString asked = question();
    if (!asked.isEmpty()) screen_->press(asked, text(key));
    return question() != asked || asked.isEmpty();
  }

 private Q_SLOTS:
  void noEditIsLost() {
    if (!VirtualScreen::isPossible()) QSKIP("needs Xvfb and xdotool");
    folder_ = std::make_unique<QTemporaryDir>();
    screen_ = std::make_unique<VirtualScreen>();
    QVERIFY(screen_->isThere());
    const QByteArray before = "name: a\nsolver: {max_steps: 10}\n";
    write("a.yaml", before);

    // Killed: the edit is in a draft, and is recovered over its file.
    STEP(start({text("a.yaml")}));
    typeLine("# first");
    QTRY_VERIFY_WITH_TIMEOUT(drafts().contains("# first\\nname"),
                             kProgramPatienceMs);  // as JSON has it
    STEP(end(SIGKILL));
    QCOMPARE(read("a.yaml"), before);
    STEP(start({text("a.yaml")}));
    screen_->press(window_, text("ctrl+s"));
    QTRY_COMPARE_WITH_TIMEOUT(read("a.yaml"), "# first\n" + before, kProgramPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(drafts().isEmpty(), kProgramPatienceMs);

    // Changed outside under an edit: saving asks, and nothing is lost by saying no.
    typeLine("# second");
    QTRY_VERIFY_WITH_TIMEOUT(drafts().contains("# second\\n"), kProgramPatienceMs);
    write("a.yaml", "# theirs\n");
    screen_->press(window_, text("ctrl+s"));
    STEP(waitForQuestion());
    STEP(answer("Escape"));
    QCOMPARE(read("a.yaml"), QByteArray("# theirs\n"));
    QVERIFY(drafts().contains("# second"));

    // Closing asks; Escape keeps everything as it was.
    screen_->press(window_, text("ctrl+q"));
    STEP(waitForQuestion());
    STEP(answer("Escape"));
    QCOMPARE(program_->state(), QProcess::Running);
    QVERIFY(drafts().contains("# second"));

    // The session ends in the middle of it.
    STEP(end(SIGTERM));
    QCOMPARE(program_->exitStatus(), QProcess::NormalExit);
    QCOMPARE(program_->exitCode(), 128 + SIGTERM);
    QCOMPARE(read("a.yaml"), QByteArray("# theirs\n"));
    QVERIFY(drafts().contains("# second"));

    // Started without arguments: the edits are recovered and saved as chosen.
    STEP(start({}));
    screen_->press(window_, text("ctrl+shift+s"));
    STEP(waitForQuestion());
    screen_->press(question(), text("ctrl+a"));
    screen_->type(question(), path("b.yaml"));
    STEP(answer("Return"));
    QTRY_COMPARE_WITH_TIMEOUT(read("b.yaml"), "# second\n# first\n" + before, kProgramPatienceMs);
    QCOMPARE(read("a.yaml"), QByteArray("# theirs\n"));
    QTRY_VERIFY_WITH_TIMEOUT(drafts().isEmpty(), kProgramPatienceMs);

    // Nothing is unsaved: there is no question.
    screen_->press(window_, text("ctrl+q"));
    QVERIFY(program_->waitForFinished(kProgramPatienceMs));
    QCOMPARE(program_->exitCode(), 0);
  }

  void cleanup() {
    if (program_ && program_->state() != QProcess::NotRunning) {
      program_->kill();
      program_->waitForFinished();
    }
    program_.reset();
    screen_.reset();
    folder_.reset();
  }
};

LOCKSTEP_TEST(TstUnsavedEdits)
#include "tst_unsaved_edits.moc"
