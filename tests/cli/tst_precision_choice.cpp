#include <QTest>
#include <fstream>
#include <sstream>

#include "engine/base/host.h"
#include "engine/cli/precision_choice.h"
#include "engine/supervisor/machine.h"
#include "tests/support/test_main.h"

using namespace lockstep;

namespace {

supervisor::GpuDevice gpu(int index, int capability) {
  supervisor::GpuDevice device;
  device.index = index;
  device.name = "made";
  device.computeCapability = capability;
  return device;
}

/// Whether the kernel's list of the processor's features has the word.
bool processorHas(const std::string& feature) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word == feature) return true;
    return false;
  }
  return false;
}

cli::PrecisionChoice chosen(const std::string& precision, const std::string& device,
                            const std::vector<supervisor::GpuDevice>& devices) {
  config::RuntimeConfig runtime;
  runtime.precision = precision;
  runtime.device = device;
  return cli::choosePrecision(runtime, devices);
}

}  // namespace

class TstPrecisionChoice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatIsSaidIsTaken() {
    for (const char* precision : {"fp32", "tf32", "bf16", "fp16"}) {
      QCOMPARE(chosen(precision, "cuda", {gpu(0, 75)}).precision, std::string(precision));
      QCOMPARE(chosen(precision, "cpu", {}).why, std::string());
    }
  }

  void theProcessorIsAsked() {
    const bool isHalved = processorHas("avx512_bf16") || processorHas("amx_bf16");
    QCOMPARE(!base::bfloat16Instructions().empty(), isHalved);
    const cli::PrecisionChoice choice = chosen("auto", "cpu", {});
    QCOMPARE(choice.precision, std::string(isHalved ? "bf16" : "fp32"));
    QVERIFY(choice.why.starts_with("this processor has "));
  }

  void theLeastOfTheGpusDecides() {
    const cli::PrecisionChoice recent = chosen("auto", "cuda", {gpu(0, 90), gpu(1, 80)});
    QCOMPARE(recent.precision, std::string("bf16"));
    QCOMPARE(recent.why, std::string("GPU 1 (made) has compute capability 8.0"));
    const cli::PrecisionChoice mixed = chosen("auto", "cuda", {gpu(0, 90), gpu(1, 75)});
    QCOMPARE(mixed.precision, std::string("fp32"));
    QCOMPARE(mixed.why, std::string("GPU 1 (made) has compute capability 7.5"));
    QCOMPARE(chosen("auto", "cuda", {gpu(0, 0)}).precision, std::string("fp32"));
    QCOMPARE(chosen("auto", "cuda", {}).precision, std::string("fp32"));
  }
};

LOCKSTEP_TEST(TstPrecisionChoice)

#include "tst_precision_choice.moc"
