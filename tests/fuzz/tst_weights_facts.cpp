#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/run_folder/weights_metadata.h"
#include "tests/fuzz/mutants.h"
#include "tests/fuzz/reading_check.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::Choices;
namespace fs = std::filesystem;

namespace {

/// A safetensors file as a checkpoint holds it, with one small tensor.
std::string wholeFile() {
  const nlohmann::json header{
      {"__metadata__", {{"norm", "group"}, {"norm_epsilon", "1e-05"}, {"category_ids", "[1,2]"}}},
      {"w", {{"dtype", "F32"}, {"shape", {2, 3}}, {"data_offsets", {0, 24}}}}};
  const std::string text = header.dump();
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> (8 * i));
  return length + text + std::string(24, '\1');
}

}  // namespace

class TstWeightsFacts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The command line looks at the header before the worker reads the file and says what is wrong.
  void damagedFilesAreNeverErrorsHere() {
    QTemporaryDir folder;
    const fs::path file = folder.filePath(QStringLiteral("a.safetensors")).toStdString();
    const std::string whole = wholeFile();
    const auto read = [&] {
      try {
        run_folder::weightsFacts(file);
        run_folder::trainedStepOfWeights(file);
      } catch (const std::exception& error) {
        throw std::logic_error(error.what());  // an Error, too
      }
    };
    const std::string failures = tests::failuresOf(
        {"facts of weights",
         file,
         {},
         [&](Choices& choices) { return tests::damagedSafetensors(whole, choices); },
         read},
        tests::chosenVariants(1000));
    QVERIFY2(failures.empty(), failures.c_str());
  }
};

LOCKSTEP_TEST(TstWeightsFacts)
#include "tst_weights_facts.moc"
