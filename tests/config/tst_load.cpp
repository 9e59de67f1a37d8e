#include <sys/stat.h>

#include <QTest>

#include "engine/base/error.h"
#include "engine/config/load.h"
#include "tests/config/experiment_files.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using config::LoadedExperiment;
using tests::ExperimentFolder;

class TstLoad : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anEmptyFileIsTheDefaults() {
    for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "{}", "---\n...\n",
                             "solver:\nmodel: null\n"}) {
      const LoadedExperiment loaded = config::loadExperimentText(text, "a.yaml");
      QCOMPARE(tests::issueLines(loaded), std::string());
      QVERIFY(config::difference(loaded.experiment, {}).empty());
      QVERIFY(loaded.origins.empty());
    }
  }

  void theFileWinsOverItsBaseAndOverridesOverAll() {
    ExperimentFolder folder;
    folder.write("ground/base.yaml",
                 "solver: {base_lr: 0.1, batch_size: 4, gamma: 0.5}\n"
                 "model: {weights: w/a.safetensors}\n");
    folder.write("ground/w/a.safetensors", "");
    folder.write("middle.yaml", "base: ground/base.yaml\nsolver: {batch_size: 6}\n");
    const auto file = folder.write("mine.yaml", "base: middle.yaml\nsolver:\n  batch_size: 8\n");
    const LoadedExperiment loaded = config::loadExperiment(file, {"solver.gamma=0.25"});
    QCOMPARE(tests::issueLines(loaded), std::string());
    const config::SolverConfig& solver = loaded.experiment.solver;
    QCOMPARE(solver.momentum, 0.9);
    QCOMPARE(solver.baseLr, 0.1);
    QCOMPARE(solver.batchSize, 8);
    QCOMPARE(solver.gamma, 0.25);
    QCOMPARE(loaded.experiment.base, std::string("middle.yaml"));
    QCOMPARE(loaded.experiment.model.weights, folder.path("ground/w/a.safetensors").string());
    QCOMPARE(loaded.files.size(), std::size_t{3});
    QCOMPARE(loaded.files[0], file);
    QCOMPARE(loaded.files[2], folder.path("ground/base.yaml"));
  }

  void originsNameFileAndPosition() {
    ExperimentFolder folder;
    folder.write("base.yaml", "# x\nsolver: {base_lr: 0.1, gamma: 0.5}\n");
    const auto file = folder.write("a.yaml", "base: base.yaml\nsolver:\n  gamma:   0.3\n");
    const LoadedExperiment loaded = config::loadExperiment(file, {"runtime.seed=4"});
    QCOMPARE(loaded.origins.size(), std::size_t{4});
    QCOMPARE(loaded.origins.at("solver.base_lr").file, folder.path("base.yaml").string());
    QCOMPARE(loaded.origins.at("solver.base_lr").line, 2);
    QCOMPARE(loaded.origins.at("solver.base_lr").column, 19);
    QCOMPARE(loaded.origins.at("solver.gamma").file, file.string());
    QCOMPARE(loaded.origins.at("solver.gamma").line, 3);
    QCOMPARE(loaded.origins.at("solver.gamma").column, 12);
    QCOMPARE(loaded.origins.at("runtime.seed").file, std::string("--set"));
  }

  void pathsAreRelativeToTheFileThatNamesThem() {
    ExperimentFolder folder;
    folder.write("data/train/.keep", "");
    folder.write("data/train.json", "");
    const auto file = folder.write(
        "configs/a.yaml",
        "dataset: {train: {images: ../data/train/, annotations: ../data/train.json}}\n");
    const LoadedExperiment loaded = config::loadExperiment(file);
    QCOMPARE(tests::issueLines(loaded), std::string());
    QCOMPARE(loaded.experiment.dataset.train.images, folder.path("data/train").string());
    QCOMPARE(loaded.experiment.dataset.train.annotations, folder.path("data/train.json").string());
    const LoadedExperiment overridden =
        config::loadExperiment(file, {"model.weights=here.safetensors"});
    QCOMPARE(overridden.experiment.model.weights,
             (std::filesystem::current_path() / "here.safetensors").string());
  }

  void errorsNamePositionAndRemedy_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("lines");
    const auto row = [](const char* name, const QByteArray& text, const char* lines) {
      QTest::newRow(name) << text << QString::fromUtf8(lines);
    };
    row("unknown key", "solver:\n  base_rl: 0.1\n",
        "a.yaml:2:3: solver.base_rl: unknown key; did you mean solver.base_lr?");
    row("line ends of old Macs", "# all of it\rname: a\r",
        "a.yaml:1:12: a line ends with a carriage return alone: save the file with line ends \\n "
        "or "
        "\\r\\n");
    row("missing colon", "solver:\n  max_steps: 900\n  base_lr 0.1\n",
        "a.yaml:3:3: solver.base_lr 0.1: the ':' after base_lr is missing: write 'base_lr: 0.1'");
    row("missing colon of a section's only key", "solver:\n  base_lr 0.1\n",
        "a.yaml:2:3: solver: the ':' after base_lr is missing: write 'base_lr: 0.1'");
    row("unknown key, nothing near", "solver: {quux: 1}\n",
        "a.yaml:1:10: solver.quux: unknown key; solver has optimizer, base_lr, momentum, nesterov, "
        "weight_decay, "
        "norm_weight_decay, backbone_lr_factor, bias_lr_factor, schedule, milestones, gamma, "
        "warmup_steps, "
        "warmup_factor, max_steps, batch_size, accumulate, clip_grad_norm, loss_weights, "
        "ema_decay, class_weights");
    row("unknown section, nothing near", "quux: {base_lr: 1}\n",
        "a.yaml:1:1: quux: unknown key; the top level has name, base, dataset, augment, model, "
        "solver, evaluation, "
        "checkpoint, monitor, runtime");
    row("wrong level", "base_lr: 0.1\n",
        "a.yaml:1:1: base_lr: unknown key; did you mean solver.base_lr?");
    row("wrong section", "solver:\n  max_size: 5\n",
        "a.yaml:2:3: solver.max_size: unknown key; did you mean augment.max_size?");
    row("section at the wrong level", "rpn:\n  fg_iou: 0.6\n",
        "a.yaml:1:1: rpn: unknown key; did you mean model.rpn?");
    row("misspelt section", "sovler:\n  base_lr: 1\n",
        "a.yaml:1:1: sovler: unknown key; did you mean solver?");
    row("dotted key", "solver.base_lr: 0.1\n",
        "a.yaml:1:1: solver.base_lr: dotted keys are for --set; here write 'solver:' and below it "
        "'base_lr:'");
    row("duplicate key", "solver:\n  gamma: 0.1\n  momentum: 0.8\n  gamma: 0.2\n",
        "a.yaml:4:3: solver.gamma: is given twice, here and at line 2, column 3; remove one of "
        "them");
    row("duplicate section", "solver: {gamma: 0.1}\nname: a\nsolver:\n  gamma: 0.2\n",
        "a.yaml:3:1: solver: is given twice, here and at line 1, column 1; remove one of them");
    row("duplicate in a flow map", "solver: {gamma: 0.1, gamma: 0.1}\n",
        "a.yaml:1:22: solver.gamma: is given twice, here and at line 1, column 10; remove one of "
        "them");
    row("octal", "solver: {batch_size: 010}\n",
        "a.yaml:1:22: solver.batch_size: 010 is not an integer; did you mean 10?");
    row("value for a section", "solver: 5\n",
        "a.yaml:1:9: solver: is the value 5; expected a section with the keys optimizer, base_lr, "
        "momentum, nesterov, "
        "weight_decay, norm_weight_decay, backbone_lr_factor, bias_lr_factor, schedule, "
        "milestones, gamma, "
        "warmup_steps, warmup_factor, max_steps, batch_size, accumulate, clip_grad_norm, "
        "loss_weights, ema_decay, class_weights");
    row("no value", "solver:\n  gamma:\n",
        "a.yaml:2:3: solver.gamma: has no value; expected a number");
    row("several at once, in order", "solver:\n  gamma: 2\n  nesterov: yes\nname: ''\n",
        "a.yaml:2:10: solver.gamma: 2: must be > 0 and ≤ 1\n"
        "a.yaml:3:13: solver.nesterov: yes is not a boolean; did you mean true?\n"
        "a.yaml:4:7: name: is empty; expected a string");
    row("columns are characters", "{name: größe, solver: {gamma: 2}}\n",
        "a.yaml:1:31: solver.gamma: 2: must be > 0 and ≤ 1");
    row("byte order mark", "\xef\xbb\xbfsolver: {gamma: 2}\n",
        "a.yaml:1:17: solver.gamma: 2: must be > 0 and ≤ 1");
    row("carriage returns", "solver:\r\n  gamma: 2\r\n",
        "a.yaml:2:10: solver.gamma: 2: must be > 0 and ≤ 1");
    row("list", "- a\n- b\n",
        "a.yaml:1:1: an experiment file must be a YAML mapping, for example 'name: my_run'");
    row("word", "hello\n",
        "a.yaml:1:1: an experiment file must be a YAML mapping, for example 'name: my_run'");
    row("null", "~\n",
        "a.yaml:1:1: an experiment file must be a YAML mapping, for example 'name: my_run'");
    row("tab", "solver:\n\tgamma: 0.1\n",
        "a.yaml:2:1: a tab in the indentation: YAML needs spaces");
    row("tab after spaces", "solver:\n  \tgamma: 0.1\n",
        "a.yaml:2:3: a tab in the indentation: YAML needs spaces");
    row("two documents", "name: a\n---\nname: b\n",
        "a.yaml:3:1: a second YAML document begins here: a file holds one experiment");
    row("anchor", "solver: &s {gamma: 0.1}\n",
        "a.yaml:1:9: anchors (&s) are not supported in experiment files: remove the anchor");
    row("alias", "solver: *s\n",
        "a.yaml:1:9: anchors (&name) and aliases (*name) are not supported in experiment files");
    row("merge key", "solver: {<<: {gamma: 0.1}}\n",
        "a.yaml:1:10: solver.<<: merge keys are not supported in experiment files: write the keys "
        "here, "
        "or share them with "
        "'base:'");
    row("tag", "solver: {batch_size: !!int 4}\n",
        "a.yaml:1:22: tags (!name) are not supported in experiment files: write the plain value");
    row("not UTF-8",
        "name: gr\xf6\xdf"
        "e\n",
        "a.yaml:1:9: is not UTF-8 text: save the file as UTF-8");
    row("zero bytes", QByteArray("name: a\0b\n", 10),
        "a.yaml:1:8: contains binary data: not an experiment file");
    row("UTF-16", QByteArray("\xff\xfen\0a\0", 6),
        "a.yaml:1:1: is not UTF-8 text: save the file as UTF-8");
    row("open brace", "solver: {gamma: 0.1\nname: a\n", "a.yaml:2:5: a '}' or a ',' is missing");
    row("open bracket", "augment: {min_size: [800}\n",
        "a.yaml:1:25: a closing bracket without an opening one");
    row("open quote", "name: \"a\nmodel: {}\n", "a.yaml:1:7: this quote is not closed");
    row("no colon", "solver:\n  gamma: 0.1\n  momentum\n",
        "a.yaml:3:3: solver.momentum: has no value; expected a number");
    row("dotted section", "dataset.train: {images: a}\n",
        "a.yaml:1:1: dataset.train: dotted keys are for --set; here write 'dataset:' and below it "
        "'train:'");
    row("wrong indentation", "solver:\n   gamma: 0.1\n  momentum: 0.5\n",
        "a.yaml:3:3: this line does not belong to the mapping above: check its indentation and "
        "that it "
        "is 'key: value'");
    row("two colons", "name: a: b\n",
        "a.yaml:1:8: unexpected ':': is the ':' missing in the line above, or is the indentation "
        "wrong? Text that contains ': ' needs quotes");
    row("character reserved by YAML", "name: @x\n",
        "a.yaml:1:7: a value that begins with this character needs quotes");
    row("list without brackets", "solver: {milestones: 100}\n",
        "a.yaml:1:22: solver.milestones: 100 is not a list; expected a list, such as [60000, "
        "80000]; "
        "did you mean [100]?");
    row("two values without brackets", "solver:\n  milestones: 100, 200\n",
        "a.yaml:2:15: solver.milestones: 100, 200 is not a list; expected a list, such as [60000, "
        "80000]; did you mean "
        "[100, 200]?");
    row("list as key", "? [a, b]\n: 1\n", "a.yaml:1:3: a key must be a plain word");
  }
  void errorsNamePositionAndRemedy() {
    QFETCH(QByteArray, text);
    QFETCH(QString, lines);
    const LoadedExperiment loaded = config::loadExperimentText(text.toStdString(), "a.yaml");
    QCOMPARE(QString::fromStdString(tests::issueLines(loaded)), lines);
    QVERIFY(loaded.hasErrors());
  }

  void errorsCarryASuggestion() {
    const LoadedExperiment loaded =
        config::loadExperimentText("solver:\n  base_rl: 0.1\n  nesterov: on\n", "a.yaml");
    QCOMPARE(loaded.issues.size(), std::size_t{2});
    QCOMPARE(loaded.issues[0].suggestion, std::string("solver.base_lr"));
    QCOMPARE(loaded.issues[1].suggestion, std::string("true"));
  }

  void validValuesAreReadDespiteErrors() {
    const LoadedExperiment loaded = config::loadExperimentText(
        "solver: {gamma: 7, momentum: 0.5, quux: 1}\nname: kept\n", "a.yaml");
    QCOMPARE(loaded.issues.size(), std::size_t{2});
    QCOMPARE(loaded.experiment.name, std::string("kept"));
    QCOMPARE(loaded.experiment.solver.momentum, 0.5);
    QCOMPARE(loaded.experiment.solver.gamma, 0.1);
  }

  void cyclicBasesAreNamed() {
    ExperimentFolder folder;
    folder.write("a.yaml", "base: b.yaml\n");
    folder.write("b.yaml", "name: b\nbase: deep/c.yaml\n");
    folder.write("deep/c.yaml", "base: ../a.yaml\n");
    folder.write("self.yaml", "base: self.yaml\n");
    QCOMPARE(
        tests::issueLines(config::loadExperiment(folder.path("a.yaml")), folder.path().string()),
        std::string("deep/c.yaml:1:7: base: circular inheritance: a.yaml → b.yaml → "
                    "deep/c.yaml → a.yaml"));
    QCOMPARE(
        tests::issueLines(config::loadExperiment(folder.path("self.yaml")), folder.path().string()),
        std::string("self.yaml:1:7: base: circular inheritance: self.yaml → self.yaml"));
  }

  void errorsOfBasesNameTheBase() {
    ExperimentFolder folder;
    folder.write("base.yaml", "\nsolver: {gama: 1}\n");
    const auto file = folder.write("a.yaml", "base: base.yaml\nnam: x\n");
    QCOMPARE(tests::issueLines(config::loadExperiment(file), folder.path().string()),
             std::string("a.yaml:2:1: nam: unknown key; did you mean name?\n"
                         "base.yaml:2:10: solver.gama: unknown key; did you mean solver.gamma?"));
  }

  void missingFilesAreErrors() {
    ExperimentFolder folder;
    const std::string where = folder.path().string();
    const auto file = folder.write("a.yaml", "base: none.yaml\n");
    QCOMPARE(tests::issueLines(config::loadExperiment(file), where),
             "a.yaml:1:7: base: none.yaml: no such file; a base path is relative to "
             "the folder of the file that names it, " +
                 where);
    QCOMPARE(tests::issueLines(config::loadExperiment(folder.path("none.yaml")), where),
             std::string("none.yaml: no such file"));
    QCOMPARE(tests::issueLines(config::loadExperiment(folder.path())),
             where + ": is a folder; expected an experiment file");
  }

  void otherFilesAreNotReadAsExperiments_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("error");
    QTest::newRow("device") << QStringLiteral("/dev/zero")
                            << QStringLiteral("is a device; expected an experiment file");
    QTest::newRow("pipe") << QStringLiteral("pipe")
                          << QStringLiteral("is a pipe; expected an experiment file");
    QTest::newRow("folder") << QStringLiteral(".")
                            << QStringLiteral("is a folder; expected an experiment file");
    QTest::newRow("large") << QStringLiteral("large.yaml")
                           << QStringLiteral("is larger than 1 MB: not an experiment file");
  }
  void otherFilesAreNotReadAsExperiments() {
    QFETCH(QString, file);
    QFETCH(QString, error);
    ExperimentFolder folder;
    QCOMPARE(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
    folder.write("large.yaml", std::string(1'000'001, '#'));
    const auto named = (folder.path() / file.toStdString()).lexically_normal();
    QCOMPARE(QString::fromStdString(tests::issueLines(config::loadExperiment(named))),
             QString::fromStdString(named.string()) + QStringLiteral(": ") + error);
    const auto heir = folder.write("a.yaml", "base: " + named.string() + "\n");
    QCOMPARE(QString::fromStdString(tests::issueLines(config::loadExperiment(heir))),
             QString::fromStdString(heir.string() + ":1:7: base: " + named.string()) +
                 QStringLiteral(": ") + error);
  }

  void aTildeExpandsToTheHomeFolder() {
    ExperimentFolder folder;
    const QByteArray before = qgetenv("HOME");
    qputenv("HOME", QByteArray::fromStdString(folder.path().string()));
    folder.write("base.yaml", "model: {weights: ~/w.safetensors}\n");
    folder.write("w.safetensors", "");
    folder.write("train.json", "");
    folder.write("images/.keep", "");
    folder.write("data/~/val.json", "");
    const auto file = folder.write(
        "data/a.yaml",
        "base: ~/base.yaml\n"
        "dataset: {train: {images: ~/images/, annotations: null}, val: {annotations: ./~/val.json, "
        "images: ~}}\n");
    const LoadedExperiment loaded =
        config::loadExperiment(file, {"dataset.train.annotations=~/train.json"});
    const LoadedExperiment unknown = config::loadExperimentText(
        "base: ~nobody.here/b.yaml\n", "a.yaml", {"model.weights=~nobody.here/w"});
    qputenv("HOME", before);
    const config::DatasetConfig& data = loaded.experiment.dataset;
    QCOMPARE(data.train.images, folder.path("images").string());
    QCOMPARE(data.train.annotations, folder.path("train.json").string());
    QCOMPARE(data.val.images, std::string());
    QCOMPARE(data.val.annotations, folder.path("data/~/val.json").string());
    QCOMPARE(loaded.experiment.model.weights, folder.path("w.safetensors").string());
    QVERIFY(config::writeExperiment(loaded.experiment).find('~') ==
            config::writeExperiment(loaded.experiment).find("~/val.json"));
    QCOMPARE(
        tests::issueLines(unknown),
        std::string("a.yaml:1:7: base: ~nobody.here/b.yaml: there is no user nobody.here; for a "
                    "folder whose name begins with ~ write ./~nobody.here/b.yaml\n"
                    "--set: model.weights: ~nobody.here/w: there is no user nobody.here; for a "
                    "folder whose name begins with ~ write ./~nobody.here/w"));
  }

  void errorsOfOverridesNameTheOverride_data() {
    QTest::addColumn<QString>("override");
    QTest::addColumn<QString>("lines");
    const auto row = [](const char* override, const char* lines) {
      QTest::newRow(override) << QString::fromUtf8(override) << QString::fromUtf8(lines);
    };
    row("solver.base_lr",
        "--set: solver.base_lr: expected KEY=VALUE, such as solver.max_steps=200");
    row("solver.base_rl=1", "--set: solver.base_rl: unknown key; did you mean solver.base_lr?");
    row("base_lr=1", "--set: base_lr: unknown key; did you mean solver.base_lr?");
    row("solver.base_lr=", "--set: solver.base_lr: has no value; expected a number");
    row("solver.base_lr=x", "--set: solver.base_lr: x is not a number");
    row("solver.milestones=[1", "--set: solver.milestones: [1: a ']' or a ',' is missing");
    row("dataset.train={images: a}",
        "--set: dataset.train: is a section; set its keys one by one: images, annotations");
    row("base=x.yaml", "--set: base: cannot be overridden: set it in the file");
    row("model.weights=https://a.b/w.pth",
        "--set: model.weights: https://a.b/w.pth: URLs are not supported; download the file, and "
        "convert a .pth with packaging/convert_weights.py");
    row("dataset.train.images=s3://a/b",
        "--set: dataset.train.images: s3://a/b: URLs are not supported; download the files");
    row("=1",
        "--set: unknown key; the top level has name, base, dataset, augment, model, solver, "
        "evaluation, "
        "checkpoint, monitor, runtime");
    row("quux=1",
        "--set: quux: unknown key; the top level has name, base, dataset, augment, model, solver, "
        "evaluation, checkpoint, monitor, runtime");
  }
  void errorsOfOverridesNameTheOverride() {
    QFETCH(QString, override);
    QFETCH(QString, lines);
    const LoadedExperiment loaded =
        config::loadExperimentText("", "a.yaml", {override.toStdString()});
    QCOMPARE(QString::fromStdString(tests::issueLines(loaded)), lines);
  }

  void overridesAreYaml() {
    const LoadedExperiment loaded = config::loadExperimentText(
        "model: {weights: x}\n", "a.yaml",
        {" solver.milestones = [1 epoch, 2 epochs]", "model.weights=null", "name=a: b #c",
         "runtime.seed=1", "runtime.seed=2", "model.freeze_stages=auto",
         "augment.min_size=[256, 300]", "solver.max_steps=1e3"});
    QCOMPARE(tests::issueLines(loaded), std::string());
    QCOMPARE(loaded.experiment.solver.milestones.at(1),
             (config::Duration{2, config::Duration::Unit::Epochs}));
    QCOMPARE(loaded.experiment.model.weights, std::string());
    QCOMPARE(loaded.experiment.name, std::string("a: b #c"));
    QCOMPARE(loaded.experiment.runtime.seed, std::int64_t{2});
    QCOMPARE(loaded.experiment.solver.maxSteps, (config::Duration{1000}));
  }

  void throwingNamesEveryError() {
    const LoadedExperiment loaded = config::loadExperimentText(
        "solver: {gamma: 2, warmup_steps: 9, max_steps: 5, momentum: x}\n", "a.yaml");
    QCOMPARE(loaded.issues.size(), std::size_t{3});
    try {
      loaded.throwOnError();
      QFAIL("did not throw");
    } catch (const Error& error) {
      QVERIFY(error.status() == ExitStatus::UserError);
      QCOMPARE(std::string(error.what()),
               std::string("a.yaml:1:17: solver.gamma: 2: must be > 0 and ≤ 1\n"
                           "a.yaml:1:61: solver.momentum: x is not a number"));
    }
    config::loadExperimentText("solver: {warmup_steps: 9, max_steps: 5}\n", "a.yaml")
        .throwOnError();
  }

  void deepAndHugeTextsAreErrorsNotCrashes() {
    for (const std::string bracket :
         {"[", "{", "{a: ", "[a, ", "- ", "a:\n ", "? ", "&a ", "!t ", "\"", "'", "|\n", "%"}) {
      std::string text;
      for (int level = 0; level < 20000; ++level) text += bracket;
      const LoadedExperiment loaded = config::loadExperimentText("solver: " + text, "a.yaml");
      QVERIFY2(loaded.hasErrors(), bracket.c_str());
      config::loadExperimentText(text, "a.yaml");
    }
    std::string stairs;
    for (std::size_t level = 0; level < 300; ++level) stairs += std::string(level, ' ') + "a:\n";
    QVERIFY(config::loadExperimentText(stairs, "a.yaml").hasErrors());
  }

  void aLongListOfErrorsIsTruncated() {
    std::string text;
    for (int index = 0; index < 20000; ++index) text += "k" + std::to_string(index) + ": 1\n";
    const LoadedExperiment loaded = config::loadExperimentText(text, "a.yaml");
    QCOMPARE(loaded.issues.size(), std::size_t{101});
    QCOMPARE(loaded.issues.back().format(),
             std::string("a.yaml:101:1: k100: more errors follow; fix those above first"));
  }

  void damagedFilesNeverCrash() {
    std::uint64_t seed = 3;
    const std::string whole = config::writeExperiment(tests::randomExperiment(1)) +
                              "solver: {a: [1, 'x', \"y\\n\"], b: |\n  text\n}\n";
    const std::string signs = "{}[]:,#'\"|>-?&*!%@` \n\t\r\xff\x01~";
    for (int turn = 0; turn < 3000; ++turn) {
      std::string text =
          whole.substr(tests::nextRandom(seed) % whole.size(), tests::nextRandom(seed) % 600);
      for (int change = 0; change < 4 && !text.empty(); ++change) {
        text[tests::nextRandom(seed) % text.size()] = signs[tests::nextRandom(seed) % signs.size()];
      }
      const LoadedExperiment loaded = config::loadExperimentText(text, "a.yaml");
      for (const config::ConfigIssue& issue : loaded.issues) {
        QVERIFY(!issue.text.empty());
        const QByteArray line = QByteArray::fromStdString(issue.format());
        QVERIFY(!line.contains('\n'));
        QCOMPARE(QString::fromUtf8(line).toUtf8(), line);  // whole characters only
      }
    }
  }
};

LOCKSTEP_TEST(TstLoad)

#include "tst_load.moc"
