#pragma once

#include <QByteArray>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_data.h"

namespace lockstep::tests {

/// A fake_engine that listens at path() and sends its lines to each client that says hello.
class FakeSocket {
 public:
  ~FakeSocket() { kill(); }
  QString path() const { return folder_.filePath(QStringLiteral("e.sock")); }

  /// Returns false if it does not start.
  bool start(const QList<QByteArray>& lines) {
    QFile file(folder_.filePath(QStringLiteral("replay.jsonl")));
    if (!file.open(QIODevice::WriteOnly)) return false;
    for (const QByteArray& line : lines) file.write(line + '\n');
    file.close();
    process_.start(program("fake_engine"), {QStringLiteral("--socket"), path(),
                                            QStringLiteral("--replay"), file.fileName()});
    while (!process_.canReadLine())
      if (!process_.waitForReadyRead(10000)) return false;
    return process_.readLine() == "listening\n";
  }
  void kill() {
    process_.kill();
    process_.waitForFinished();
  }
  /// The next line that a client sent; empty if none comes. Runs the event loop, because the client
  /// sends in this thread.
  QByteArray nextLine() {
    const bool there = QTest::qWaitFor([this] { return process_.canReadLine(); }, 5000);
    return there ? process_.readLine().trimmed() : QByteArray();
  }

 private:
  QTemporaryDir folder_;
  QProcess process_;
};

}  // namespace lockstep::tests
