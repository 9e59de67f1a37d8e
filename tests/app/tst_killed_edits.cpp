/// Programs that edit several documents and are killed at random. LOCKSTEP_EDIT_KILLS (default 6)
/// and LOCKSTEP_EDIT_SEED (default 1) make longer ones.
#include <QMap>
#include <QProcess>
#include <QTest>
#include <random>

#include "tests/app/document_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::text;

namespace {

constexpr int kEditsPatienceMs = 60000, kNumbersPerProgram = 10000;

using Edits = QMap<QString, QList<int>>;  ///< numbers by name of the document

QList<int> numbersIn(const QString& content) {
  QList<int> numbers;
  for (const QString& line : content.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
    numbers << line.mid(2).toInt();
  return numbers;
}

}  // namespace

/// What was backed up when the program was killed is there when it starts again.
class TstKilledEdits : public QObject, private tests::DocumentBench {
  Q_OBJECT

 private:
  Edits said_;  ///< by the programs, in their order

  /// The newest of each document, wherever it is: in its draft, else in its file.
  QString onDisk(const QString& name) const {
    for (const app::Draft& draft : draftsOnDisk())
      if (draft.shownPath.endsWith(QLatin1Char('/') + name)) return draft.text;
    return QString::fromUtf8(read(path(qPrintable(name))));
  }

  /// Also those that a program holds.
  QList<app::Draft> draftsOnDisk() const {
    QList<app::Draft> found;
    for (const QString& name : QDir(drafts()).entryList({text("*.json")}))
      if (const auto draft = app::draftOf(read(drafts() + QLatin1Char('/') + name)))
        found << *draft;
    return found;
  }

  /// To that many lines, or to all.
  void listen(QProcess& program, int lines) {
    while (lines > 0) {
      if (!program.canReadLine()) QVERIFY(program.waitForReadyRead(kEditsPatienceMs));
      for (; lines > 0 && program.canReadLine(); --lines) {
        const QByteArray line = program.readLine().trimmed();
        if (line == tests::kAllSaid) return;
        const QList<QByteArray> words = line.split(' ');
        said_[QString::fromUtf8(words.at(1))] << words.at(0).toInt();
      }
    }
  }

  bool allIsOnDisk(const Edits& edits) const {
    for (auto each = edits.begin(); each != edits.end(); ++each)
      if (!numbersIn(onDisk(each.key())).contains(each.value().last())) return false;
    return true;
  }

  /// Opened as a person does who starts the window again.
  QString recovered(const QString& name) const {
    const auto made = window();
    if (name != QLatin1String("new.yaml")) {
      made->document.open(path(qPrintable(name)));
    } else {
      for (const app::OrphanedDraft& left : orphanedDrafts())
        if (left.draft.file.isEmpty()) made->document.openDraft(left.id);
    }
    return made->shown;
  }

 private Q_SLOTS:
  void noBackedUpEditIsLost() {
    const int kills = qEnvironmentVariable("LOCKSTEP_EDIT_KILLS", text("6")).toInt();
    std::mt19937 random(qEnvironmentVariable("LOCKSTEP_EDIT_SEED", text("1")).toUInt());
    for (const char* name : {"a.yaml", "b.yaml", "c.yaml"}) write(path(name), "");
    for (int kill = 1; kill <= kills; ++kill) {
      QProcess program;
      program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
      program.start(
          tests::program("edited_documents"),
          {folder(), QString::number(random()), QString::number(kill * kNumbersPerProgram)});
      // Each third one is killed when nothing follows its last edit.
      const int some = 20 + static_cast<int>(random() % 200);
      listen(program, kill % 3 == 0 ? kNumbersPerProgram : some);
      if (QTest::currentTestFailed()) return;
      // All that was said so far is backed up while it goes on.
      QTRY_VERIFY_WITH_TIMEOUT(allIsOnDisk(said_), kEditsPatienceMs);
      program.kill();
      QVERIFY(program.waitForFinished(kEditsPatienceMs));
      const Edits backedUp = said_;
      while (program.canReadLine()) listen(program, 1);
      for (const QString& name : backedUp.keys()) {
        const QList<int> there = numbersIn(recovered(name));
        QVERIFY2(there.size() >= backedUp[name].size(), qPrintable(name));
        // Nothing is torn: what is there is what was edited up to some moment.
        QCOMPARE(there, said_[name].mid(0, there.size()));
        said_[name] = there;  // those after it were not backed up, and are gone
      }
    }
  }
};

LOCKSTEP_TEST(TstKilledEdits)
#include "tst_killed_edits.moc"
