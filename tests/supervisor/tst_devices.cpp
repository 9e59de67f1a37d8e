#include <QTest>

#include "engine/supervisor/devices.h"
#include "tests/support/fake_nvml/fake_nvml_file.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::GpuDevice;
using supervisor::Gpus;
using supervisor::GpuSupport;

namespace {

Gpus machine(std::vector<GpuDevice> devices, std::string driver = "580.65.06", int cuda = 13000) {
  return {std::move(driver), std::move(devices), cuda};
}

GpuDevice gpu(int index, std::string name, int capability) {
  return {index, std::move(name), "", 1, 1, capability};
}

}  // namespace

class TstDevices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nvmlNamesTheGpus() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(tests::kTwoGpus);
    const Gpus gpus = supervisor::findGpus(tests::FakeNvml::library().c_str());
    QCOMPARE(gpus.driverVersion, std::string("580.65.06"));
    QCOMPARE(gpus.cudaVersion, 13000);
    QCOMPARE(gpus.error, std::string());
    QCOMPARE(gpus.devices.size(), std::size_t{2});
    const GpuDevice& second = gpus.devices[1];
    QCOMPARE(second.index, 1);
    QCOMPARE(second.name, std::string("NVIDIA H200"));
    QCOMPARE(second.uuid, std::string("GPU-bbbb"));
    QCOMPARE(second.memoryBytes, std::int64_t{141312} << 20);
    QCOMPARE(second.freeBytes, std::int64_t{141312 - 102400} << 20);
    QCOMPARE(second.computeCapability, 90);
    QCOMPARE(supervisor::gpuName(second), std::string("GPU 1 (NVIDIA H200)"));
  }

  void anOldDriverLacksFunctions() {
    const tests::FakeNvml nvml;
    nvml.setAnswers(tests::kTwoGpus);
    const Gpus gpus = supervisor::findGpus(tests::FakeNvml::oldLibrary().c_str());
    QCOMPARE(gpus.cudaVersion, 0);
    QCOMPARE(gpus.devices.size(), std::size_t{2});
    QCOMPARE(gpus.devices[0].computeCapability, 0);
    QCOMPARE(supervisor::capabilityText(0), std::string("unknown"));
  }

  void aDriverThatDoesNotAnswerIsExplained_data() {
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("fault");
    QTest::newRow("not loaded") << "init 9\n"
                                << "the NVIDIA driver is not loaded: check nvidia-smi";
    QTest::newRow("updated")
        << "init 18\n"
        << "the NVIDIA driver was updated under the running system: restart the machine";
    QTest::newRow("other")
        << "init 999\n"
        << "the NVIDIA driver does not answer (NVML error 999): check nvidia-smi";
  }
  void aDriverThatDoesNotAnswerIsExplained() {
    QFETCH(QString, says);
    QFETCH(QString, fault);
    const tests::FakeNvml nvml;
    nvml.setAnswers(says.toStdString());
    const Gpus gpus = supervisor::findGpus(tests::FakeNvml::library().c_str());
    QVERIFY(gpus.devices.empty());
    QCOMPARE(QString::fromStdString(supervisor::whyNoneUsable(gpus, {true})), fault);
  }

  void withoutADriverThereAreNoGpus() {
    const Gpus gpus = supervisor::findGpus("/nowhere/libnvidia-ml.so.1");
    QVERIFY(gpus.driverVersion.empty() && gpus.devices.empty() && gpus.error.empty());
    QCOMPARE(supervisor::whyNoneUsable(gpus, {}),
             std::string("no NVIDIA driver found; GPUs need driver 580 or newer"));
  }

  void unusableGpusAreExplainedInOneLine_data() {
    QTest::addColumn<int>("capability");
    QTest::addColumn<QString>("driver");
    QTest::addColumn<int>("cuda");
    QTest::addColumn<QString>("built");
    QTest::addColumn<QString>("reason");
    const QString current = QStringLiteral("580.65.06");
    const QString ampere = QStringLiteral("80-real 90");
    const QString a100 = QStringLiteral("GPU 0 (X) has compute capability ");
    QTest::newRow("fits") << 90 << current << 13000 << ampere << "";
    QTest::newRow("same generation") << 86 << current << 13000 << ampere << "";
    QTest::newRow("newer, by translation") << 120 << current << 13000 << ampere << "";
    QTest::newRow("not known") << 0 << current << 13000 << ampere << "";
    QTest::newRow("built for whatever") << 89 << current << 13000 << "native"
                                        << "";
    QTest::newRow("newer driver") << 90 << "590.1" << 13020 << ampere << "";
    QTest::newRow("old for torch")
        << 61 << current << 13000 << "61"
        << a100 + QStringLiteral("6.1 and is too old: LibTorch needs 7.5 or more");
    QTest::newRow("old for the build")
        << 75 << current << 13000 << ampere
        << a100 + QStringLiteral(
                      "7.5, and this build has kernels for 8.0, 9.0: build with "
                      "-DCMAKE_CUDA_ARCHITECTURES=75");
    QTest::newRow("new for the build")
        << 100 << current << 13000 << "80-real 90-real"
        << a100 + QStringLiteral(
                      "10.0, and this build has kernels for 8.0, 9.0: build with "
                      "-DCMAKE_CUDA_ARCHITECTURES=100");
    QTest::newRow("of one alone") << 100 << current << 13000 << "90a"
                                  << a100 +
                                         QStringLiteral(
                                             "10.0, and this build has kernels for 9.0: build with "
                                             "-DCMAKE_CUDA_ARCHITECTURES=100");
    QTest::newRow("old driver")
        << 90 << "570.86.15" << 12080 << ampere
        << "the NVIDIA driver 570.86.15, which supports CUDA 12.8, is too old: CUDA 13.0 needs "
           "driver 580 or newer; install one";
    QTest::newRow("old driver that says less")
        << 90 << "470.57" << 0 << ampere
        << "the NVIDIA driver 470.57 is too old: CUDA 13.0 needs driver 580 or newer; install one";
    QTest::newRow("old driver with a compatibility package")
        << 90 << "535.104" << 13000 << ampere << "";
  }
  void unusableGpusAreExplainedInOneLine() {
    QFETCH(int, capability);
    QFETCH(QString, driver);
    QFETCH(int, cuda);
    QFETCH(QString, built);
    QFETCH(QString, reason);
    const Gpus gpus = machine({gpu(0, "X", capability)}, driver.toStdString(), cuda);
    QCOMPARE(
        QString::fromStdString(supervisor::whyNoneUsable(gpus, {true, built.toStdString(), 1})),
        reason);
  }

  void oneUsableGpuIsEnough() {
    const GpuSupport support{true, "90-real", 1};
    const Gpus gpus = machine({gpu(0, "Old", 61), gpu(1, "New", 90)});
    QCOMPARE(supervisor::whyNoneUsable(gpus, support), std::string());
    QVERIFY(!supervisor::whyUnusable(gpus.devices[0], support).empty());
    QVERIFY(supervisor::whyUnusable(gpus.devices[1], support).empty());
    const std::string both =
        supervisor::whyNoneUsable(machine({gpu(0, "A", 61), gpu(1, "B", 80)}), support);
    QVERIFY2(both.find("GPU 0 (A)") < both.find("; GPU 1 (B)"), both.c_str());
  }

  void aBuildWithoutKernelsIsReportedFirst() {
    QCOMPARE(supervisor::whyNoneUsable(machine({gpu(0, "X", 30)}, "470.1", 11040), {}),
             std::string("this build has no CUDA kernels: build with -DLOCKSTEP_CUDA=ON"));
  }

  void withoutAGpuTheReasonSaysWhatToCheck() {
    qunsetenv("CUDA_VISIBLE_DEVICES");
    QCOMPARE(supervisor::whyNoneUsable(machine({}), {}),
             std::string("the NVIDIA driver reports no GPU: check nvidia-smi"));
    qputenv("CUDA_VISIBLE_DEVICES", "7");
    const std::string hidden = supervisor::whyNoneUsable(machine({}), {});
    qunsetenv("CUDA_VISIBLE_DEVICES");
    QCOMPARE(
        hidden,
        std::string("the NVIDIA driver reports no GPU that is in CUDA_VISIBLE_DEVICES: unset it"));
  }

  void gpusThatLibTorchDoesNotFindAreUnusable() {
    const std::string reason =
        supervisor::whyNoneUsable(machine({gpu(0, "X", 90)}), {true, "90", 0});
    QVERIFY2(
        reason.starts_with("LibTorch can use none of the GPUs that the NVIDIA driver reports: "),
        reason.c_str());
    const std::string own = supervisor::whyNoneUsable(machine({gpu(0, "X", 61)}), {true, "90", 0});
    QVERIFY2(own.starts_with("GPU 0 (X) has compute capability 6.1"), own.c_str());
  }
};

LOCKSTEP_TEST(TstDevices)
#include "tst_devices.moc"
