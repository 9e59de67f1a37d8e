#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/coco/files/results.h"
#include "engine/coco/masks/rle.h"
#include "tests/end_to_end/test_workspace.h"
#include "tests/serve/http_client.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::HttpClient;
using tests::HttpReply;
using tests::kPatienceMs;
using tests::ProcessResult;
using tests::TestWorkspace;
using tests::words;

namespace {

/// `lockstep-engine serve` with the real worker, ready.
class Server {
 public:
  Server(const TestWorkspace& place, const QString& model, const QStringList& options = {})
      : process_(place.start("lockstep-engine",
                             QStringList{QStringLiteral("serve"), model, QStringLiteral("--port"),
                                         QStringLiteral("0")} +
                                 options)) {
    if (!process_->waitForReadyRead(kPatienceMs)) return;
    port_ = json::parse(process_->readLine().toStdString()).at("port").get<int>();
    isReady_ = QTest::qWaitFor([this] { return client().get("/ping").status == 200; }, kPatienceMs);
  }
  ~Server() {
    process_->terminate();
    process_->waitForFinished();
  }
  bool isReady() const { return isReady_; }
  int port() const { return port_; }
  HttpClient client() const { return HttpClient(port_); }
  HttpReply detect(const QByteArray& image, const std::string& query = "") const {
    return client().post("/invocations" + query, "image/png", image.toStdString());
  }

 private:
  std::unique_ptr<QProcess> process_;
  int port_ = 0;
  bool isReady_ = false;
};

/// As `predict` uses them.
const QStringList kLastWeights{QStringLiteral("--weights"), QStringLiteral("last")};

std::string errorOf(const HttpReply& reply) { return json::parse(reply.body).value("error", ""); }

}  // namespace

