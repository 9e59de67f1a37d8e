#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <functional>

#include "engine/base/atomic_file.h"
#include "engine/foreign_runs/run_reader.h"
#include "tests/foreign_runs/run_samples.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using foreign_runs::RunReader;
using foreign_runs::Source;
using tests::Choices;
using tests::Curves;
using tests::expect;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// Lines that are repeated, as after a resume, missing, in another order or damaged.
std::string damagedLines(const std::string& text, bool areJson, Choices& choices) {
  std::vector<std::string> lines = linesOf(text);
  for (std::size_t i = 1 + choices.below(4); i-- > 0 && !lines.empty();) {
    const std::size_t at = choices.below(lines.size());
    const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (choices.below(5)) {
      case 0: {
        const std::vector<std::string> repeated(begin, lines.end());
        lines.insert(lines.end(), repeated.begin(), repeated.end());
        break;
      }
      case 1:
        lines.erase(begin);
        break;
      case 2:
        std::swap(lines[at], lines[choices.below(lines.size())]);
        break;
      case 3:
        lines[at] = areJson ? tests::damagedJson(lines[at], choices)
                            : tests::damagedBytes(lines[at], choices);
        break;
      default:
        lines[at] = tests::damagedBytes(lines[at], choices);
    }
  }
  std::string damaged;
  for (const std::string& line : lines) damaged += line + (choices.oneIn(20) ? "\r\n" : "\n");
  return choices.oneIn(8) ? tests::damagedBytes(damaged, choices) : damaged;
}

Curves curvesOf(const foreign_runs::ForeignRun& run) {
  RunReader reader(run);
  Curves curves;
  expect(curves.read(reader), "a new reader is to start over");
  const std::int64_t records = curves.records();
  expect(curves.read(reader) && curves.records() == records, "it is read on where it had ended");
  expect(curves.fault().empty(), curves.fault());
  const foreign_runs::Faults& faults = reader.faults();
  expect((faults.count > 0) == !faults.first.empty(), "a fault without a text");
  if (faults.count > 0) {
    const std::string problem = tests::messageProblem(faults.first, run.folder);
    expect(problem.empty(), "fault: " + problem);
  }
  return curves;
}

/// The same of a file that grows in pieces.
Curves curvesOfGrowing(const foreign_runs::ForeignRun& run, const fs::path& file,
                       const std::string& bytes) {
  Choices choices(7, bytes.size());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  RunReader reader(run);
  Curves curves;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t count =
        std::min(bytes.size() - begin, 1 + choices.below(choices.oneIn(4) ? 20 : bytes.size()));
    out.write(bytes.data() + begin, static_cast<std::streamsize>(count)).flush();
    begin += count;
    expect(curves.read(reader), "a file that grows is to start over");
  }
  expect(curves.fault().empty(), "growing: " + curves.fault());
  return curves;
}

std::string jsonLog(const char* stepKey) {
  std::string text;
  for (int step = 19; step < 400; step += 20) {
    const std::string at = "\"" + std::string(stepKey) + "\": " + std::to_string(step);
    text += "{\"data_time\": 0.01, " + at +
            ", \"loss_mask\": 0.25, \"lr\": 2e-05, \"time\": 0.5, \"loss\": 1.5, \"step\": " +
            std::to_string(step) + "}\n";
    if (step % 100 == 99)
      text += "{\"coco/segm_mAP\": NaN, \"segm/AP\": 41.5, " +
              (std::string(stepKey) == "iter" ? "\"step\": " + std::to_string(step / 100) : at) +
              "}\n";
  }
  return text;
}

std::string metricLog() {
  std::string text;
  for (int step = 1; step < 60; ++step)
    text += std::to_string(1'700'000'000'000 + step) + " " + std::to_string(1.0 / step) + " " +
            std::to_string(step) + "\n";
  return text + "1700000000100 nan 60\n";
}

std::string torchLog() {
  std::string bytes = encodeRecord(tests::versionRecord());
  for (int step = 1; step < 60; ++step)
    bytes += tests::torchRecords(step % 40, {{"loss", 1}, {"segm/AP", 50}, {"lr", 0.5F}});
  return bytes;
}

}  // namespace

/// Damaged logs of other programs give curves that keep the contract, whether they are read at once
/// or while they grow.
class TstForeignLogs : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { tests::allowFuzzingTime(); }

  void detectron2() { check(Source::Detectron2, "metrics.json", jsonLog("iteration"), true); }
  void mmengine() { check(Source::MmEngine, "scalars.json", jsonLog("iter"), true); }
  void mlflow() { check(Source::MlFlow, "metrics/a", metricLog(), false); }

  void tensorBoard() {
    check(Source::TensorBoard, "events.out.tfevents.1", [](Choices& choices) {
      static const std::string log = torchLog();
      return tests::damagedEventLog(log, choices);
    });
  }

 private:
  static void check(Source source, const char* name, const std::string& log, bool isJson) {
    check(source, name, [&](Choices& choices) { return damagedLines(log, isJson, choices); });
  }
  static void check(Source source, const char* name,
                    const std::function<std::string(Choices&)>& damage) {
    QTemporaryDir folder;
    const foreign_runs::ForeignRun run{source, folder.path().toStdString(), "run"};
    const fs::path file = run.folder / name;
    fs::create_directories(file.parent_path());
    const auto read = [&] {
      const std::string bytes = base::readFile(file);
      const Curves whole = curvesOf(run);
      const Curves grown = curvesOfGrowing(run, file, bytes);
      expect(whole == grown, "grown:\n" + grown.textOf() + "at once:\n" + whole.textOf());
    };
    const std::string failures =
        tests::failuresOf({name, file, {}, damage, read}, tests::chosenVariants(300));
    QVERIFY2(failures.empty(), failures.c_str());
  }
};

LOCKSTEP_TEST(TstForeignLogs)
#include "tst_foreign_logs.moc"
