#include <ATen/Parallel.h>

#include <QTest>
#include <functional>
#include <initializer_list>
#include <optional>

#include "engine/ops/conv2d.h"
#include "engine/ops/epilogue.h"
#include "engine/ops/group_norm.h"
#include "engine/ops/linear.h"
#include "engine/ops/max_pool.h"
#include "engine/ops/spare_threads.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstSpareThreads : public QObject {
  Q_OBJECT

  int threads_ = 1;

  /// Three times, as what comes often is found out about.
  static void compareWithOneThread(const std::function<at::Tensor()>& compute) {
    const at::NoGradGuard noGradients;
    const at::Tensor expected = compute();
    for (int i = 0; i < 3; ++i) {
      const ops::SpareThreads spare(3);
      QVERIFY(at::equal(compute(), expected));
      QCOMPARE(at::get_num_threads(), 1);
    }
  }
  static at::Tensor mapOf(std::initializer_list<std::int64_t> sizes, at::ScalarType type) {
    return torch::randn(sizes).to(type).contiguous(at::MemoryFormat::ChannelsLast);
  }

 private Q_SLOTS:
  void init() {
    torch::manual_seed(3);
    threads_ = at::get_num_threads();
    at::set_num_threads(1);
  }
  void cleanup() { at::set_num_threads(threads_); }

  void convolutionsHaveTheBitsOfOneThread_data() {
    QTest::addColumn<int>("in");
    QTest::addColumn<int>("out");
    QTest::addColumn<int>("kernel");
    QTest::addColumn<int>("stride");
    QTest::addColumn<int>("images");
    QTest::addColumn<bool>("isHalf");
    for (const bool isHalf : {false, true}) {
      const char* type = isHalf ? "bf16" : "fp32";
      QTest::addRow("3 x 3, %s", type) << 64 << 64 << 3 << 1 << 1 << isHalf;
      QTest::addRow("3 x 3, stride 2, %s", type) << 64 << 128 << 3 << 2 << 1 << isHalf;
      QTest::addRow("7 x 7, %s", type) << 3 << 64 << 7 << 2 << 1 << isHalf;
      // LibTorch computes it otherwise on one thread.
      QTest::addRow("1 x 1 to few, %s", type) << 256 << 64 << 1 << 1 << 1 << isHalf;
      QTest::addRow("regions, %s", type) << 64 << 64 << 3 << 1 << 7 << isHalf;
    }
  }
  void convolutionsHaveTheBitsOfOneThread() {
    QFETCH(int, in);
    QFETCH(int, out);
    QFETCH(int, kernel);
    QFETCH(int, stride);
    QFETCH(int, images);
    QFETCH(bool, isHalf);
    const at::ScalarType type = isHalf ? at::kBFloat16 : at::kFloat;
    const at::Tensor x = mapOf({images, in, 10, 32}, type);
    const at::Tensor weight = mapOf({out, in, kernel, kernel}, type);
    const at::Tensor bias = torch::randn({out}).to(type);
    compareWithOneThread([&] {
      return ops::conv2d(x, weight, stride, kernel / 2, {bias, {}, /*hasRelu=*/true});
    });
  }

  void productsHaveTheBitsOfOneThread_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<bool>("isHalf");
    for (const bool isHalf : {false, true})
      for (const int rows : {1, 30, 300})
        QTest::addRow("%d rows, %s", rows, isHalf ? "bf16" : "fp32") << rows << isHalf;
  }
  void productsHaveTheBitsOfOneThread() {
    QFETCH(int, rows);
    QFETCH(bool, isHalf);
    const at::ScalarType type = isHalf ? at::kBFloat16 : at::kFloat;
    const at::Tensor x = torch::randn({rows, 784}).to(type),
                     weight = torch::randn({256, 784}).to(type),
                     bias = torch::randn({256}).to(type);
    compareWithOneThread([&] { return ops::linear(x, weight, bias); });
  }

  void ownKernelsHaveTheBitsOfOneThread() {
    const at::Tensor map = mapOf({1, 64, 60, 80}, at::kFloat);
    const at::Tensor weight = torch::randn({64}), bias = torch::randn({64});
    compareWithOneThread([&] { return ops::applyEpilogue(map.clone(), {bias, map, true}); });
    compareWithOneThread([&] { return ops::groupNorm(map, weight, bias, {}, {.groups = 32}); });
    compareWithOneThread([&] { return ops::maxPool3x3(map); });
  }

  void theyAreUsedWhileTheyAreLent() {
    {
      const ops::SpareThreads spare(3), fewer(2);
      const ops::cpu::OnSpareThreads on;
      QCOMPARE(at::get_num_threads(), 3);
    }
    const ops::cpu::OnSpareThreads on;
    QCOMPARE(at::get_num_threads(), 1);
  }

  void notWhereGradientsAreRecorded() {
    const ops::SpareThreads spare(2);
    QVERIFY(!ops::cpu::hasSpareThreads());
    const at::NoGradGuard noGradients;
    QVERIFY(ops::cpu::hasSpareThreads());
    at::set_num_threads(2);  // whose bits are not those of one
    QVERIFY(!ops::cpu::hasSpareThreads());
  }

  void aCaseIsTriedOnceAsSoonAsItComesAgain() {
    ops::cpu::KnownBits known;
    int tries = 0;
    const auto trying = [&](bool isSame) {
      return [&tries, isSame] {
        ++tries;
        return isSame;
      };
    };
    QVERIFY(!known.areSame({1, 2}, trying(true)));
    QVERIFY(!known.areSame({1, 3}, trying(false)));
    QCOMPARE(tries, 0);
    for (int i = 0; i < 2; ++i) QVERIFY(known.areSame({1, 2}, trying(true)));
    for (int i = 0; i < 2; ++i) QVERIFY(!known.areSame({1, 3}, trying(false)));
    QCOMPARE(tries, 2);
  }

  /// So different bits are noticed, whatever the values are.
  void whatIsOtherOnSeveralThreadsStaysOnOne_data() {
    QTest::addColumn<bool>("isHalf");
    QTest::addColumn<int>("onSeveral");
    QTest::addColumn<bool>("changesOrder");
    QTest::addRow("fp32, another order") << false << 0 << true;
    QTest::addRow("bf16, another order") << true << 0 << true;
    QTest::addRow("fp32") << false << 2 << false;
    QTest::addRow("bf16") << true << 2 << false;
  }
  void whatIsOtherOnSeveralThreadsStaysOnOne() {
    QFETCH(bool, isHalf);
    QFETCH(int, onSeveral);
    QFETCH(bool, changesOrder);
    const at::NoGradGuard noGradients;
    const ops::SpareThreads spare(2);
    const at::ScalarType type = isHalf ? at::kBFloat16 : at::kFloat;
    const at::Tensor zeros = torch::zeros({2, 64}, type), weight = torch::zeros({2, 64}, type);
    int count = 0;
    const auto compute = [&](const at::Tensor& x, const at::Tensor& w,
                             const std::optional<at::Tensor>&) {
      const bool areSeveral = at::get_num_threads() > 1;
      count += areSeveral && at::equal(x, zeros);
      const at::Tensor all = x.to(at::kFloat).unsqueeze(1) * w.to(at::kFloat);
      at::Tensor sum = torch::zeros({2, 2});  // of the channels one after the other
      for (std::int64_t i = 0; i < 64; ++i)
        sum += all.select(2, areSeveral && changesOrder ? 63 - i : i);
      return sum.to(type);
    };
    for (int i = 0; i < 3; ++i)
      ops::cpu::onSpareThreads({ops::cpu::LibraryCall::Operation::Linear,
                                {changesOrder},
                                zeros,
                                weight,
                                std::nullopt,
                                compute});
    QCOMPARE(count, onSeveral);
  }
};

LOCKSTEP_TEST(TstSpareThreads)
#include "tst_spare_threads.moc"