/// What is served is what `predict` finds.
class TstServe : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    place_ = std::make_unique<TestWorkspace>();
    place_->copyMadeRun();
    for (const char* folder : {"shapes/train", "shapes/val"}) {
      const QDir images(place_->path(QLatin1String(folder)));
      for (const QString& name : images.entryList(QDir::Files)) files_ << images.filePath(name);
    }
    QCOMPARE(files_.size(), 6);
    const ProcessResult predicted =
        place_->engine(words("predict run --out these.json --images") + files_);
    QVERIFY2(predicted.status == 0, predicted.err.constData());
    for (json& found : json::parse(place_->read(QStringLiteral("these.json")).toStdString())) {
      const auto file = found.at("file_name").get<std::string>();
      found.erase("file_name");
      found["image_id"] = 1;
      predicted_[QString::fromStdString(file)].push_back(found);
    }
    QVERIFY2(!predicted_.empty(), "without detections nothing is compared");
  }

  void answersArePredictsToTheLastBit_data() {
    QTest::addColumn<QStringList>("options");
    QTest::newRow("one thread") << QStringList{QStringLiteral("--set"),
                                               QStringLiteral("runtime.cpu_threads=1")};
    QTest::newRow("batches") << QStringList{QStringLiteral("--set"),
                                            QStringLiteral("runtime.cpu_threads=4")};
    QTest::newRow("two workers") << QStringList{QStringLiteral("--workers"), QStringLiteral("2")};
  }
  void answersArePredictsToTheLastBit() {
    QFETCH(QStringList, options);
    const Server server(*place_, QStringLiteral("run"), options + kLastWeights);
    QVERIFY(server.isReady());
    std::vector<HttpClient> clients;
    for (const QString& file : files_) {
      const std::string image = place_->read(file).toStdString();
      clients.push_back(server.client());
      clients.back().send(tests::postHead("/invocations", "image/png", image.size()) + "\r\n" +
                          image);
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      const HttpReply reply = clients[i].reply();
      QCOMPARE(reply.status, 200);
      QVERIFY2(json::parse(reply.body) == predictedOf(files_[static_cast<qsizetype>(i)]),
               reply.body.c_str());
    }
  }

  /// What predict writes is the answer's text but for the names of the files.
  void answersArePredictsToTheLastByte() {
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    QByteArray body;
    for (const QString& file : files_)
      body += "--b\r\nContent-Disposition: form-data; name=\"i\"; filename=\"i\"\r\n\r\n" +
              place_->read(file) + "\r\n";
    const HttpReply reply = server.client().post("/invocations", "multipart/form-data; boundary=b",
                                                 body.toStdString() + "--b--");
    QCOMPARE(reply.status, 200);
    QString text = QString::fromUtf8(place_->read(QStringLiteral("these.json")));
    QVERIFY(text.contains(u"file_name"));
    text.remove(QRegularExpression(QStringLiteral(",\"file_name\":\"[^\"]*\"")));
    QCOMPARE(QString::fromStdString(reply.body), text);
  }

  void tritonsClientGetsWhatPredictWrites() {
    const auto sources = tests::sourceFolder();
    const QString python =
        QString::fromStdString((sources / ".venv/checkers/triton/bin/python").string());
    if (!QFile::exists(python)) QSKIP("needs Triton's client: packaging/setup.sh --dev --all");
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const auto script = sources / "tests/end_to_end/open_inference_client.py";
    QCOMPARE(QProcess::execute(
                 python, QStringList{QString::fromStdString(script.string()),
                                     QString::number(server.port()), QStringLiteral("end_to_end"),
                                     place_->path(QStringLiteral("these.json"))} +
                             files_),
             0);
  }

  void thePageShowsWhatPredictWrites() {
    if (QStandardPaths::findExecutable(QStringLiteral("chromium")).isEmpty())
      QSKIP("needs chromium: packaging/setup.sh --dev --all");
    if (tests::python().isEmpty()) QSKIP("pycocotools is not installed (packaging/setup.sh --dev)");
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const auto script = tests::sourceFolder() / "tests/end_to_end/page_in_chromium.py";
    QCOMPARE(QProcess::execute(tests::python(), {QString::fromStdString(script.string()),
                                                 QString::number(server.port()), files_[0],
                                                 place_->path(QStringLiteral("these.json"))}),
             0);
  }

  void anImageIsTurnedAsItsExifSays_data() {
    QTest::addColumn<QString>("format");
    for (const char* format : {"png", "webp", "tiff", "jpg"})
      QTest::newRow(format) << QString::fromLatin1(format);
  }
  void anImageIsTurnedAsItsExifSays() {
    if (tests::python().isEmpty()) QSKIP("Pillow is not installed (packaging/setup.sh --dev)");
    QFETCH(QString, format);
    const QString turned = place_->path(QStringLiteral("turned.") + format),
                  upright = place_->path(QStringLiteral("upright.png"));
    const QString script = QStringLiteral(
        "import sys; from PIL import Image, ImageOps\n"
        "exif = Image.Exif(); exif[0x112] = 6\n"
        "Image.open(sys.argv[1]).save(sys.argv[2], exif=exif, lossless=True)\n"
        "ImageOps.exif_transpose(Image.open(sys.argv[2])).save(sys.argv[3], exif=Image.Exif())");
    QCOMPARE(QProcess::execute(tests::python(),
                               {QStringLiteral("-c"), script, files_[0], turned, upright}),
             0);
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const HttpReply reply = server.detect(place_->read(turned), "?score=0");
    QVERIFY(reply.body.size() > 100);
    QCOMPARE(reply.body, server.detect(place_->read(upright), "?score=0").body);
    const QImage stored(files_[0]);
    QCOMPARE(json::parse(reply.body).at(0).at("segmentation").at("size").dump(),
             json({stored.width(), stored.height()}).dump());
  }

  void anArrayOfPixelsIsItsImage() {
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const QImage image = QImage(files_[0]).convertToFormat(QImage::Format_RGB888);
    std::string npy = "{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                      std::to_string(image.height()) + ", " + std::to_string(image.width()) +
                      ", 3), }\n";
    npy = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(npy.size()) + '\0' + npy;
    for (int y = 0; y < image.height(); ++y)
      npy.append(reinterpret_cast<const char*>(image.constScanLine(y)),
                 static_cast<std::size_t>(3 * image.width()));
    const HttpReply reply = server.client().post("/invocations", "application/x-npy", npy);
    QVERIFY2(json::parse(reply.body) == predictedOf(files_[0]), reply.body.c_str());
  }

  void theWeightsAloneAreServed() {
    const QString alone = place_->path(QStringLiteral("alone.safetensors"));
    QVERIFY(QFile::copy(weights(), alone));
    const Server server(*place_, alone);
    QVERIFY(server.isReady());
    QVERIFY(json::parse(server.detect(place_->read(files_[0])).body) == predictedOf(files_[0]));
    QCOMPARE(json::parse(server.client().get("/v2/models/end_to_end").body).value("name", ""),
             std::string("end_to_end"));
  }

  void aFolderOfWeightsAndConfigurationIsServed() {
    QVERIFY(QDir().mkpath(place_->path(QStringLiteral("model"))));
    QVERIFY(QFile::copy(weights(), place_->path(QStringLiteral("model/model.safetensors"))));
    QVERIFY(QFile::copy(place_->path(QStringLiteral("run/config.yaml")),
                        place_->path(QStringLiteral("model/config.yaml"))));
    const Server server(*place_, QStringLiteral("model"));
    QVERIFY(server.isReady());
    QVERIFY(json::parse(server.detect(place_->read(files_[0])).body) == predictedOf(files_[0]));
  }

  void labelsAreTheMasksByScore() {
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const HttpReply reply = server.detect(place_->read(files_[0]), "?form=labels");
    QCOMPARE(reply.headers.at("content-type"), std::string("image/png"));
    const QImage labels = QImage::fromData(QByteArray::fromStdString(reply.body));
    const auto found = coco::parseDetections(predictedOf(files_[0]).dump(), "predictions");
    QVERIFY(!found.empty());
    std::vector<std::vector<std::uint8_t>> masks;
    for (const coco::Detection& each : found) masks.push_back(coco::decodeMask(each.mask));
    for (int y = 0; y < labels.height(); ++y)
      for (int x = 0; x < labels.width(); ++x) {
        int expected = 0;
        for (std::size_t i = masks.size(); i-- > 0;)
          if (masks[i][static_cast<std::size_t>(y * labels.width() + x)] != 0)
            expected = static_cast<int>(i) + 1;
        QCOMPARE(qGray(labels.pixel(x, y)), expected);
      }
  }

  void overlaysAndPolygonsAreOfTheImage() {
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const QByteArray image = place_->read(files_[0]);
    const QImage drawn =
        QImage::fromData(QByteArray::fromStdString(server.detect(image, "?form=overlay").body));
    QCOMPARE(drawn.size(), QImage::fromData(image).size());
    QVERIFY(drawn.convertToFormat(QImage::Format_RGB32) !=
            QImage::fromData(image).convertToFormat(QImage::Format_RGB32));
    const json polygons = json::parse(server.detect(image, "?form=polygons").body);
    const json& expected = predictedOf(files_[0]);
    QCOMPARE(polygons.size(), expected.size());
    for (std::size_t i = 0; i < polygons.size(); ++i) {
      QCOMPARE(polygons[i].at("score").get<double>(), expected[i].at("score").get<double>());
      double twiceArea = 0;  // by the shoelace formula; holes count negatively
      for (const json& ring : polygons[i].at("segmentation"))
        for (std::size_t p = 0; p < ring.size(); p += 2) {
          const std::size_t next = (p + 2) % ring.size();
          twiceArea += ring[p].get<double>() * ring[next + 1].get<double>() -
                       ring[next].get<double>() * ring[p + 1].get<double>();
        }
      const auto mask = coco::parseDetections(json::array({expected[i]}).dump(), "one")[0].mask;
      const auto pixels = coco::decodeMask(mask);
      QCOMPARE(std::abs(twiceArea) / 2,
               static_cast<double>(std::ranges::count_if(pixels, [](auto p) { return p != 0; })));
    }
  }

  void whatIsNoImageIsTheClientsFault_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("why");
    QByteArray bomb, cut;
    QImage many(11'000, 11'000, QImage::Format_Mono);
    many.fill(0);
    QBuffer packed(&bomb);
    QVERIFY(many.save(&packed, "PNG"));
    QVERIFY(bomb.size() < 1'000'000);
    QTest::newRow("text") << QByteArray("hello")
                          << QByteArray("(JPEG, PNG, BMP, TIFF, WebP); send one of these");
    QTest::newRow("too many pixels") << bomb << QByteArray("has more pixels than are allowed");
    QTest::newRow("cut") << place_->read(files_[0]).first(300)
                         << QByteArray(
                                "is truncated: the end of the image is missing; send the "
                                "whole file");
  }
  void whatIsNoImageIsTheClientsFault() {
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, why);
    const Server& server = serverOfRun();
    QVERIFY(server.isReady());
    const HttpReply reply = server.detect(bytes);
    QCOMPARE(reply.status, 400);
    const QByteArray error = QByteArray::fromStdString(errorOf(reply));
    QVERIFY2(error.startsWith("the image ") && error.contains(why), error.constData());
    QCOMPARE(server.detect(place_->read(files_[0])).status, 200);
  }

  void weightsWithoutAnExperimentSayHowToServeThem() {
    place_->write(QStringLiteral("old.safetensors"), QByteArray("\x02\0\0\0\0\0\0\0{}", 10));
    const ProcessResult refused = engine("serve old.safetensors");
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.err.contains("its metadata have no experiment") &&
                 refused.err.contains("DIR/config.yaml"),
             refused.err.constData());
  }

 private:
  ProcessResult engine(const char* line) const { return place_->engine(words(line)); }
  /// One server for all slots that need no other options.
  const Server& serverOfRun() {
    if (!server_) server_ = std::make_unique<Server>(*place_, QStringLiteral("run"), kLastWeights);
    return *server_;
  }
  QString weights() const {
    const run_folder::Layout run(place_->path(QStringLiteral("run")).toStdString());
    return QString::fromStdString(run_folder::resolveWeights(run, "last").string());
  }
  json predictedOf(const QString& file) const {
    for (const auto& [name, found] : predicted_)
      if (file.endsWith(name) || name.endsWith(file)) return found;
    return json::array();
  }

  std::unique_ptr<TestWorkspace> place_;
  std::unique_ptr<Server> server_;
  QStringList files_;
  std::map<QString, json> predicted_;
};

LOCKSTEP_TEST(TstServe)
#include "tst_serve.moc"
