#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/run_folder/run_files.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/contains.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using run_folder::RunFiles;
using tests::contains;
using tests::writeText;
namespace fs = std::filesystem;

namespace {

/// A run with a file of each kind that is served, and of some that are not.
struct RunWithFiles {
  RunWithFiles() {
    const std::string dataset = (root() / "data").string();
    writeText(run() / "config.yaml", "dataset:\n  train: {images: " + dataset +
                                         "/train, annotations: " + dataset + "/train.json}\n" +
                                         "  val: {images: " + dataset +
                                         "/val, annotations: " + dataset + "/val.json}\n");
    writeText(run() / "evaluations/step-00000002.json", "{}");
    writeText(run() / "predictions/step-00000002.json", "[]");
    writeText(run() / "predictions/pictures/1.png", "picture");
    writeText(run() / "source/drops.yaml", "name: drops");
    writeText(run() / "run.json", "secret");
    writeText(run() / "checkpoints/step-00000002/model.safetensors", "secret");
    for (const char* part : {"train", "val"}) {
      writeText(root() / "data" / (std::string(part) + ".json"),
                R"({"annotations":[],"categories":[],"images":[{"id":1},)"
                R"({"id":2,"file_name":"sub/2.png"},{"id":3,"file_name":"gone.png"},7,)"
                R"({"id":4,"file_name":"../../outside.txt"}]})");
      writeText(root() / "data" / part / "sub/2.png", std::string(part) + " 2");
      writeText(root() / "data" / part / "unlisted.png", "secret");
    }
    writeText(root() / "outside.txt", "secret");
  }
  fs::path root() const { return folder.path().toStdString(); }
  fs::path run() const { return root() / "run"; }
  std::string image(const std::string& name) const { return (root() / "data" / name).string(); }

  QTemporaryDir folder;
};

/// The data of a file, or why it is not sent.
std::string answerTo(RunFiles& files, const std::string& path, std::int64_t offset = 0) {
  const protocol::EngineMessage answer = files.answer({"7", path, offset});
  if (const auto* error = std::get_if<protocol::ErrorReply>(&answer)) return error->message;
  return std::get<protocol::FilePart>(std::get<protocol::Ok>(answer).answer).data;
}

}  // namespace

class TstRunFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void filesOfTheRunAndOfItsDatasetAreSent() {
    const RunWithFiles made;
    RunFiles files{run_folder::Layout(made.run())};
    QVERIFY(contains(answerTo(files, "config.yaml"), "val.json"));
    QCOMPARE(answerTo(files, "evaluations/step-00000002.json"), std::string("{}"));
    QCOMPARE(answerTo(files, "predictions/step-00000002.json"), std::string("[]"));
    QCOMPARE(answerTo(files, "predictions/pictures/1.png"), std::string("picture"));
    QCOMPARE(answerTo(files, "source/drops.yaml"), std::string("name: drops"));
    QCOMPARE(answerTo(files, made.image("val/sub/2.png")), std::string("val 2"));
    QCOMPARE(answerTo(files, made.image("train/sub/2.png")), std::string("train 2"));
    QVERIFY(contains(answerTo(files, made.image("val.json")), "file_name"));
  }

  void nothingElseIsSent_data() {
    QTest::addColumn<QString>("path");
    for (const char* path :
         {".", "..", "run.json", "checkpoints/step-00000002/model.safetensors", "evaluation",
          "evaluations/../run.json", "./evaluations/step-00000002.json",
          "predictions/../../outside.txt", "../outside.txt", "/etc/passwd", "config.yaml/.",
          "DATA/val/unlisted.png", "DATA/val/../val/sub/2.png", "DATA/val/../../outside.txt",
          "DATA/val", "DATA/val/", "DATA", "DATA/val/sub", "DATA/../run/run.json"})
      QTest::newRow(path) << QString::fromLatin1(path);
  }
  void nothingElseIsSent() {
    QFETCH(QString, path);
    const RunWithFiles made;
    RunFiles files{run_folder::Layout(made.run())};
    path.replace(QStringLiteral("DATA"), made.folder.filePath(QStringLiteral("data")));
    const std::string answer = answerTo(files, path.toStdString());
    QVERIFY2(contains(answer, ": is not sent: it is neither config.yaml, nor in evaluations/, "),
             answer.c_str());
  }

  void anEmptyNameIsSaidToBeNone() {
    const RunWithFiles made;
    RunFiles files{run_folder::Layout(made.run())};
    QCOMPARE(answerTo(files, ""), std::string("the request for a file names none"));
  }

  void answersOfItsEngineAreSent() {
    const RunWithFiles made;
    const fs::path socket = made.root() / "sockets/1f.sock",
                   answers = made.root() / "sockets/1f.answers";
    writeText(answers / "12.json", "answer");
    writeText(answers / "x.json", "secret");
    writeText(made.root() / "sockets/1.json", "secret");
    fs::create_symlink(made.root() / "outside.txt", answers / "3.json");
    RunFiles files(run_folder::Layout(made.run()), socket);
    QCOMPARE(answerTo(files, (answers / "12.json").string()), std::string("answer"));
    for (const char* path : {"1f.answers/x.json", "1f.answers/../1.json", "1.json", "1f.answers",
                             "1f.answers/12.json/"})
      QVERIFY(contains(answerTo(files, (made.root() / "sockets" / path).string()), "is not sent"));
    QVERIFY(contains(answerTo(files, (answers / "3.json").string()), "symlink"));
    RunFiles none{run_folder::Layout(made.run())};
    QVERIFY(contains(answerTo(none, (answers / "12.json").string()), "is not sent"));
  }

  void aFolderIsNotSent() {
    const RunWithFiles made;
    RunFiles files{run_folder::Layout(made.run())};
    QCOMPARE(answerTo(files, "evaluations"), std::string("evaluations: is not a file"));
    QCOMPARE(answerTo(files, "predictions/pictures"),
             std::string("predictions/pictures: is not a file"));
  }

  void symlinksInTheRunFolderAreNotFollowed() {
    const RunWithFiles made;
    fs::create_symlink("../../outside.txt", made.run() / "evaluations/out.json");
    fs::create_symlink("../run.json", made.run() / "evaluations/in.json");
    fs::create_directory_symlink("../checkpoints", made.run() / "predictions/folder");
    RunFiles files{run_folder::Layout(made.run())};
    for (const char* path : {"evaluations/out.json", "evaluations/in.json",
                             "predictions/folder/step-00000002/model.safetensors"}) {
      const std::string answer = answerTo(files, path);
      QVERIFY2(contains(answer, "is not sent: its path has a symlink"), answer.c_str());
    }
    fs::remove_all(made.run() / "predictions");
    fs::create_directory_symlink("checkpoints", made.run() / "predictions");
    QVERIFY(contains(answerTo(files, "predictions/step-00000002/model.safetensors"), "symlink"));
  }

  /// As in datasets that are made of links to one folder of images.
  void anImageMayBeASymlink() {
    const RunWithFiles made;
    writeText(made.root() / "elsewhere.png", "linked");
    fs::create_symlink("../../elsewhere.png", made.image("val/gone.png"));
    RunFiles files{run_folder::Layout(made.run())};
    QCOMPARE(answerTo(files, made.image("val/gone.png")), std::string("linked"));
  }

  void vanishedFilesAreNamed() {
    const RunWithFiles made;
    RunFiles files{run_folder::Layout(made.run())};
    const std::string image = made.image("val/gone.png");
    QCOMPARE(answerTo(files, image), image + ": No such file or directory");
    QCOMPARE(answerTo(files, "predictions/step-00000004.json"),
             std::string("predictions/step-00000004.json: No such file or directory"));
    fs::remove_all(made.root() / "data");
    RunFiles others{run_folder::Layout(made.run())};
    QVERIFY(contains(answerTo(others, image), "val.json: "));
    fs::remove_all(made.run());
    QVERIFY(contains(answerTo(files, "config.yaml"), "No such file or directory"));
  }

  void pipesAreNotWaitedFor() {
    const RunWithFiles made;
    QCOMPARE(::mkfifo((made.run() / "evaluations/pipe.json").c_str(), 0600), 0);
    RunFiles files{run_folder::Layout(made.run())};
    QVERIFY(contains(answerTo(files, "evaluations/pipe.json"), "is not a file"));
  }

  void hugeFilesAreRefused() {
    const RunWithFiles made;
    const fs::path file = made.run() / "evaluations/huge.json";
    writeText(file, "");
    RunFiles files{run_folder::Layout(made.run())};
    fs::resize_file(file, RunFiles::kMaxBytes + (1 << 20));  // sparse
    QCOMPARE(answerTo(files, "evaluations/huge.json"),
             std::string("evaluations/huge.json: is not sent: it has 257 MiB, and the limit is 256 "
                         "MiB"));
    fs::resize_file(file, RunFiles::kMaxBytes);
    QCOMPARE(answerTo(files, "evaluations/huge.json", RunFiles::kMaxBytes - 3),
             std::string(3, '\0'));
  }

  void aLargeFileComesInPartsThatFitALine() {
    const RunWithFiles made;
    std::string content;
    for (int i = 0; content.size() < 1'200'000; ++i) content += std::to_string(i);
    writeText(made.run() / "predictions/step-00000006.json", content);
    RunFiles files{run_folder::Layout(made.run())};
    std::string received;
    for (int parts = 1;; ++parts) {
      const auto answer = files.answer(
          {"1", "predictions/step-00000006.json", static_cast<std::int64_t>(received.size())});
      QVERIFY(protocol::encode(answer).size() < protocol::kMaxLineBytes);
      const auto& part = std::get<protocol::FilePart>(std::get<protocol::Ok>(answer).answer);
      QCOMPARE(part.bytes, static_cast<std::int64_t>(content.size()));
      QVERIFY(part.modified > 1e9);
      received += part.data;
      if (received.size() < content.size()) continue;
      QCOMPARE(parts, 3);
      break;
    }
    QVERIFY(received == content);
    QCOMPARE(answerTo(files, "predictions/step-00000006.json", 1 << 30), std::string());
  }
};

LOCKSTEP_TEST(TstRunFiles)
#include "tst_run_files.moc"
