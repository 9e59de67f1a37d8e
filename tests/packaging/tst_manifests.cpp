// The files of packaging/ for containers: what they name is there.
#include <yaml-cpp/yaml.h>

#include <QRegularExpression>
#include <QTest>
#include <fstream>
#include <set>

#include "tests/packaging/script_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::ScriptBench;

namespace {

QString textOf(const std::string& file) {
  std::ifstream stream(tests::sourceFile(file), std::ios::binary);
  return QString::fromStdString({std::istreambuf_iterator<char>(stream), {}});
}

/// Every option `--name` of a command line.
QStringList optionsOf(const QString& command) {
  static const QRegularExpression kOption(QStringLiteral("(?<=\\s)--[a-z][a-z-]+"));
  QStringList found;
  for (auto match = kOption.globalMatch(command); match.hasNext();)
    found << match.next().captured(0);
  return found;
}

/// The options that a command of lockstep-engine has.
QStringList knownOptions(const char* command = "train") {
  const auto help = ScriptBench().run(tests::program("lockstep-engine").toStdString(),
                                      {QString::fromUtf8(command), QStringLiteral("--help")});
  return optionsOf(QString::fromStdString(help.out));
}

QString sequenceOf(const YAML::Node& words) {
  QStringList all;
  for (const auto& word : words) all << QString::fromStdString(word.as<std::string>());
  return all.join(QLatin1Char(' '));
}

/// Direct libraries of a program, without those of the torch wheel.
QStringList systemLibraries(const char* program) {
  const auto ldd = ScriptBench().run("ldd", {tests::program(program)});
  const auto needed = ScriptBench().run("readelf", {QStringLiteral("-d"), tests::program(program)});
  QStringList paths;
  for (const QString& line : QString::fromStdString(ldd.out).split(QLatin1Char('\n'))) {
    const QStringList words = line.simplified().split(QLatin1Char(' '));
    const bool isDirect = QString::fromStdString(needed.out).contains("[" + words.value(0) + "]");
    if (isDirect && words.size() > 2 && !words[2].contains(QLatin1String("site-packages")))
      paths << words[2];
  }
  return paths;
}

}  // namespace

