#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/coco/files/dataset.h"
#include "engine/pack/pack_run.h"
#include "engine/pack/packed_run.h"
#include "engine/pack/run_members.h"
#include "engine/run_folder/run_files.h"
#include "engine/run_folder/run_notes.h"
#include "tests/pack/tar_members.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::textOf;
using tests::writeText;
namespace fs = std::filesystem;

namespace {

constexpr const char* kAnnotations = R"({
  "info": {"year": 2026},
  "images": [{"id": 1, "file_name": "a.png", "width": 8, "height": 8},
             {"id": 2, "file_name": "sub/a.png", "width": 8, "height": 8},
             {"id": 3, "file_name": "c.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "drop"}],
  "annotations": [
    {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 4, 4], "area": 16, "iscrowd": 0,
     "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]], "attributes": {"by": "ada"}},
    {"id": 2, "image_id": 3, "category_id": 1, "bbox": [0, 0, 4, 4], "area": 16, "iscrowd": 0,
     "segmentation": [[0, 0, 4, 0, 4, 4, 0, 4]]}]})";

std::map<std::string, std::string> contentOf(const std::string& tar) {
  std::map<std::string, std::string> content;
  for (const tests::TarMember& member : tests::membersOf(tar))
    content[member.name] = member.content;
  return content;
}

std::string answerTo(run_folder::RunFiles& files, const std::string& path) {
  const protocol::EngineMessage answer = files.answer({"7", path, 0});
  if (const auto* error = std::get_if<protocol::ErrorReply>(&answer)) return error->message;
  return std::get<protocol::FilePart>(std::get<protocol::Ok>(answer).answer).data;
}

}  // namespace

