// packaging/convert_weights.py on the files of tests/reference/weights_files.py.
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <map>
#include <string_view>

#include "tests/support/file_content.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

struct ProcessResult {
  int status = -1;
  QByteArray out;
  QString err;
};

ProcessResult run(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.start(program, arguments);
  ProcessResult ended;
  if (process.waitForFinished(120000) && process.exitStatus() == QProcess::NormalExit)
    ended.status = process.exitCode();
  ended.out = process.readAllStandardOutput();
  ended.err = QString::fromUtf8(process.readAllStandardError()).trimmed();
  return ended;
}

QString script(const char* relative) {
  return QString::fromStdString((tests::sourceFolder() / relative).string());
}

ProcessResult reference(const QStringList& arguments) {
  return run(tests::python(), QStringList{script("tests/reference/weights_files.py")} + arguments);
}

ProcessResult convert(const QString& in, const QString& out) {
  return run(tests::python(), {script("packaging/convert_weights.py"), in, out});
}

/// A file of the script, what to convert it to, and what its refusal says: why, and what to do.
struct Refusal {
  std::string_view file;
  const char *reason, *wayOut;
  const char* out = "out.safetensors";
  int status = 1;
};

constexpr const char* kSave = "save model.state_dict()";
constexpr const char* kNeither = "neither a Mask R-CNN with a ResNet-FPN backbone nor a ResNet";
constexpr const char* kOthers = "start from weights of torchvision";
constexpr const char* kDense = "save it as dense float32";
constexpr Refusal kRefusals[] = {
    {"whole_module.pth", "torch.nn.modules.linear.Linear", kSave},
    {"script.pth", "TorchScript", kSave},
    {"checkpoint.pth", "under 'model'", "['model'], 'weights.pth')"},
    {"state_dict_inside.pth", "under 'state_dict'", "['state_dict'], 'weights.pth')"},
    {"detectron2.pth", "layers of Detectron2", kOthers},
    {"mmdetection.pth", "layers of MMDetection", kOthers},
    {"wrapped.pth", "begin with 'module.'", "save the state_dict of the model inside"},
    {"with_a_number.pth", "a int under 'epoch'", kSave},
    {"a_list.pth", "holds a list", kSave},
    {"empty.pth", "no tensors", ""},
    {"another_network.pth", kNeither, "unknown name '0.weight'"},
    {"without_masks.pth", kNeither, "no 'roi_heads.mask_predictor.mask_fcn_logits.weight'"},
    {"one_name_more.pth", kNeither, "unknown name 'layer1.0.conv9.weight'"},
    {"second.pth", "is torchvision's maskrcnn_resnet50_fpn_v2", "take maskrcnn_resnet50_fpn"},
    {"complex.pth", "'bn1.bias' is complex64", kDense},
    {"sparse.pth", "'bn1.bias' is float32 sparse_coo", kDense},
    {"repeated_memory.pth", "'bn1.bias' claims 4000000000000 bytes", kSave},
    {"no_file_of_pytorch.pth", "damaged or no PyTorch file", ""},
    {"cut_off.pth", "damaged or no PyTorch file", ""},
    {"cut_off.safetensors", "damaged or no safetensors file", "", "out.pth"},
    // Something to mend in the command line.
    {"gone.pth", "does not exist", "", "out.safetensors", 2},
    {"resnet18.pth", "must end in .pth, the other", "", "out.pth", 2},
    {"written.safetensors", "gone/out.pth cannot be written", "its folder does not exist",
     "gone/out.pth", 2},
};

void write(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
}

}  // namespace

