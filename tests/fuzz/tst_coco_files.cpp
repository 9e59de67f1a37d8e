#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/coco/evaluation/precision_arrays.h"
#include "engine/coco/files/json_nan.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::coco;
using tests::Choices;

namespace {

/// A file of tests/fixtures/coco/, small and with every form that the format has.
std::filesystem::path sample(const char* name) {
  return tests::sourceFolder() / "tests/fixtures/coco" / name;
}

/// Whoever accepts what is no JSON, but for NaN, hides a damaged file.
void expectJson(const std::filesystem::path& file) {
  std::string text = base::readFile(file);
  quoteNan(text);
  if (!nlohmann::json::accept(text)) {
    throw std::logic_error("broken JSON is accepted");
  }
}

void evaluateBoth(const Dataset& groundTruth, const ResultsFile& results) {
  for (const IouType type : {IouType::Box, IouType::Mask}) {
    const auto matches = matchResults(groundTruth, results, type, {}, 1);
    for (const double stat : accumulate(matches, groundTruth.categories(), {}, 1).stats) {
      if (!(stat >= -1 && stat <= 1)) throw std::logic_error("a figure is no share");
    }
  }
}

}  // namespace

class TstCocoFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { tests::allowFuzzingTime(); }

  void damagedAnnotationsAreReadOrAreErrors() {
    holdAll("annotations.json", [](const std::filesystem::path& file) {
      const Dataset groundTruth = Dataset::load(file);
      for (std::size_t i = 0; i < groundTruth.images().size(); ++i) {
        if (groundTruth.images()[i].width > 4096 || groundTruth.images()[i].height > 4096) continue;
        for (const Annotation& annotation : groundTruth.annotationsOf(i)) {
          annotationMask(annotation, groundTruth.images()[i]);
        }
      }
    });
  }

  void damagedResultsAreReadOrAreErrors() {
    const Dataset groundTruth = Dataset::load(sample("annotations.json"));
    holdAll("results.json", [&](const std::filesystem::path& file) {
      evaluateBoth(groundTruth, ResultsFile::load(file, groundTruth));
    });
  }

 private:
  void holdAll(const char* name, const std::function<void(const std::filesystem::path&)>& read) {
    const std::string whole = base::readFile(sample(name));
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("f.json")).toStdString();
    const auto damage = [&](Choices& choices) {
      return choices.below(2) == 0 ? tests::damagedJson(whole, choices)
                                   : tests::damagedBytes(whole, choices);
    };
    const std::string failures = tests::failuresOf({name,
                                                    file,
                                                    {},
                                                    damage,
                                                    [&] {
                                                      read(file);
                                                      expectJson(file);
                                                    }},
                                                   tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }
};

LOCKSTEP_TEST(TstCocoFiles)
#include "tst_coco_files.moc"
