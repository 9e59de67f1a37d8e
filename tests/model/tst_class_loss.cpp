#include <QTest>
#include <cmath>
#include <string>
#include <vector>

#include "engine/model/losses.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

/// Against the definition, term by term.
class TstClassLoss : public QObject {
  Q_OBJECT

 private:
  static double expected(const at::Tensor& logits, const at::Tensor& labels,
                         const at::Tensor& weights, const std::vector<double>& classWeights) {
    double sum = 0, rows = 0;
    for (std::int64_t i = 0; i < logits.size(0); ++i) {
      double total = 0;
      for (std::int64_t c = 0; c < logits.size(1); ++c)
        total += std::exp(logits[i][c].item<double>());
      const auto label = labels[i].item<std::int64_t>();
      const double loss = std::log(total) - logits[i][label].item<double>();
      const double factor =
          classWeights.empty() ? 1 : classWeights[static_cast<std::size_t>(label)];
      sum += weights[i].item<double>() * factor * loss;
      rows += weights[i].item<double>();
    }
    return sum / rows;
  }

 private Q_SLOTS:
  void weightsOfClassesScaleTheirTermsAndNotTheDivisor() {
    const at::Tensor logits = at::linspace(-2, 3, 15, at::kFloat).sin().mul(3).view({5, 3});
    const at::Tensor labels = at::tensor({0, 2, 1, 2, 0}, at::kLong);
    const at::Tensor weights = at::tensor({1.F, 1.F, 1.F, 1.F, 0.F});
    for (const std::vector<double>& of : {std::vector<double>{}, {1, 2, .25}, {1, 0, 0}}) {
      at::Tensor classWeights;
      if (!of.empty()) classWeights = at::tensor(of, at::kFloat);
      const double found = model::classLoss(logits, labels, weights, classWeights).item<double>();
      QVERIFY2(std::abs(found - expected(logits, labels, weights, of)) < 1e-6,
               std::to_string(found).c_str());
    }
  }

  void weightsOfOneChangeNoBit() {
    const at::Tensor logits = at::linspace(-2, 3, 15, at::kFloat).sin().mul(3).view({5, 3});
    const at::Tensor labels = at::tensor({0, 2, 1, 2, 0}, at::kLong);
    const at::Tensor weights = at::ones({5});
    QVERIFY(model::classLoss(logits, labels, weights)
                .equal(model::classLoss(logits, labels, weights, at::ones({3}))));
  }
};

LOCKSTEP_TEST(TstClassLoss)
#include "tst_class_loss.moc"