class TstConvertWeights : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (tests::python().isEmpty()) QSKIP("needs Python with torchvision: packaging/setup.sh --dev");
    QVERIFY(folder_.isValid());
    const ProcessResult made = reference({QStringLiteral("make"), folder_.path()});
    QVERIFY2(made.status == 0, qPrintable(made.err));
    convertRefusals();
  }

  void torchvisionsWeightsComeBackBitForBit_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("said");
    QTest::newRow("mask_rcnn") << QStringLiteral("mask_rcnn")
                               << QStringLiteral("a Mask R-CNN of 91 classes with background");
    QTest::newRow("resnet18") << QStringLiteral("resnet18")
                              << QStringLiteral("122 tensors of a ResNet");
  }
  void torchvisionsWeightsComeBackBitForBit() {
    QFETCH(QString, name);
    QFETCH(QString, said);
    const QString original = path(name + QStringLiteral(".pth"));
    const QString converted = path(name + QStringLiteral(".safetensors"));
    const QString back = path(name + QStringLiteral("_back.pth"));
    const ProcessResult there = convert(original, converted);
    QVERIFY2(there.status == 0 && there.err.contains(said), qPrintable(there.err));
    const ProcessResult andBack = convert(converted, back);
    QVERIFY2(andBack.status == 0 && andBack.err.contains(said), qPrintable(andBack.err));
    const ProcessResult compared = reference({QStringLiteral("same"), original, converted, back});
    QVERIFY2(compared.status == 0, qPrintable(compared.err));
  }

  void codeInAPickleIsRefusedAndNotExecuted_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("today's format") << QStringLiteral("hostile.pth");
    QTest::newRow("the old format") << QStringLiteral("hostile_old.pth");
  }
  void codeInAPickleIsRefusedAndNotExecuted() {
    QFETCH(QString, name);
    const ProcessResult ended = convert(path(name), path(QStringLiteral("hostile.safetensors")));
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains(QStringLiteral("posix.system), of which nothing was executed")),
             qPrintable(ended.err));
    QVERIFY(!QFile::exists(path(QStringLiteral("executed"))));
    QVERIFY(!QFile::exists(path(QStringLiteral("hostile.safetensors"))));
  }

  void otherLayoutsAreRefusedInOneLine_data() {
    QTest::addColumn<QString>("file");
    for (const Refusal& refusal : kRefusals)
      QTest::newRow(refusal.file.data()) << QString::fromLatin1(refusal.file.data());
  }
  void otherLayoutsAreRefusedInOneLine() {
    QFETCH(QString, file);
    const Refusal& refusal = *std::ranges::find(kRefusals, file.toStdString(), &Refusal::file);
    const ProcessResult& ended = refusals_.at(file);
    QCOMPARE(ended.status, refusal.status);
    QVERIFY2(ended.err.startsWith(QStringLiteral("convert_weights.py: ") + path(file)),
             qPrintable(ended.err));
    QVERIFY2(!ended.err.contains(QLatin1Char('\n')), qPrintable(ended.err));
    QVERIFY2(ended.err.contains(QLatin1String(refusal.reason)), qPrintable(ended.err));
    QVERIFY2(ended.err.contains(QLatin1String(refusal.wayOut)), qPrintable(ended.err));
    QVERIFY(!QFile::exists(path(QLatin1String(refusal.out))));
  }

  void aMissingArgumentIsAUserError() {
    const ProcessResult ended = run(tests::python(), {script("packaging/convert_weights.py"),
                                                      path(QStringLiteral("resnet18.pth"))});
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.contains(QStringLiteral("required: OUT")), qPrintable(ended.err));
  }

  void aFileThatCannotBeWrittenLeavesTheOldOne_data() {
    QTest::addColumn<QString>("in");
    QTest::addColumn<QString>("out");
    QTest::newRow("to safetensors")
        << QStringLiteral("resnet18.pth") << QStringLiteral("kept/a.safetensors");
    QTest::newRow("to pth") << QStringLiteral("written.safetensors")
                            << QStringLiteral("kept/a.pth");
  }
  void aFileThatCannotBeWrittenLeavesTheOldOne() {
    QFETCH(QString, in);
    QFETCH(QString, out);
    QVERIFY(QDir(folder_.path()).mkpath(QStringLiteral("kept")));
    write(path(out), "old");
    const ProcessResult ended = run(
        QStringLiteral("sh"),
        {QStringLiteral("-c"), QStringLiteral("ulimit -f 64; exec \"$@\""), QStringLiteral("sh"),
         tests::python(), script("packaging/convert_weights.py"), path(in), path(out)});
    QCOMPARE(ended.status, 1);
    QVERIFY2(ended.err.contains(QStringLiteral("cannot be written")), qPrintable(ended.err));
    QVERIFY2(!ended.err.contains(QLatin1Char('\n')), qPrintable(ended.err));
    QCOMPARE(tests::contentOf(path(out)), QByteArray("old"));
    QFile::remove(path(out));
    const QDir kept(path(QStringLiteral("kept")));
    QCOMPARE(kept.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList());
  }

  void theEpsilonOfCocoWeightsIsKnownByTheirChecksum() {
    const ProcessResult ended = reference({QStringLiteral("known"), folder_.path()});
    QVERIFY2(ended.status == 0, qPrintable(ended.err));
  }

 private:
  /// All of them in one process: to start Python with torch takes longer than everything else here.
  void convertRefusals() {
    QJsonArray calls;
    for (const Refusal& refusal : kRefusals) {
      calls << QJsonArray{path(QLatin1String(refusal.file.data())),
                          path(QLatin1String(refusal.out))};
    }
    const ProcessResult ended =
        reference({QStringLiteral("convert"), QString::fromUtf8(QJsonDocument(calls).toJson())});
    const QJsonArray results = QJsonDocument::fromJson(ended.out).array();
    QVERIFY2(results.size() == std::ssize(kRefusals), qPrintable(ended.err));
    for (qsizetype i = 0; i < results.size(); ++i) {
      const QJsonObject result = results[i].toObject();
      refusals_[QString::fromLatin1(kRefusals[i].file.data())] = {
          result[QStringLiteral("status")].toInt(-1),
          {},
          result[QStringLiteral("err")].toString().trimmed()};
    }
  }

  QString path(const QString& name) const { return folder_.filePath(name); }

  QTemporaryDir folder_;
  std::map<QString, ProcessResult> refusals_;
};

LOCKSTEP_TEST(TstConvertWeights)
#include "tst_convert_weights.moc"
