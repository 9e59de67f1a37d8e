#pragma once

#include <QByteArray>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QString>
#include <QTemporaryDir>

#include "tests/support/file_content.h"
#include "tests/support/test_data.h"

namespace lockstep::tests {

/// A script in the place of ssh, which LOCKSTEP_SSH names while this lives. What is fetched from
/// "there" is kept in a cache folder of its own.
class FakeSsh {
 public:
  /// Lines of the script: the command for the other machine runs on this one.
  static constexpr const char* kRunsHere = "eval \"exec $command\"\n";
  /// The same, with everything that it is sent appended to the file `sent`.
  static constexpr const char* kRunsHereAndNotes = "tee -a sent | eval \"$command\"\n";

  /// Lines of a shell script that is run in a folder of its own. `$command`: the command for the
  /// other machine.
  explicit FakeSsh(const QByteArray& script) {
    qputenv("LOCKSTEP_SSH", QFile::encodeName(path(QStringLiteral("ssh"))));
    qputenv("XDG_CACHE_HOME", QFile::encodeName(path(QStringLiteral("cache"))));
    set(script);
  }
  ~FakeSsh() {
    qunsetenv("LOCKSTEP_SSH");
    qunsetenv("XDG_CACHE_HOME");
  }

  /// From the next connection on.
  void set(const QByteArray& script) {
    const QString programs = QFileInfo(program("lockstep-engine")).absolutePath();
    QFile file(path(QStringLiteral("new")));
    if (!file.open(QIODevice::WriteOnly)) return;
    file.write("#!/bin/bash\nfor command; do :; done\necho \"$*\" >>" +
               QFile::encodeName(path(QStringLiteral("calls"))) +
               "\nPATH=" + QFile::encodeName(programs) + ":$PATH\ncd " +
               QFile::encodeName(folder_.path()) + "\n" + script + "\n");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    file.close();
    QFile::remove(path(QStringLiteral("ssh")));
    QFile::rename(path(QStringLiteral("new")), path(QStringLiteral("ssh")));
  }
  /// Of a folder of this machine, as one of another.
  static QString address(const QString& folder) { return QStringLiteral("ssh://node7") + folder; }
  QString path(const QString& name) const { return folder_.filePath(name); }
  QByteArray content(const QString& name) const { return contentOf(path(name)); }
  /// The arguments of each call, one call a line.
  QByteArray calls() const { return content(QStringLiteral("calls")); }
  /// What was sent to the other machine, of kRunsHereAndNotes.
  QByteArray sent() const { return content(QStringLiteral("sent")); }

 private:
  QTemporaryDir folder_;
};

}  // namespace lockstep::tests
