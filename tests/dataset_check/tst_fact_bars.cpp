#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/dataset_check/fact_bars.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using dataset_check::CountedPart;
using dataset_check::FactBar;
using nlohmann::json;

namespace {

constexpr int kClasses = 5, kImages = 40;

/// Random objects, some of them crowds, some without an area; images without any.
json randomFile(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) {
    return static_cast<int>(random() % static_cast<unsigned>(end));
  };
  json file{
      {"images", json::array()}, {"annotations", json::array()}, {"categories", json::array()}};
  for (int c = 0; c < kClasses; ++c)
    file["categories"].push_back({{"id", 10 * c + 3}, {"name", "class " + std::to_string(c)}});
  int id = 0;
  for (int i = 0; i < kImages; ++i) {
    file["images"].push_back(
        {{"id", i + 1}, {"file_name", std::to_string(i) + ".png"}, {"width", 64}, {"height", 48}});
    for (int n = below(9); n > 0; --n) {
      const int w = 1 + below(30), h = 1 + below(20), x = below(30), y = below(20);
      file["annotations"].push_back({{"id", ++id},
                                     {"image_id", i + 1},
                                     {"category_id", 10 * below(kClasses) + 3},
                                     {"bbox", {x, y, w, h}},
                                     {"area", w * h},
                                     {"iscrowd", below(12) == 0},
                                     {"segmentation", {{x, y, x + w, y, x + w, y + h, x, y + h}}}});
    }
  }
  return file;
}

}  // namespace

class TstFactBars : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  json file_;
  CountedPart part_;

  std::int64_t objectsOf(const FactBar& bar) const {
    std::int64_t count = 0;
    for (const auto& image : dataset_check::imagesOf(part_, bar))
      count += static_cast<std::int64_t>(image.objects.size());
    return count;
  }
  std::int64_t imagesOf(const FactBar& bar) const {
    return static_cast<std::int64_t>(dataset_check::imagesOf(part_, bar).size());
  }
  /// Classes of the objects of an image, from the file itself.
  std::set<int> classesIn(int imageId) const {
    std::set<int> classes;
    for (const json& object : file_["annotations"])
      if (object["image_id"] == imageId && !object["iscrowd"].get<bool>())
        classes.insert(object["category_id"].get<int>() / 10);
    return classes;
  }

 private Q_SLOTS:
  void initTestCase() {
    file_ = randomFile(7);
    const std::string path = folder_.filePath(QStringLiteral("train.json")).toStdString();
    std::ofstream(path) << file_;
    config::Experiment experiment;
    experiment.dataset.train.annotations = path;
    experiment.dataset.train.images = folder_.path().toStdString();
    part_ = dataset_check::countPart(experiment, dataset_check::Part::Train);
    QCOMPARE(part_.facts.images, std::int64_t{kImages});
  }

  void theShareThatIsReadIsTold() {
    config::Experiment experiment;
    experiment.dataset.train.annotations =
        folder_.filePath(QStringLiteral("train.json")).toStdString();
    std::atomic<double> largest = 0;
    dataset_check::countPart(experiment, dataset_check::Part::Train, [&](double share) {
      if (share < 1) largest = std::max<double>(largest, share);
      return share <= 1;  // more would end the reading
    });
    QVERIFY2(largest > 0.5, qPrintable(QString::number(largest)));
  }

  void aBarHasTheObjectsThatItCounts() {
    using enum FactBar::Of;
    for (std::size_t i = 0; i < part_.facts.classes.size(); ++i) {
      QCOMPARE(objectsOf({Class, i}), part_.facts.classes[i].objects);
      QCOMPARE(imagesOf({Class, i}), part_.facts.classes[i].images);
    }
    for (std::size_t i = 0; i < part_.facts.sides.counts.size(); ++i)
      QCOMPARE(objectsOf({Side, i}), part_.facts.sides.counts[i]);
    for (std::size_t i = 0; i < part_.facts.aspectRatios.counts.size(); ++i)
      QCOMPARE(objectsOf({AspectRatio, i}), part_.facts.aspectRatios.counts[i]);
    for (std::size_t i = 0; i < part_.facts.objectsPerImage.counts.size(); ++i)
      QCOMPARE(imagesOf({ObjectsPerImage, i}), part_.facts.objectsPerImage.counts[i]);
  }

  void pairsAreImagesWithBothClasses() {
    for (int a = 0; a < kClasses; ++a)
      for (int b = 0; b < kClasses; ++b) {
        std::int64_t expected = 0;
        for (int id = 1; id <= kImages; ++id) {
          const std::set<int> classes = classesIn(id);
          expected += classes.contains(a) && classes.contains(b);
        }
        const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
        QCOMPARE(part_.classPairs[first][second], expected);
        QCOMPARE(imagesOf({FactBar::Of::ClassPair, first, second}), expected);
      }
  }

  void objectsOfAClassAreOfThatClass() {
    for (const auto& image : dataset_check::imagesOf(part_, {FactBar::Of::Class, 2})) {
      const auto& annotations = part_.data.dataset().annotationsOf(image.image);
      for (const std::size_t object : image.objects) {
        QCOMPARE(annotations[object].categoryId.value, 23);
        QVERIFY(!annotations[object].isCrowd);
      }
    }
  }

  void aPartThatIsNotSetIsRefused() {
    QVERIFY_EXCEPTION_THROWN(
        dataset_check::countPart(config::Experiment(), dataset_check::Part::Val), UserError);
  }
};

LOCKSTEP_TEST(TstFactBars)
#include "tst_fact_bars.moc"
