#include <unistd.h>

#include <QTest>
#include <cstdio>
#include <functional>
#include <string>

#include "engine/base/log.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstLog : public QObject {
  Q_OBJECT

 private:
  /// What `act` writes to standard error (less than a pipe holds).
  static std::string standardErrorOf(const std::function<void()>& act) {
    int ends[2];
    if (::pipe(ends) != 0) return {};
    const int kept = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    act();
    ::dup2(kept, STDERR_FILENO);
    ::close(kept);
    std::string text(4096, '\0');
    const ssize_t got = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

 private Q_SLOTS:
  void aLineNamesComponentAndLevel() {
    const std::string text = standardErrorOf([] {
      base::logInfo("train", "step done step=3");
      base::logWarning("data", "slow");
      base::logLine(base::LogLevel::Error, "disk", "full");
    });
    QCOMPARE(text,
             std::string("[train] step done step=3\n[data] warning: slow\n[disk] error: full\n"));
  }

  void fileNamesDoNotControlTheTerminal() {
    const std::string text = standardErrorOf([] { base::logInfo("a", "x\x1b[2J.jpg: missing"); });
    QCOMPARE(text, std::string("[a] x\\x1b[2J.jpg: missing\n"));
  }

  void everyLineOfAMultiLineMessageHasThePrefix() {
    const std::string text = standardErrorOf([] { base::logInfo("a", "one\ntwo\n"); });
    QCOMPARE(text, std::string("[a] one\n[a] two\n"));
  }
};

LOCKSTEP_TEST(TstLog)

#include "tst_log.moc"