class TstManifests : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void scriptsAreShell_data() {
    QTest::addColumn<QString>("script");
    for (const char* script :
         {"packaging/build_headless.sh", "packaging/torchrun.sh", "packaging/sagemaker/serve",
          "packaging/slurm/train.sbatch", "packaging/quickstart.sh", "packaging/setup.sh",
          "packaging/test.sh"})
      QTest::newRow(script) << QString::fromUtf8(script);
  }
  void scriptsAreShell() {
    QFETCH(QString, script);
    const std::string file = tests::sourceFile(script.toStdString());
    const auto ended =
        ScriptBench().run("bash", {QStringLiteral("-n"), QString::fromStdString(file)});
    QVERIFY2(ended.status == 0, ended.err.c_str());
  }

  void podsStartExistingFiles() {
    const YAML::Node job =
        YAML::LoadFile(tests::sourceFile("packaging/kubernetes/pytorchjob.yaml"));
    QCOMPARE(job["kind"].as<std::string>(), std::string("PyTorchJob"));
    for (const char* role : {"Master", "Worker"}) {
      const YAML::Node replica = job["spec"]["pytorchReplicaSpecs"][role];
      QVERIFY2(replica["restartPolicy"].as<std::string>() == "OnFailure",
               "of the others ExitCode takes 75 for the end");
      const YAML::Node pod = replica["template"]["spec"];
      const YAML::Node container = pod["containers"][0];
      QVERIFY2(container["name"].as<std::string>() == "pytorch", "the operator looks for it");
      const QString command = sequenceOf(container["command"]);
      QVERIFY(command.startsWith(QStringLiteral("lockstep-engine train ")));
      QVERIFY(optionsOf(command).contains(QStringLiteral("--resume")));
      for (const QString& option : optionsOf(command))
        QVERIFY2(knownOptions().contains(option), qPrintable(option));
      std::set<std::string> volumes;
      for (const auto& volume : pod["volumes"]) volumes.insert(volume["name"].as<std::string>());
      for (const auto& mount : container["volumeMounts"])
        QVERIFY(volumes.contains(mount["name"].as<std::string>()));
    }
  }

  void podsServeWithExistingOptions_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("Kubernetes") << "packaging/kubernetes/serving.yaml";
    QTest::newRow("KServe") << "packaging/kubernetes/inferenceservice.yaml";
  }
  void podsServeWithExistingOptions() {
    QFETCH(QString, file);
    const YAML::Node spec = YAML::LoadAllFromFile(tests::sourceFile(file.toStdString()))[0]["spec"];
    const YAML::Node pod = spec["template"] ? spec["template"]["spec"] : spec;
    const YAML::Node container = pod["containers"][0];
    const QString command = sequenceOf(container["command"]);
    QVERIFY2(command.startsWith(QStringLiteral("lockstep-engine serve ")), qPrintable(command));
    for (const QString& option : optionsOf(command))
      QVERIFY2(knownOptions("serve").contains(option), qPrintable(option));
    const auto port = container["ports"][0]["containerPort"].as<std::string>();
    QVERIFY(command.contains(QStringLiteral("--port ") + QString::fromStdString(port)));
  }

  /// Those of Kubeflow's components.
  void stepsOfThePipelineExist() {
    for (const char* step : {"train", "evaluate"}) {
      const YAML::Node container = YAML::LoadFile(tests::sourceFile(
          std::string("packaging/kubeflow/") + step + ".yaml"))["implementation"]["container"];
      QString command = sequenceOf(container["command"]);
      for (const auto& word : container["args"])
        if (word.IsScalar()) command += u' ' + QString::fromStdString(word.as<std::string>());
      QVERIFY2(command.contains(QStringLiteral("lockstep-engine ") + QString::fromUtf8(step)),
               qPrintable(command));
      QVERIFY(!optionsOf(command).isEmpty());
      for (const QString& option : optionsOf(command))
        QVERIFY2(knownOptions(step).contains(option), qPrintable(option));
    }
  }

  void optionsOfScriptsExist_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("command");  // what begins it
    QTest::newRow("Slurm") << "packaging/slurm/train.sbatch"
                           << "  train \"$experiment\"";
    QTest::newRow("SageMaker") << "packaging/sagemaker/train"
                               << "\"--output\"";
  }
  void optionsOfScriptsExist() {
    QFETCH(QString, file);
    QFETCH(QString, command);
    const QString text = textOf(file.toStdString());
    const auto begin = text.indexOf(command);
    QVERIFY(begin >= 0);
    QString line = text.mid(begin - 1, text.indexOf(QLatin1Char('\n'), begin) - begin + 1);
    line.replace(QLatin1Char('"'), QLatin1Char(' '));
    QVERIFY(optionsOf(line).contains(QStringLiteral("--resume")));
    for (const QString& option : optionsOf(line))
      QVERIFY2(knownOptions().contains(option), qPrintable(option));
  }

  void imageIsBuiltFromExistingFiles() {
    const QString dockerfile = textOf("packaging/Dockerfile");
    static const QRegularExpression kScript(QStringLiteral("packaging/[a-z_/]+(?:\\.sh)?"));
    for (auto match = kScript.globalMatch(dockerfile); match.hasNext();) {
      const std::string named = match.next().captured(0).toStdString();
      QVERIFY2(std::filesystem::exists(tests::sourceFile(named)), named.c_str());
    }
    const QStringList kept = textOf(".dockerignore").split(QLatin1Char('\n'));
    for (const char* needed : {"CMakeLists.txt", "cmake", "configs", "engine", "packaging"})
      QVERIFY2(kept.contains(QLatin1Char('!') + QString::fromUtf8(needed)), needed);
  }

  /// The packages of its last stage bring every library that the programs name.
  void imageHasTheLibraries() {
    const QString dockerfile = textOf("packaging/Dockerfile");
    const QString last = dockerfile.mid(dockerfile.lastIndexOf(QStringLiteral("FROM ")));
    QVERIFY2(last.contains(QStringLiteral(" ca-certificates ")), "libcurl trusts nobody without");
    for (const char* program : {"lockstep-engine", "lockstep-worker"}) {
      const QStringList libraries = systemLibraries(program);
      QVERIFY(libraries.size() >= 4);
      for (const QString& library : libraries) {
        const auto real = ScriptBench().run("realpath", {library});
        const QString path = QString::fromStdString(real.out).trimmed();
        auto owner = ScriptBench().run("dpkg", {QStringLiteral("-S"), path});
        // Where /lib is a link, packages may name the file below it.
        if (owner.status != 0)
          owner = ScriptBench().run(
              "dpkg", {QStringLiteral("-S"), QString(path).remove(QStringLiteral("/usr"))});
        if (owner.status == 127) QSKIP("needs dpkg");
        const QString package = QString::fromStdString(owner.out).section(QLatin1Char(':'), 0, 0);
        const bool isOfEveryImage = package == QLatin1String("libc6") ||
                                    package == QLatin1String("libstdc++6") ||
                                    package == QLatin1String("libgcc-s1");
        QVERIFY2(isOfEveryImage || last.contains(QLatin1Char(' ') + package + QLatin1Char(' ')),
                 qPrintable(library + QStringLiteral(": ") + package));
      }
    }
  }
};

LOCKSTEP_TEST(TstManifests)
#include "tst_manifests.moc"
