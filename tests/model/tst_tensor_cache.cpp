#include <QObject>
#include <QTest>
#include <thread>

#include "engine/model/tensor_cache.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstTensorCache : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cacheIsRefreshedWhenASourceChanges() {
    at::Tensor source = torch::ones({3}), other = torch::ones({3});
    model::TensorCache cache;
    int made = 0;
    const auto sum = [&] {
      return cache.get({source, other}, [&] {
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

  void aNewTensorIsNotMistakenForTheOldOne() {
    const auto filled = [](float value) { return torch::full({10 << 20}, value); };
    at::Tensor source = filled(1);
    model::TensorCache cache;
    const auto doubled = [&] {
      return cache.get({source}, [&] { return std::vector<at::Tensor>{source * 2}; })[0][0]
          .item<float>();
    };
    QCOMPARE(doubled(), 2.f);
    const void* const place = source.const_data_ptr();
    source.set_data(filled(3));
    // If the memory were freed, one of these would reuse it: large blocks are mapped separately.
    std::vector<at::Tensor> others;
    do {
      others.push_back(filled(4));
    } while (others.size() < 4 && others.back().const_data_ptr() != place);
    source.set_data(others.back());
    QCOMPARE(doubled(), 8.f);
  }

  void aWatchRecordsTheTensorsOfItsThread() {
    const at::Tensor source = torch::ones({3});
    model::TensorCache cache;
    const auto give = [&] {
      return cache.get({source}, [&] { return std::vector<at::Tensor>{source * 2}; })[0];
    };
    const at::Tensor before = give();
    const model::TensorCacheWatch watch;
    { const std::jthread other(give); }
    QCOMPARE(watch.tensors().size(), std::size_t{0});
    {
      const model::TensorCacheWatch inner;
      give();
    }
    QCOMPARE(watch.tensors().size(), std::size_t{0});
    give();
    QCOMPARE(watch.tensors().size(), std::size_t{1});
    QVERIFY(watch.tensors()[0].is_same(before));
  }

  void trainableSourcesAreNotCached() {
    const at::Tensor source = torch::ones({3}).requires_grad_();
    model::TensorCache cache;
    int made = 0;
    for (int i = 0; i < 2; ++i) {
      cache
          .get({source},
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

  void threadsComputeOnce() {
    const at::Tensor source = torch::ones({3});
    model::TensorCache cache;
    int made = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          cache.get({source}, [&] {
            ++made;
            return std::vector<at::Tensor>{source * 2};
          });
        });
      }
    }
    QCOMPARE(made, 1);
  }
};

LOCKSTEP_TEST(TstTensorCache)
#include "tst_tensor_cache.moc"
