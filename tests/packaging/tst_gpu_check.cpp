// packaging/gpu_check.sh with small scripts in the place of Python's torch, the programs and
// NVIDIA's tools, and what times steps with a made program.
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/packaging/script_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using nlohmann::json;
using tests::ScriptBench;

namespace {

constexpr const char* kPrograms[] = {"gpu_ranks", "gpu_trainer", "gpu_kernels", "gpu_step"};
constexpr const char* kOneStep =
    R"([{"name": "train, plain", "value": 10, "unit": "images/s", "peer": 5, "status": "pass"}])";

/// The script in a folder of its own, where no compiler is, and programs that were built elsewhere.
struct GpuCheck {
  ScriptBench bench;

  explicit GpuCheck(const std::string& gpu = "") {
    for (const char* file : {"gpu_check.sh", "gpu_results.py", "kernel_report.py"})
      bench.write(std::string("packaging/") + file, source(file));
    std::string library = source("lib.sh");
    library.replace(library.find("/usr/local/cuda"), 15, "/nowhere");
    bench.write("packaging/lib.sh", library);
    bench.write("one_step.json", kOneStep);
    // Facts of torch; the figures' collector itself; steps are not timed but made.
    bench.writeProgram("bin/python3",
                       "case $1 in\n"
                       "-c) printf '%s\\n' /torch '2.11.0 13.0' '" +
                           gpu + "' '" + (gpu.empty() ? "" : "90") +
                           "' ;;\n"
                           "packaging/gpu_results.py) exec /usr/bin/python3 \"$@\" ;;\n"
                           "tests/*) for word; do [ \"$before\" != --json ] || cat one_step.json "
                           "> \"$word\"; before=$word; done; echo \"$*\" >> steps ;;\n"
                           "*) echo \"$*\" ;;\nesac\n");
    bench.writeProgram("bin/nvcc", "exit 1\n");
    bench.writeProgram("programs/bin/gpu_checks",
                       "echo \"ok    NMS                              4000 boxes, $1\"\n"
                       "echo 'skip  recorded steps                   for a GPU alone'\n");
    for (const char* program : kPrograms) programDoes(program, "exit 0\n");
    bench.setVariable("PATH",
                      (bench.folder() / "bin").string() + ":" + qgetenv("PATH").toStdString());
    bench.setVariable("CUDACXX", "");
  }
  static std::string source(const std::string& file) {
    return ScriptBench().read(tests::sourceFile("packaging/" + file));
  }
  void programDoes(const std::string& program, const std::string& what) const {
    bench.writeProgram("programs/bin/" + program, what);
  }
  ScriptBench::ProcessResult run(const QStringList& words) const {
    return bench.run("bash", QStringList{"packaging/gpu_check.sh", "--out", "out"} + words);
  }
  ScriptBench::ProcessResult runPrebuilt(const QStringList& words = {}) const {
    return run(QStringList{"--prebuilt", "programs"} + words);
  }
  json figures() const { return json::parse(bench.read("out/gpu_check.json")); }
  /// A member of a section's figure, numbers as they stand in the file; empty: there is no such
  /// figure.
  std::string told(const std::string& section, const std::string& name,
                   const std::string& member) const {
    for (const json& each : figures()) {
      if (each.at("section") != section || each.at("name") != name) continue;
      const json& value = each.at(member);
      return value.is_string() ? value.get<std::string>() : value.dump();
    }
    return {};
  }
  std::vector<std::string> sections() const {
    std::vector<std::string> names;
    for (const json& each : figures())
      if (names.empty() || names.back() != each.at("section")) names.push_back(each.at("section"));
    return names;
  }
};

const std::vector<std::string> kAllSections{"build", "checks",  "trainer",
                                            "steps", "kernels", "sanitize"};

}  // namespace

