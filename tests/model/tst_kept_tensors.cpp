#include <QObject>
#include <QTest>
#include <thread>

#include "engine/model/kept_tensors.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstKeptTensors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theyAreMadeAgainWhenASourceChanges() {
    at::Tensor source = torch::ones({3}), other = torch::ones({3});
    model::KeptTensors kept;
    int made = 0;
    const auto sum = [&](at::ScalarType type = at::kFloat) {
      return kept.of({source, other}, type, [&] {
        ++made;
        return std::vector<at::Tensor>{(source + other).to(type)};
      })[0];
    };
    QCOMPARE(sum()[0].item<float>(), 2.f);
    sum();
    QCOMPARE(made, 1);
    source.fill_(4);
    QCOMPARE(sum()[0].item<float>(), 5.f);
    QCOMPARE(made, 2);
    other.set_data(torch::full({3}, 7.f));
    QCOMPARE(sum()[0].item<float>(), 11.f);
    QCOMPARE(made, 3);
    QCOMPARE(sum(at::kBFloat16).scalar_type(), at::kBFloat16);
    QCOMPARE(made, 4);
  }

  void nothingIsKeptOfWhatIsTrained() {
    const at::Tensor source = torch::ones({3}).requires_grad_();
    model::KeptTensors kept;
    int made = 0;
    for (int i = 0; i < 2; ++i) {
      kept.of({source}, at::kFloat,
              [&] {
                ++made;
                return std::vector<at::Tensor>{source * 2};
              })[0]
          .sum()
          .backward();
    }
    QCOMPARE(made, 2);
    QCOMPARE(source.grad()[0].item<float>(), 4.f);
  }

  void threadsMakeThemOnce() {
    const at::Tensor source = torch::ones({3});
    model::KeptTensors kept;
    int made = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          kept.of({source}, at::kFloat, [&] {
            ++made;
            return std::vector<at::Tensor>{source * 2};
          });
        });
      }
    }
    QCOMPARE(made, 1);
  }
};

LOCKSTEP_TEST(TstKeptTensors)
#include "tst_kept_tensors.moc"
