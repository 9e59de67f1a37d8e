#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

#include "engine/events/reader.h"
#include "engine/events/writer.h"
#include "tests/events/record_samples.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep::events;
using namespace lockstep::tests;
namespace fs = std::filesystem;

namespace {

std::uint32_t bitsOf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// What the reference script prints; null when it fails, with its words in `complaint`.
QJsonDocument reference(const QStringList& arguments, QString& complaint) {
  QProcess process;
  const fs::path script = sourceFolder() / "tests/reference/tensorboard_events.py";
  process.start(python(), QStringList{QString::fromStdString(script.string())} + arguments);
  process.waitForFinished(300000);
  complaint = QString::fromUtf8(process.readAllStandardError().right(3000));
  return QJsonDocument::fromJson(process.readAllStandardOutput());
}

}  // namespace

/// Our files in TensorBoard's own reader, and other writers' files in ours.
class TstTensorboard : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void ourBytesAreThoseOfProtobuf();
  void tensorBoardReadsOurFiles();
  void filesOfOtherWritersAreRead();
  void itsPagesShowPicturesAndHyperParameters();

 private:
  QTemporaryDir folder_;
  QString complaint_;
};

void TstTensorboard::initTestCase() {
  if (python().isEmpty()) QSKIP("needs Python with TensorBoard (packaging/setup.sh --dev)");
}

void TstTensorboard::ourBytesAreThoseOfProtobuf() {
  const QJsonArray expected = reference({QStringLiteral("bytes")}, complaint_).array();
  QVERIFY2(expected.size() == 7, qPrintable(complaint_));
  Record start;
  start.kind = Record::Kind::SessionStart;
  start.step = 201;
  start.wallTime = 2.5;
  Record version = versionRecord();
  version.wallTime = 3.5;
  const std::vector<Record> records = {
      scalarRecord(70000, {{"train/loss_total", 0.75f}, {"solver/lr", 0.0f}}, 1234.5),
      eventRecord(-3, R"({"type":"log"})", 1.5),
      start,
      version,
      recordOf(pictureSummary(7, 6, 1.5)),
      hyperParametersRecord(sampleParameters(), {"eval/segm/AP", "train/loss_total"}, 0, 2.5),
      sessionEndRecord(SessionStatus::Failure, 8, 9.5)};
  for (int i = 0; i < 7; ++i) {
    const QByteArray bytes =
        QByteArray::fromStdString(encodeRecord(records[static_cast<std::size_t>(i)]));
    const QByteArray data = bytes.mid(12, bytes.size() - 16);
    QCOMPARE(QString::fromLatin1(data.toHex()), expected[i].toString());
  }
}

void TstTensorboard::tensorBoardReadsOurFiles() {
  const QString run = folder_.filePath(QStringLiteral("ours"));
  fs::create_directories(run.toStdString());
  Writer writer = Writer::open(run.toStdString());
  std::vector<float> values;
  for (std::int64_t step = 1; step <= 50; ++step) {
    values.push_back(step == 20   ? std::nanf("")
                     : step == 21 ? INFINITY
                                  : 1.0f / static_cast<float>(step));
    writer.append(
        scalarRecord(step, {{"train/loss_total", values.back()}, {"solver/lr", 0.1f}}, 1000.25));
    if (step % 25 == 0) writer.append(eventRecord(step, R"({"type":"log","text":"grün"})"));
  }
  writer.append(scalarRecord(51, {{"train/loss_total", 9.0f}}));
  writer.truncateAfterStep(50);
  writer.append(scalarRecord(51, {{"train/loss_total", 8.0f}}, 1001.5));
  values.push_back(8.0f);
  const QJsonObject seen = reference({QStringLiteral("read"), run}, complaint_).object();
  QVERIFY2(!seen.isEmpty(), qPrintable(complaint_));
  QCOMPARE(seen[QStringLiteral("version")].toDouble(), 2.0);
  QCOMPARE(seen[QStringLiteral("records")].toInt(), 1 + 50 + 2 + 1 + 1);
  QCOMPARE(seen[QStringLiteral("starts")].toArray(), QJsonArray{51});
  const QJsonObject scalars = seen[QStringLiteral("scalars")].toObject();
  QCOMPARE(scalars.keys(),
           (QStringList{QStringLiteral("solver/lr"), QStringLiteral("train/loss_total")}));
  const QJsonArray points = scalars[QStringLiteral("train/loss_total")].toArray();
  QCOMPARE(points.size(), 51);
  for (qsizetype i = 0; i < 51; ++i) {
    QCOMPARE(points[i][0].toInt(), static_cast<int>(i + 1));
    QCOMPARE(points[i][1].toDouble(), i < 50 ? 1000.25 : 1001.5);
    QCOMPARE(static_cast<std::uint32_t>(points[i][2].toDouble()),
             bitsOf(values[static_cast<std::size_t>(i)]));
  }
  const QString tag = QString::fromUtf8(kEventTag);
  QCOMPARE(seen[QStringLiteral("plugins")].toObject()[tag].toString(), QStringLiteral("text"));
  const QJsonArray texts = seen[QStringLiteral("texts")].toObject()[tag].toArray();
  QCOMPARE(texts.size(), 2);
  QCOMPARE(texts[1][0].toInt(), 50);
  QCOMPARE(texts[1][1].toString(), QStringLiteral(R"({"type":"log","text":"grün"})"));
}

