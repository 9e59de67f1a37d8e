#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <bit>

#include "tests/foreign_runs/run_samples.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::tests;
namespace fs = std::filesystem;

/// Runs that torch's SummaryWriter writes are those that TensorBoard shows.
class TstSummaryWriter : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (python().isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
  }

  void itsRunsAreThoseOfTensorBoard() {
    QTemporaryDir folder;
    const QJsonObject expected = seenByTensorBoard(folder.path());
    QVERIFY2(expected.size() == 5, qPrintable(complaint_));
    QCOMPARE(expected[QStringLiteral("a")][QStringLiteral("x")].toArray().size(), 9);
    QJsonObject seen;
    for (const foreign_runs::ForeignRun& run :
         foreign_runs::findRuns(folder.path().toStdString()).runs) {
      QJsonObject tags;
      const Curves curves = curvesOf(run.folder);
      for (const std::string& tag : curves.tags()) {
        QJsonArray points;
        for (const auto& [step, value] : curves[tag])
          points.append(QJsonArray{static_cast<qint64>(step),
                                   static_cast<qint64>(std::bit_cast<std::uint32_t>(value))});
        if (!points.isEmpty()) tags[QString::fromStdString(tag)] = points;
      }
      seen[QString::fromStdString(run.name)] = tags;
    }
    QCOMPARE(QJsonDocument(seen).toJson(), QJsonDocument(expected).toJson());
  }

 private:
  QJsonObject seenByTensorBoard(const QString& folder) {
    QProcess process;
    const fs::path script = sourceFolder() / "tests/reference/tensorboard_events.py";
    process.start(python(),
                  {QString::fromStdString(script.string()), QStringLiteral("runs"), folder});
    process.waitForFinished(300000);
    complaint_ = QString::fromUtf8(process.readAllStandardError().right(3000));
    return QJsonDocument::fromJson(process.readAllStandardOutput()).object();
  }

  QString complaint_;
};

LOCKSTEP_TEST(TstSummaryWriter)
#include "tst_summary_writer.moc"
