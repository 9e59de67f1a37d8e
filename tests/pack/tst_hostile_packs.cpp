#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/pack/packed_run.h"
#include "tests/pack/tar_members.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::TarMember;
using tests::writeText;
namespace fs = std::filesystem;

namespace {

std::string manifestOf(std::size_t members, const std::string& datasetFiles = "{}",
                       const std::string& version = "1") {
  return R"({"format": "lockstep-packed-run", "version": )" + version +
         R"(, "run": "/runs/a", "packed": 1, "step": 2, "weights_step": null, "members": )" +
         std::to_string(members) + R"(, "dataset_files": )" + datasetFiles + "}";
}

/// A packed run with these further members.
std::vector<TarMember> packOf(const std::vector<TarMember>& others) {
  std::vector<TarMember> members{{"manifest.json", manifestOf(2 + others.size())},
                                 {"run.json", "{}"},
                                 {"config.yaml", "name: a\n"}};
  members.insert(members.end(), others.begin(), others.end());
  return members;
}

/// A file with holes in GNU's old sparse format: its last four bytes are in the tar.
std::string sparseHeader(const std::string& name, std::size_t bytes) {
  std::string header = tests::tarHeader({name, "data", 'S'});
  const auto put = [&](std::size_t at, std::size_t value) {
    std::snprintf(header.data() + at, 12, "%011zo", value);
  };
  std::memcpy(header.data() + 257, "ustar  \0", 8);
  put(386, bytes - 4);
  put(398, 4);
  put(483, bytes);
  std::memset(header.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  std::snprintf(header.data() + 148, 8, "%06o", sum);
  return header;
}

}  // namespace

/// A packed run may come from anybody.
class TstHostilePacks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    temporary_ = std::make_unique<QTemporaryDir>();
    qputenv("TMPDIR", temporary_->path().toUtf8());
  }
  void cleanup() { qunsetenv("TMPDIR"); }

  void anHonestOneIsRead() {
    write(tests::tarOf(packOf({{"evaluations/step-00000002.json", "{}"}})));
    const pack::PackedRun opened(file());
    QCOMPARE(tests::textOf(opened.layout().evaluation(2)), std::string("{}"));
  }

  void membersThatARunDoesNotHaveAreRefused_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"../escaped", "evaluations/../../escaped", "/tmp/escaped",
                             "./run.lock", "run.lock", "other.txt", "checkpoints", "evaluations/.",
                             "..", "source/", "images/../run.lock", "engine.log", "manifest.json"})
      QTest::newRow(name) << QString::fromUtf8(name);
  }
  void membersThatARunDoesNotHaveAreRefused() {
    QFETCH(QString, name);
    write(tests::tarOf(packOf({{name.toStdString(), "x"}})));
    refuse("pack the run again");
  }

  void linksAndFoldersAreRefused_data() {
    QTest::addColumn<char>("type");
    QTest::addColumn<QString>("link");
    QTest::newRow("symlink") << '2' << "/etc/passwd";
    QTest::newRow("hard link") << '1' << "/etc/passwd";
    QTest::newRow("hard link to a member") << '1' << "run.json";
    QTest::newRow("device") << '3' << "";
    QTest::newRow("FIFO") << '6' << "";
    QTest::newRow("folder") << '5' << "";
  }
  void linksAndFoldersAreRefused() {
    QFETCH(char, type);
    QFETCH(QString, link);
    write(tests::tarOf(packOf({{"source/a", "", type, link.toStdString()}})));
    refuse("is not a file");
  }

  void aMemberThatIsThereTwiceIsRefused() {
    write(tests::tarOf(packOf({{"run.json", "{}"}})));
    refuse("is there twice");
  }

  void aFolderThatIsAFileIsRefused() {
    write(tests::tarOf(packOf({{"images/a", "x"}, {"images/a/b", "x"}})));
    refuse("cannot be unpacked");
  }

  void aMemberLargerThanTheFileIsRefused() {
    write(tests::tarOf(packOf({{"images/a", "x", '0', "", 1ULL << 32}})));
    refuse("does not fit in it");
  }

  /// Each is smaller than the file, but not all together.
  void membersThatAreLargerThanTheFileTogetherAreRefused() {
    std::string tar = tests::tarOf(packOf({{"notes.json", std::string(4000, ' ')}}));
    tar.resize(tar.size() - 1024);
    for (const char* name : {"images/1", "images/2"})
      tar += sparseHeader(name, 4000) + "data" + std::string(508, '\0');
    write(tar + std::string(1024, '\0'));
    refuse("images/1");
  }

  void aMemberWithoutANameIsNamedSo() {
    write(tests::tarOf(packOf({{"", "x"}})));
    refuse("a member without a name");
  }

  void aFileWithHolesIsRefused_data() {
    QTest::addColumn<std::size_t>("bytes");
    QTest::addColumn<QString>("message");
    QTest::newRow("8 GiB") << (std::size_t{1} << 33) - 1 << "does not fit in it";
    QTest::newRow("less than the file has") << std::size_t{600} << "has holes";
  }
  /// GNU's old sparse format: four bytes that stand for many.
  void aFileWithHolesIsRefused() {
    QFETCH(std::size_t, bytes);
    QFETCH(QString, message);
    std::string tar = tests::tarOf(packOf({{"notes.json", "{}"}}));
    tar.resize(tar.size() - 1024);
    tar +=
        sparseHeader("images/a", bytes) + "data" + std::string(508, '\0') + std::string(1024, '\0');
    write(tar);
    refuse(message.toStdString());
  }

  void aFileThatIsCutIsRefusedWhereverItIsCut() {
    const std::string whole =
        tests::tarOf(packOf({{"evaluations/step-00000002.json", std::string(2000, ' ')}}));
    for (std::size_t bytes = 0; bytes + 1024 < whole.size(); bytes += 100) {
      write(whole.substr(0, bytes));
      QVERIFY2(!refusal().empty(), std::to_string(bytes).c_str());
    }
  }

  void otherFilesAreRefused_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& content, const char* message) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << QString::fromUtf8(message);
    };
    row("empty", "", "damaged");
    row("text", "base: a.yaml\n", "damaged");
    row("gzip", std::string("\x1f\x8b\x08\0", 4) + std::string(600, 'x'), "damaged");
    row("another tar", tests::tarOf({{"run.json", "{}"}}), "is not a packed run");
    row("another manifest", tests::tarOf({{"manifest.json", "{}"}}), "is not a packed run");
    row("a manifest that is no JSON", tests::tarOf({{"manifest.json", "{"}}),
        "is not a packed run");
    row("a manifest without members",
        tests::tarOf({{"manifest.json", R"({"format": "lockstep-packed-run", "version": 1})"}}),
        "manifest is damaged");
    row("a later version", tests::tarOf({{"manifest.json", manifestOf(0, "{}", "2")}}),
        "later version");
    row("a much later version",
        tests::tarOf({{"manifest.json", manifestOf(0, "{}", "1180591620717411303424")}}),
        "later version");
    for (const char* version : {"-1", "0", "0.5", "\"1\"", "null"})
      row(version, tests::tarOf({{"manifest.json", manifestOf(0, "{}", version)}}),
          "manifest is damaged");
    row("without a run", tests::tarOf({{"manifest.json", manifestOf(0)}}), "has no run.json");
    row("members that are missing", tests::tarOf({{"manifest.json", manifestOf(3)}}),
        "not all members");
    row("a manifest that names other files",
        tests::tarOf({{"manifest.json", manifestOf(2, R"({"/data/a.png": "../../etc/passwd"})")},
                      {"run.json", "{}"},
                      {"config.yaml", ""}}),
        "which no packed run has");
  }
  void otherFilesAreRefused() {
    QFETCH(QByteArray, content);
    QFETCH(QString, message);
    write(content.toStdString());
    refuse(message.toStdString());
  }

 private:
  fs::path file() const { return folder_->filePath(QStringLiteral("a.lockstep")).toStdString(); }
  void write(const std::string& bytes) const { writeText(file(), bytes); }
  std::string refusal() const {
    return tests::messageOf([&] { pack::PackedRun opened(file()); });
  }
  /// With the file's name, and nothing left or written elsewhere.
  void refuse(const std::string& message) const {
    const std::string refused = refusal();
    QVERIFY2(contains(refused, message), refused.c_str());
    QVERIFY2(refused.starts_with(file().string()), refused.c_str());
    QVERIFY(!contains(refused, "\n"));
    QVERIFY(fs::is_empty(temporary_->path().toStdString()));
    QVERIFY(!fs::exists("/tmp/escaped"));
  }

  std::unique_ptr<QTemporaryDir> folder_, temporary_;
};

LOCKSTEP_TEST(TstHostilePacks)
#include "tst_hostile_packs.moc"