void TstTensorboard::filesOfOtherWritersAreRead() {
  const QString run = folder_.filePath(QStringLiteral("theirs"));
  const QJsonArray expected =
      reference({QStringLiteral("write"), run}, complaint_)[QStringLiteral("expected")].toArray();
  QVERIFY2(expected.size() == 22, qPrintable(complaint_));
  Reader reader(findEventFile(run.toStdString()));
  const auto records = reader.readAvailable();
  QVERIFY(!records.empty());
  QCOMPARE(records[0].kind, Record::Kind::FileVersion);
  QJsonArray seen;
  for (const Record& record : records) {
    for (const auto& [tag, value] : record.scalars) {
      seen.append(QJsonArray{static_cast<qint64>(record.step), QString::fromStdString(tag),
                             static_cast<qint64>(bitsOf(value))});
    }
  }
  QCOMPARE(QJsonDocument(seen).toJson(), QJsonDocument(expected).toJson());
  QCOMPARE(reader.offsetBytes(), reader.fileBytes());
  QCOMPARE(reader.media(), (MediaTags{{"curves", Media::Other},
                                      {"notes/text_summary", Media::Texts},
                                      {"pictures/new", Media::Images},
                                      {"pictures/old", Media::Images},
                                      {"weights", Media::Histograms}}));
}

/// Of two runs: one that finished, one that is still running.
void TstTensorboard::itsPagesShowPicturesAndHyperParameters() {
  const QString runs = folder_.filePath(QStringLiteral("runs"));
  for (const char* name : {"ended", "running"}) {
    const fs::path run = fs::path(runs.toStdString()) / name;
    fs::create_directories(run);
    Writer writer = Writer::open(run);
    writer.append(hyperParametersRecord(sampleParameters(), {"eval/segm/AP"}, 0, 2.5));
    for (const std::int64_t step : {2, 4, 6}) {
      writer.append(scalarRecord(step, {{"eval/segm/AP", 0.125f * static_cast<float>(step)}}));
      writer.append(recordOf(pictureSummary(7, step, 3.5)));
    }
    if (std::string_view(name) == "ended")
      writer.append(sessionEndRecord(SessionStatus::Success, 7, 9.5));
  }
  const QJsonObject seen = reference({QStringLiteral("page"), runs}, complaint_).object();
  QVERIFY2(!seen.isEmpty(), qPrintable(complaint_));
  const QJsonArray images = seen[QStringLiteral("images")].toArray();
  QCOMPARE(images.size(), 6);
  QCOMPARE(images[5][0].toString(), QStringLiteral("running"));
  QCOMPARE(images[5][1].toString(), QStringLiteral("eval/predictions/7"));
  QCOMPARE(images[5][2].toInt(), 6);
  QCOMPARE(seen[QStringLiteral("hparams")].toArray(),  // what is varied comes first
           (QJsonArray{QStringLiteral("solver.base_lr"), QStringLiteral("augment.min_size"),
                       QStringLiteral("solver.nesterov")}));
  const QJsonObject sessions = seen[QStringLiteral("sessions")].toObject();
  const QJsonObject ended = sessions[QStringLiteral("ended")].toObject();
  QCOMPARE(ended[QStringLiteral("status")].toString(), QStringLiteral("STATUS_SUCCESS"));
  QCOMPARE(ended[QStringLiteral("metrics")].toObject(),
           (QJsonObject{{QStringLiteral("eval/segm/AP"), 0.75}}));
  QCOMPARE(ended[QStringLiteral("hparams")].toObject(),
           (QJsonObject{{QStringLiteral("augment.min_size"), QStringLiteral("[800]")},
                        {QStringLiteral("solver.base_lr"), 0.0},
                        {QStringLiteral("solver.nesterov"), false}}));
  QCOMPARE(sessions[QStringLiteral("running")].toObject()[QStringLiteral("status")].toString(),
           QStringLiteral("STATUS_UNKNOWN"));  // TensorBoard's, without an end
}

LOCKSTEP_TEST(TstTensorboard)
#include "tst_tensorboard.moc"
