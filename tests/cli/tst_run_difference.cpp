// Explanations of `diff` for weights that differ. tests/end_to_end compares whole runs.
#include <QTest>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "engine/cli/run_difference.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using run_folder::Layout;
using tests::contains;

namespace {

/// Weights of a single value.
void writeWeights(const std::filesystem::path& file, float value) {
  const std::string header = R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::uint64_t length = header.size();
  char numbers[sizeof length + sizeof value];
  std::memcpy(numbers, &length, sizeof length);
  std::memcpy(numbers + sizeof length, &value, sizeof value);
  std::ofstream(file, std::ios::binary) << std::string_view(numbers, sizeof length) << header
                                        << std::string_view(numbers + sizeof length, sizeof value);
}

}  // namespace

class TstRunDifference : public QObject {
  Q_OBJECT

 private:
  tests::EngineBench bench_;

  Layout makeRun(const char* name, int threads) {
    bench_.script("scalars 1 4\ncheckpoint 4\nfinish 4\n");
    const std::string setting = "runtime.cpu_threads=" + std::to_string(threads);
    const auto done = bench_.run({"train", "experiment.yaml", "--output", name, "--set", setting});
    if (done.status != 0) throw Error(done.err);
    return Layout(bench_.folder() / name);
  }
  std::string compared(const Layout& left, const Layout& right, const char* what) const {
    for (const auto& line : cli::compareRuns(left, right, cli::ComparedWeights::All))
      if (line.what == what) return line.text;
    return {};
  }

 private Q_SLOTS:
  void otherThreadsAndRanksExplainOtherBits() {
    const Layout left = makeRun("left", 1), right = makeRun("right", 2);
    for (const auto& [run, value] : {std::pair(left, 1.F), {right, 2.F}})
      for (const char* file : {"model.safetensors", "optimizer.safetensors"})
        writeWeights(run.checkpoint(4) / file, value);
    const std::string configuration = compared(left, right, "configuration");
    QVERIFY2(contains(configuration, "runtime.cpu_threads: 1 -> 2") &&
                 contains(configuration, "; cpu_threads differ"),
             configuration.c_str());
    QVERIFY(!contains(compared(left, right, "weights"), "differ there"));
    run_folder::TrainingState state = run_folder::readTrainingState(right.checkpoint(4));
    state.cpuThreads = 3;
    state.workers = 2;
    run_folder::writeTrainingState(right.checkpoint(4), state);
    const std::string weights = compared(left, right, "weights");
    QVERIFY2(contains(weights, "cpu_threads differ there, 1 and 3") &&
                 contains(weights, "ranks differ there, 1 and 2"),
             weights.c_str());
  }
};

LOCKSTEP_TEST(TstRunDifference)
#include "tst_run_difference.moc"
