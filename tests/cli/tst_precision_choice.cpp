#include <QTest>
#include <fstream>
#include <sstream>

#include "engine/base/host.h"
#include "engine/cli/precision_choice.h"
#include "engine/supervisor/machine.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::Device;
using config::Precision;

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

cli::PrecisionChoice chosen(std::optional<Precision> precision, Device device,
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
  void explicitPrecisionIsKept() {
    for (const Precision precision :
         {Precision::Fp32, Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
      QCOMPARE(chosen(precision, Device::Cuda, {gpu(0, 75)}).precision, precision);
      QCOMPARE(chosen(precision, Device::Cpu, {}).why, std::string());
    }
  }

  void theProcessorDecidesOnTheCpu() {
    const bool isHalved = processorHas("avx512_bf16") || processorHas("amx_bf16");
    QCOMPARE(!base::bfloat16Instructions().empty(), isHalved);
    const cli::PrecisionChoice choice = chosen(std::nullopt, Device::Cpu, {});
    QCOMPARE(choice.precision, isHalved ? Precision::Bf16 : Precision::Fp32);
    QVERIFY(choice.why.starts_with("this processor has "));
  }

  void theGpuOfLowestCapabilityDecides() {
    const cli::PrecisionChoice recent =
        chosen(std::nullopt, Device::Cuda, {gpu(0, 90), gpu(1, 80)});
    QCOMPARE(recent.precision, Precision::Bf16);
    QCOMPARE(recent.why, std::string("GPU 1 (made) has compute capability 8.0"));
    const cli::PrecisionChoice mixed = chosen(std::nullopt, Device::Cuda, {gpu(0, 90), gpu(1, 75)});
    QCOMPARE(mixed.precision, Precision::Fp32);
    QCOMPARE(mixed.why, std::string("GPU 1 (made) has compute capability 7.5"));
    QCOMPARE(chosen(std::nullopt, Device::Cuda, {gpu(0, 0)}).precision, Precision::Fp32);
    QCOMPARE(chosen(std::nullopt, Device::Cuda, {}).precision, Precision::Fp32);
  }
};

LOCKSTEP_TEST(TstPrecisionChoice)

#include "tst_precision_choice.moc"
