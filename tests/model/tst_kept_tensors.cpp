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
    const auto sum = [&] {
      return kept.of({source, other}, [&] {
        ++made;
        return std::vector<at::Tensor>{source + other};
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
  }

  void anotherTensorInTheSamePlaceIsAnother() {
    const auto filled = [](float value) { return torch::full({10 << 20}, value); };
    at::Tensor source = filled(1);
    model::KeptTensors kept;
    const auto doubled = [&] {
      return kept.of({source}, [&] { return std::vector<at::Tensor>{source * 2}; })[0][0]
          .item<float>();
    };
    QCOMPARE(doubled(), 2.f);
    const void* const place = source.const_data_ptr();
    source.set_data(filled(3));
    // If the place were free, one of these would soon have it: large blocks are mapped one by one.
    std::vector<at::Tensor> others;
    do {
      others.push_back(filled(4));
    } while (others.size() < 4 && others.back().const_data_ptr() != place);
    source.set_data(others.back());
    QCOMPARE(doubled(), 8.f);
  }

  void aWatchSeesWhatItsThreadIsGiven() {
    const at::Tensor source = torch::ones({3});
    model::KeptTensors kept;
    const auto give = [&] {
      return kept.of({source}, [&] { return std::vector<at::Tensor>{source * 2}; })[0];
    };
    const at::Tensor before = give();
    const model::KeptTensorsWatch watch;
    { const std::jthread other(give); }
    QCOMPARE(watch.given().size(), std::size_t{0});
    {
      const model::KeptTensorsWatch inner;
      give();
    }
    QCOMPARE(watch.given().size(), std::size_t{0});
    give();
    QCOMPARE(watch.given().size(), std::size_t{1});
    QVERIFY(watch.given()[0].is_same(before));
  }

  void nothingIsKeptOfWhatIsTrained() {
    const at::Tensor source = torch::ones({3}).requires_grad_();
    model::KeptTensors kept;
    int made = 0;
    for (int i = 0; i < 2; ++i) {
      kept.of({source},
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
          kept.of({source}, [&] {
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