class TstPackRun : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    const std::string dataset = (root() / "data").string();
    writeText(run() / "config.yaml", "dataset:\n  val: {images: " + dataset +
                                         "/val, annotations: " + dataset + "/val.json}\n");
    run_folder::RunInfo info = tests::sampleInfo();
    info.state = protocol::RunState::Finished;
    run_folder::writeRunInfo(layout(), info);
    writeText(run() / "notes.json", R"({"note": "best so far"})");
    writeText(run() / "events.out.tfevents.1.host.1", std::string(3000, 'e'));
    writeText(run() / "source/drops.yaml", "name: drops  # mine");
    writeText(run() / "source/bases/base.yaml", "solver: {}");
    writeText(run() / "evaluations/step-00000002.json", "{}");
    writeText(run() / "evaluations/.step-00000003.json.partial", "half");
    writeText(run() / "predictions/step-00000002.json", R"({"image_ids": [1, 2]})");
    tests::makeCheckpoint(layout(), 2);
    tests::makeCheckpoint(layout(), 4);
    writeText(root() / "data/val.json", kAnnotations);
    for (const char* image : {"a.png", "sub/a.png", "c.png"})
      writeText(root() / "data/val" / image, std::string("pixels of ") + image);
  }

  void theFileIsATarWithItsManifestFirst() {
    pack::packRun(layout(), packed(), {});
    const std::string tar = textOf(packed());
    const auto members = tests::membersOf(tar);
    QCOMPARE(members.front().name, std::string("manifest.json"));
    const auto manifest = nlohmann::json::parse(members.front().content);
    QCOMPARE(manifest["run"].get<std::string>(), run().string());
    QCOMPARE(manifest["members"].get<std::size_t>(), members.size() - 1);
    const auto content = contentOf(tar);
    for (const char* same : {"config.yaml", "notes.json", "events.out.tfevents.1.host.1",
                             "source/drops.yaml", "source/bases/base.yaml",
                             "evaluations/step-00000002.json", "predictions/step-00000002.json"})
      QCOMPARE(content.at(same), textOf(run() / same));
    QVERIFY(!content.contains("evaluations/.step-00000003.json.partial"));
    QVERIFY(!contains(tar, "model.safetensors"));
  }

  void itHasThePredictedImagesAndTheirAnnotations() {
    const pack::PackedContent made = pack::packRun(layout(), packed(), {});
    QCOMPARE(made.images, 2U);
    QVERIFY(made.warnings.empty());
    const pack::PackedRun opened(packed());
    run_folder::RunFiles files(opened.layout(), opened.manifest().datasetFiles);
    const std::string data = (root() / "data").string();
    QCOMPARE(answerTo(files, data + "/val/a.png"), std::string("pixels of a.png"));
    QCOMPARE(answerTo(files, data + "/val/sub/a.png"), std::string("pixels of sub/a.png"));
    QVERIFY(contains(answerTo(files, data + "/val/c.png"), "is not in the packed run"));
    QVERIFY(contains(answerTo(files, "/etc/hostname"), "is not in the packed run"));
    const auto part = nlohmann::json::parse(answerTo(files, data + "/val.json"));
    QCOMPARE(part["info"]["year"].get<int>(), 2026);
    QCOMPARE(part["images"].size(), 2U);
    QCOMPARE(part["annotations"].size(), 1U);
    QCOMPARE(part["annotations"][0]["attributes"]["by"].get<std::string>(), std::string("ada"));
    QCOMPARE(coco::Dataset::load(opened.layout().folder() / "annotations.json").images().size(),
             2U);
  }

  void itsRunIsKnownWithoutUnpackingIt() {
    pack::packRun(layout(), packed(), {});
    const run_folder::RunInfo info = pack::readPackedRunInfo(packed());
    const run_folder::RunInfo own = run_folder::readRunInfo(layout());
    QCOMPARE(info.name, own.name);
    QCOMPARE(info.step, own.step);
    QVERIFY(info.best == own.best && info.state == own.state);
    writeText(packed(), textOf(packed()).substr(0, 700));
    QVERIFY(contains(tests::messageOf([&] { pack::readPackedRunInfo(packed()); }),
                     packed().string() + ": "));
  }

  void theWeightsOfOneCheckpointAreAdded() {
    QCOMPARE(
        pack::packRun(layout(), packed(), layout().checkpoint(4) / "model.safetensors").weightsStep,
        4);
    const pack::PackedRun opened(packed());
    QCOMPARE(textOf(opened.weights().value()), std::string("model.safetensors"));
    const auto content = contentOf(textOf(packed()));
    QVERIFY(content.contains("checkpoints/step-00000004/state.json"));
    QVERIFY(!content.contains("checkpoints/step-00000004/optimizer.safetensors"));
  }

  /// Wherever the run is, and whatever else is in its folder.
  void itsSizeIsThatOfTheMembers() {
    fs::create_directories(root() / "checkpoints/runs");
    const run_folder::Layout moved(root() / "checkpoints/runs/a");
    fs::rename(run(), moved.folder());
    writeText(moved.folder() / "engine.log", std::string(5000, 'l'));
    writeText(moved.folder() / "mine/notes.txt", std::string(5000, 'n'));
    const fs::path weights = moved.checkpoint(4) / "model.safetensors";
    pack::packRun(moved, packed(), weights);
    std::uintmax_t own = fs::file_size(moved.runJson()), ofWeights = 0;
    for (const auto& [name, content] : contentOf(textOf(packed()))) {
      const bool isMade = name == "manifest.json" || name == "run.json";
      const bool isOfData = name == "annotations.json" || name.starts_with("images/");
      if (isMade || isOfData) continue;
      (name.starts_with("checkpoints/") ? ofWeights : own) += content.size();
    }
    QVERIFY(ofWeights > 0);
    QCOMPARE(pack::packedBytes(moved, {}), own);
    QCOMPARE(pack::packedBytes(moved, weights), own + ofWeights);
  }

  void weightsOfOthersAreRefused() {
    writeText(root() / "other.safetensors", "x");
    QVERIFY(contains(
        tests::messageOf([&] { pack::packRun(layout(), packed(), root() / "other.safetensors"); }),
        "is not a checkpoint of the run"));
    QVERIFY(!fs::exists(packed()));
  }

  /// Its state in the file is not one of a run that somebody goes on with.
  void aRunThatIsGoingOnIsAStoppedOne() {
    run_folder::RunInfo info = tests::sampleInfo();
    run_folder::writeRunInfo(layout(), info);
    const auto lock = run_folder::RunLock::tryAcquire(layout());
    QVERIFY(lock);
    pack::packRun(layout(), packed(), {});
    const pack::PackedRun opened(packed());
    const run_folder::RunSummary summary = run_folder::summarise(opened.layout().folder());
    QCOMPARE(summary.info.state.value(), protocol::RunState::Stopped);
    QCOMPARE(summary.info.step, info.step);
    QVERIFY(!summary.info.error);
    QVERIFY(run_folder::readRunInfo(layout()).state.value() == protocol::RunState::Running);
  }

  void withoutTheDatasetItIsPackedWithAWarning() {
    fs::remove_all(root() / "data");
    const pack::PackedContent made = pack::packRun(layout(), packed(), {});
    QCOMPARE(made.images, 0U);
    QCOMPARE(made.warnings.size(), 1U);
    QVERIFY(contains(made.warnings.front(), "val.json"));
    QVERIFY(pack::PackedRun(packed()).manifest().datasetFiles.empty());
  }

  void aMissingImageIsAWarning() {
    fs::remove(root() / "data/val/a.png");
    const pack::PackedContent made = pack::packRun(layout(), packed(), {});
    QCOMPARE(made.images, 1U);
    QVERIFY(contains(made.warnings.at(0), "1 image not packed"));
  }

  void aFlippedBitInAnyMemberIsNoticed() {
    pack::packRun(layout(), packed(), layout().checkpoint(4) / "model.safetensors");
    const std::string whole = textOf(packed());
    std::size_t at = 0;
    for (const tests::TarMember& member : tests::membersOf(whole)) {
      at += 512;
      if (member.name != "manifest.json" && !member.content.empty()) {
        std::string flipped = whole;
        flipped[at + member.content.size() / 2] ^= 4;
        writeText(packed(), flipped);
        const std::string message = tests::messageOf([&] { pack::PackedRun opened(packed()); });
        QVERIFY2(contains(message, packed().string() + ": is damaged or incomplete (" +
                                       member.name + " has other bytes than were packed)"),
                 message.c_str());
      }
      at += (member.content.size() + 511) / 512 * 512;
    }
  }

  void oneOfAnOlderVersionWithoutChecksumsIsRead() {
    pack::packRun(layout(), packed(), {});
    std::vector<tests::TarMember> members = tests::membersOf(textOf(packed()));
    auto manifest = nlohmann::json::parse(members.front().content);
    QCOMPARE(manifest["checksums"].size(), members.size() - 1);
    manifest.erase("checksums");
    members.front().content = manifest.dump();
    writeText(packed(), tests::tarOf(members));
    QCOMPARE(pack::PackedRun(packed()).manifest().members, members.size() - 1);
    QCOMPARE(pack::readPackedRunInfo(packed()).name, run_folder::readRunInfo(layout()).name);
  }

  void theSameRunMakesTheSameMembers() {
    pack::packRun(layout(), packed(), {});
    const std::string first = textOf(packed());
    fs::remove(packed());
    pack::packRun(layout(), packed(), {});
    auto ours = contentOf(first), again = contentOf(textOf(packed()));
    ours.erase("manifest.json");  // has the time
    again.erase("manifest.json");
    QVERIFY(ours == again);
  }

  /// The system's locale is C.
  void namesOfImagesMayHaveAnyCharacters() {
    const std::string name =
        "gr\xc3\xb6\xc3\x9f"
        "e \xe5\xba\x86.png";
    std::string annotations = kAnnotations;
    annotations.replace(annotations.find("a.png"), 5, name);
    writeText(root() / "data/val.json", annotations);
    fs::rename(root() / "data/val/a.png", root() / "data/val" / name);
    writeText(run() / "source/\xe8\xae\xbe\xe7\xbd\xae.yaml", "name: b");
    QCOMPARE(pack::packRun(layout(), packed(), {}).images, 2U);
    const pack::PackedRun opened(packed());
    run_folder::RunFiles files(opened.layout(), opened.manifest().datasetFiles);
    QCOMPARE(answerTo(files, (root() / "data/val" / name).string()),
             std::string("pixels of a.png"));
    QCOMPARE(textOf(opened.layout().source() / "\xe8\xae\xbe\xe7\xbd\xae.yaml"),
             std::string("name: b"));
  }

  /// 255 bytes: no prefix fits.
  void longNamesAndHiddenSourcesArePacked() {
    const std::string name = std::string(251, 'L') + ".png";
    std::string annotations = kAnnotations;
    annotations.replace(annotations.find("a.png"), 5, name);
    writeText(root() / "data/val.json", annotations);
    fs::rename(root() / "data/val/a.png", root() / "data/val" / name);
    writeText(run() / "source/home/.mine/exp.yaml", "name: hidden");
    pack::packRun(layout(), packed(), {});
    const pack::PackedRun opened(packed());
    run_folder::RunFiles files(opened.layout(), opened.manifest().datasetFiles);
    QCOMPARE(answerTo(files, (root() / "data/val" / name).string()),
             std::string("pixels of a.png"));
    QCOMPARE(textOf(opened.layout().source() / "home/.mine/exp.yaml"), std::string("name: hidden"));
  }

  void allPredictedImagesAreThere() {
    writeText(layout().predictionsOfPart(4, "val"), R"({"image_ids": [3]})");
    writeText(layout().predictionsOfPart(4, "train"), R"({"image_ids": [77]})");
    QCOMPARE(pack::packRun(layout(), packed(), {}).images, 3U);
  }

  void whatIsThereIsNotReplaced() {
    writeText(packed(), "mine");
    QVERIFY(contains(tests::messageOf([&] { pack::packRun(layout(), packed(), {}); }),
                     "cannot be written: File exists"));
    QCOMPARE(textOf(packed()), std::string("mine"));
  }

  void nothingIsLeftWhenItCannotBeWritten() {
    fs::remove(run() / "predictions/step-00000002.json");
    fs::create_directory(packed());  // a file cannot replace it
    QVERIFY(contains(tests::messageOf([&] { pack::packRun(layout(), packed(), {}); }),
                     "cannot be written"));
    for (const fs::directory_entry& entry : fs::directory_iterator(root()))
      QVERIFY(!contains(entry.path().filename().string(), ".partial"));
  }

  void theOpenedFolderIsRemoved() {
    pack::packRun(layout(), packed(), {});
    fs::path folder;
    {
      const pack::PackedRun opened(packed());
      folder = opened.layout().folder();
      QVERIFY(fs::exists(folder / "run.json"));
    }
    QVERIFY(!fs::exists(folder));
  }

 private:
  fs::path root() const { return folder_->path().toStdString(); }
  fs::path run() const { return root() / "run"; }
  fs::path packed() const { return root() / "run.lockstep"; }
  run_folder::Layout layout() const { return run_folder::Layout(run()); }

  std::unique_ptr<QTemporaryDir> folder_;
};

LOCKSTEP_TEST(TstPackRun)
#include "tst_pack_run.moc"