class TstGpuCheck : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aWrongCommandLineIsRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* line, const char* said) {
      QTest::newRow(line) << QString::fromLatin1(line).split(QLatin1Char(' '))
                          << QString::fromLatin1(said);
    };
    row("--nothing", "unknown option '--nothing'");
    row("--only", "--only needs a value");
    row("--only speed", "expected one of build checks trainer steps kernels sanitize");
    row("--prebuilt nowhere", "there is no bin/gpu_checks");
    row("--data nowhere", "train2017/");
    row("--batch few", "'few' is not a positive number");
    row("--seconds 0", "'0' is not a positive number");
  }
  void aWrongCommandLineIsRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, said);
    const GpuCheck check;
    const auto ended = check.run(words);
    QCOMPARE(ended.status, 2);
    QVERIFY2(ended.err.find(said.toStdString()) != std::string::npos, ended.err.c_str());
  }

  void buildWithoutACompilerIsOneErrorLine() {
    const GpuCheck check;
    const auto ended = check.run({"--only", "build"});
    QCOMPARE(ended.status, 77);
    QCOMPARE(std::count(ended.out.begin(), ended.out.end(), '\n'), std::ptrdiff_t{1});
    QVERIFY2(ended.out.find("no CUDA 13 compiler") != std::string::npos, ended.out.c_str());
    QVERIFY2(ended.err.empty(), ended.err.c_str());
    QCOMPARE(check.told("build", "build", "status"), std::string("skip"));
  }

  void withoutProgramsEverySectionIsSkippedWithAReason() {
    const GpuCheck check;
    const auto ended = check.run({});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QVERIFY(check.sections() == kAllSections);
    for (const json& each : check.figures()) {
      QVERIFY2(each.at("status") == "skip", each.dump().c_str());
      QVERIFY2(each.at("value").get<std::string>().size() > 5, each.dump().c_str());
    }
  }

  void programsBuiltElsewhereRunInTheUsualOrder() {
    const GpuCheck check;
    const auto ended = check.runPrebuilt();
    QVERIFY2(ended.status == 0, (ended.out + ended.err).c_str());
    QVERIFY(check.sections() == kAllSections);
    QCOMPARE(check.told("checks", "NMS", "value"), std::string("4000 boxes, cpu"));
    QCOMPARE(check.told("checks", "recorded steps", "status"), std::string("skip"));
    QCOMPARE(check.told("sanitize", "sanitize", "value"), std::string("no GPU"));
    for (const json& each : check.figures()) QCOMPARE(each.size(), std::size_t{6});
  }

  void pathsAreTheCallers() {
    const GpuCheck check;
    const auto ended =
        check.bench.run("bash", {"-c",
                                 "cd programs && bash ../packaging/gpu_check.sh --only checks "
                                 "--prebuilt . --out ../out"});
    QVERIFY2(ended.status == 0, (ended.out + ended.err).c_str());
    QCOMPARE(check.told("checks", "checks", "status"), std::string("pass"));
  }

  void onAGpuItIsComparedWithItsPeers() {
    const GpuCheck check("NVIDIA H200");
    check.programDoes("gpu_kernels",
                      "echo 'copying moves 4.10 TB/s'\n"
                      "printf '%-30s %12.3f %10.1f %10.1f %7.1f\\n' NMS 1.5 2.5 7.5 3\n");
    const auto ended = check.runPrebuilt({"--batch", "4"});
    QVERIFY2(ended.status == 0, (ended.out + ended.err).c_str());
    QCOMPARE(check.told("checks", "NMS", "value"), std::string("4000 boxes, cuda"));
    QCOMPARE(check.told("steps", "train, plain", "value"), std::string("10"));
    QCOMPARE(check.told("steps", "train, plain", "peer"), std::string("5"));
    QCOMPARE(check.told("kernels", "NMS", "value"), std::string("7.5"));
    QCOMPARE(check.told("kernels", "NMS", "peer"), std::string("2.5"));
    QCOMPARE(check.told("kernels", "NMS", "unit"), std::string("us"));
    QCOMPARE(check.told("kernels", "copy", "value"), std::string("4.1"));
    QVERIFY(check.bench.read("steps").find("--batch 4 ") != std::string::npos);
  }

  void sectionsAfterAFailureStillRun() {
    const GpuCheck check;
    check.programDoes("gpu_checks",
                      "echo 'FAIL  NMS                              4000 DIFFERS'; exit 1\n");
    check.programDoes("gpu_ranks", "echo 'the other rank failed'; kill -SEGV $$\n");
    const auto ended = check.runPrebuilt();
    QCOMPARE(ended.status, 1);
    QVERIFY(check.sections() == kAllSections);
    QCOMPARE(check.told("checks", "NMS", "status"), std::string("fail"));
    QCOMPARE(check.told("checks", "ranks", "status"), std::string("fail"));
    QVERIFY(check.told("checks", "ranks", "value").find("the other rank failed") !=
            std::string::npos);
    QCOMPARE(check.told("trainer", "trainer", "status"), std::string("pass"));
    QVERIFY2(ended.out.find("failed: checks: ranks\n") != std::string::npos, ended.out.c_str());
  }

  void unsupportedCheckIsSkippedWithItsMessage() {
    const GpuCheck check;
    check.programDoes("gpu_trainer", "echo 'SKIP: nothing to do'; exit 77\n");
    QCOMPARE(check.runPrebuilt({"--only", "trainer"}).status, 0);
    QCOMPARE(check.told("trainer", "trainer", "status"), std::string("skip"));
    QCOMPARE(check.told("trainer", "trainer", "value"), std::string("SKIP: nothing to do"));
  }

  void toolThatCannotStartIsSkippedWithItsMessage() {
    const GpuCheck check("NVIDIA H200");
    for (const char* tool : {"bin/compute-sanitizer", "bin/cuobjdump"})
      check.bench.writeProgram(tool, "echo 'no such libcuda' >&2; exit 127\n");
    const auto ended = check.runPrebuilt();
    QVERIFY2(ended.status == 0, (ended.out + ended.err).c_str());
    for (const auto& [section, name] :
         {std::pair{"sanitize", "sanitize"}, std::pair{"kernels", "registers"}}) {
      QCOMPARE(check.told(section, name, "status"), std::string("skip"));
      QVERIFY2(check.told(section, name, "value").ends_with("does not start: no such libcuda"),
               check.bench.read("out/gpu_check.json").c_str());
    }
  }

  void sanitizerStopsAtTheTimeLimitAndCountsErrors_data() {
    QTest::addColumn<QString>("found");
    QTest::addColumn<int>("status");
    QTest::newRow("nothing by then") << QString() << 0;
    QTest::newRow("something") << QStringLiteral(
                                      "========= Invalid __global__ write of size 4 bytes")
                               << 1;
  }
  void sanitizerStopsAtTheTimeLimitAndCountsErrors() {
    QFETCH(QString, found);
    QFETCH(int, status);
    const GpuCheck check("NVIDIA H200");
    check.bench.writeProgram("bin/compute-sanitizer",
                             "case $* in *'--report-api-errors no'*) ;; *) exit 9 ;; esac\n"
                             "echo \"$*\" >> asked\necho '========= ERROR SUMMARY: 0 errors'\n");
    // As coreutils' where the time is over.
    check.bench.writeProgram("bin/timeout", "shift 3\ncase $* in *racecheck*) echo '" +
                                                found.toStdString() +
                                                "'; exit 124 ;; esac\nexec \"$@\"\n");
    const auto ended = check.runPrebuilt({"--only", "sanitize"});
    QVERIFY2(ended.status == status, (ended.out + ended.err).c_str());
    QCOMPARE(check.told("sanitize", "memcheck", "status"), std::string("pass"));
    QCOMPARE(check.told("sanitize", "errors", "value"), std::string("0"));
    QCOMPARE(check.told("sanitize", "racecheck", "status"),
             std::string(status == 0 ? "skip" : "fail"));
    QVERIFY(check.bench.read("asked").find("--tool memcheck") != std::string::npos);
  }

  void oneSectionReplacesOnlyItsOwnResults() {
    const GpuCheck check;
    QCOMPARE(check.runPrebuilt().status, 0);
    check.programDoes("gpu_trainer", "exit 1\n");
    QCOMPARE(check.runPrebuilt({"--only", "trainer"}).status, 1);
    QCOMPARE(check.told("trainer", "trainer", "status"), std::string("fail"));
    QCOMPARE(check.told("checks", "checks", "status"), std::string("pass"));
    std::vector<std::string> names = check.sections();
    std::ranges::sort(names);
    QCOMPARE(names.size(), kAllSections.size());
  }

  void nothingStartsAfterTheTimeLimit() {
    const GpuCheck check;
    const auto ended = check.runPrebuilt({"--seconds", "3"});
    QVERIFY2(ended.status == 0, ended.err.c_str());
    QCOMPARE(check.told("checks", "checks", "status"), std::string("skip"));
    QVERIFY(check.told("checks", "checks", "value").starts_with("no time left"));
  }

  /// tests/benchmarks/gpu_step.py itself, where torchvision cannot be imported.
  void withoutTorchvisionOursRunsAlone() {
    const ScriptBench bench;
    bench.write("torchvision.py", "raise ImportError('none here')\n");
    bench.writeProgram("gpu_step",
                       "echo \"$*\" >> started\nwhile read -r line; do\n"
                       "echo \"$line\" >> asked; echo 0.5; done\n");
    ScriptBench with;
    with.setVariable("PYTHONPATH", bench.folder().string());
    const auto ended =
        with.run(python(), {script(), "--try", "--program",
                            QString::fromStdString((bench.folder() / "gpu_step").string())});
    if (ended.err.find("No module named 'torch'") != std::string::npos)
      QSKIP("needs Python's torch");
    QVERIFY2(ended.status == 0, (ended.out + ended.err).c_str());
    QVERIFY2(ended.out.find("not timed beside ours: none here") != std::string::npos,
             ended.out.c_str());
    for (const char* mode : {"91 float32 cpu fixed\n", "91 float32 cpu compact\n"})
      QVERIFY2(with.read("started").find(mode) != std::string::npos, mode);
  }

  /// Against its own sources: 7.3 objects an image, 41 % small, 34 % medium, 24 % large of images
  /// whose shorter side is 480 px.
  void madePicturesHaveAsManyAndAsLargeObjectsAsCoco() {
    const ScriptBench bench;
    bench.write("figures.py",
                "import random, sys\n"
                "sys.path.insert(0, sys.argv[1])\n"
                "import gpu_step\n"
                "made = random.Random(3)\n"
                "images = [gpu_step.made_objects(made, 480, 640) for _ in range(80)]\n"
                "areas = [float(mask.sum()) for each in images for mask in each['masks']]\n"
                "small = sum(area < 32 ** 2 for area in areas) / len(areas)\n"
                "large = sum(area > 96 ** 2 for area in areas) / len(areas)\n"
                "print(len(areas) / len(images), small, large)\n");
    const auto ended = bench.run(
        python(), {"figures.py", QString::fromStdString(tests::sourceFile("tests/benchmarks"))});
    if (ended.err.find("No module named 'torch'") != std::string::npos)
      QSKIP("needs Python's torch");
    double count = 0, small = 0, large = 0;
    QVERIFY2(std::sscanf(ended.out.c_str(), "%lf %lf %lf", &count, &small, &large) == 3,
             ended.err.c_str());
    QVERIFY2(std::abs(count - 7.3) < 1, ended.out.c_str());
    QVERIFY2(std::abs(small - 0.41) < 0.05 && std::abs(large - 0.24) < 0.05, ended.out.c_str());
  }

 private:
  static std::string python() { return tests::sourceFile(".venv/bin/python"); }
  static QString script() {
    return QString::fromStdString(tests::sourceFile("tests/benchmarks/gpu_step.py"));
  }
};

LOCKSTEP_TEST(TstGpuCheck)
#include "tst_gpu_check.moc"
