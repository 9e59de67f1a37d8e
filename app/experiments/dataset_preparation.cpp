#include "app/experiments/dataset_preparation.h"

#include <QRegularExpression>
#include <utility>

#include "app/engines/progress_line.h"

namespace lockstep::app {
namespace {

/// The number after a heading at the start of a line; 0: there is none.
int countAfter(const char* heading, const QString& text) {
  const QRegularExpression line(QStringLiteral("^%1:\\s+(\\d+)").arg(QLatin1String(heading)),
                                QRegularExpression::MultilineOption);
  return line.match(text).captured(1).toInt();
}

/// Warnings of an import on standard error: what it left out or assumed.
QStringList warningsIn(const QString& messages) {
  static const QRegularExpression warning(QStringLiteral("^\\[dataset\\] warning: (.*)$"),
                                          QRegularExpression::MultilineOption);
  QStringList lines;
  for (auto match = warning.globalMatch(messages); match.hasNext();)
    lines << DatasetPreparation::tr("warning:    %1").arg(match.next().captured(1).trimmed());
  return lines;
}

/// Without the line that says what a person at a shell does next. Of a cleaning what it did, since
/// the faults before it are known.
QString whatWasMade(const QString& output) {
  const qsizetype cleaned = output.indexOf(QLatin1String("\ncleaned:"));
  QStringList lines = output.mid(cleaned + 1).split(u'\n');
  lines.removeIf([](const QString& line) { return line.startsWith(QLatin1String("next:")); });
  return lines.join(u'\n').trimmed();
}

}  // namespace

DatasetFindings findingsOf(const QString& checkText) {
  static const QRegularExpression usable(QStringLiteral("^usable:\\s+yes"),
                                         QRegularExpression::MultilineOption);
  return {usable.match(checkText).hasMatch(),
          countAfter("errors", checkText),
          countAfter("warnings", checkText),
          0,
          0,
          checkText};
}

DatasetPreparation::DatasetPreparation(const QString& program, QObject* parent)
    : QObject(parent), command_(program) {
  connect(&command_, &EngineCommand::progressed, this,
          [this](const QString& line) { Q_EMIT progressed(title_, withoutOrigin(line)); });
  connect(&command_, &EngineCommand::finished, this, &DatasetPreparation::handleFinish);
}

void DatasetPreparation::import(const QString& source, const QString& out, const QString& format) {
  QStringList arguments{QStringLiteral("dataset"), QStringLiteral("import"), source,
                        QStringLiteral("--out"), out};
  if (!format.isEmpty()) arguments << QStringLiteral("--from") << format;
  start(tr("Importing"), arguments, out);
}

void DatasetPreparation::makeScenes(const QString& out, int train, int val) {
  start(tr("Generating synthetic data"),
        {QStringLiteral("dataset"), QStringLiteral("shapes"), QStringLiteral("--out"), out,
         QStringLiteral("--train"), QString::number(train), QStringLiteral("--val"),
         QString::number(val)},
        out);
}

void DatasetPreparation::clean(const QString& experimentFile, const QString& out) {
  start(tr("Cleaning"),
        {QStringLiteral("dataset"), QStringLiteral("check"), experimentFile,
         QStringLiteral("--fix"), out},
        out);
}

void DatasetPreparation::start(const QString& title, const QStringList& arguments,
                               const QString& out) {
  if (isRunning()) return;
  isCancelled_ = false;
  stage_ = Stage::Making;
  title_ = title;
  experiment_ = out + QStringLiteral("/experiment.yaml");
  Q_EMIT progressed(title_, {});
  command_.start(arguments);
}

void DatasetPreparation::cancel() {
  isCancelled_ = true;
  command_.cancel();
}

void DatasetPreparation::handleFinish(int exitStatus, const QString& output,
                                      const QString& messages) {
  const Stage stage = std::exchange(stage_, Stage::None);
  if (isCancelled_) return Q_EMIT cancelled();
  if (stage == Stage::Making && exitStatus == 0) {
    const QStringList warnings = warningsIn(messages);
    made_ = warnings.isEmpty() ? QString() : warnings.join(u'\n') + QStringLiteral("\n\n");
    made_ += whatWasMade(output);
    importWarnings_ = static_cast<int>(warnings.size());
    importErrors_ = countAfter("import errors", output);
    stage_ = Stage::Checking;
    title_ = tr("Checking every image and annotation");
    Q_EMIT progressed(title_, {});
    return command_.start({QStringLiteral("dataset"), QStringLiteral("check"), experiment_});
  }
  // 1: training refuses the data; the findings say why.
  const bool isChecked = stage == Stage::Checking && (exitStatus == 0 || exitStatus == 1);
  if (!isChecked || output.isEmpty()) {
    return Q_EMIT failed(messages.isEmpty() ? tr("lockstep-engine ended with status %1 and no "
                                                 "message.")
                                                  .arg(exitStatus)
                                            : messages);
  }
  DatasetFindings findings = findingsOf(output.trimmed());
  findings.importErrors = importErrors_;
  findings.importWarnings = importWarnings_;
  if (!made_.isEmpty()) findings.text = made_ + QStringLiteral("\n\n") + findings.text;
  Q_EMIT finished(experiment_, findings);
}

}  // namespace lockstep::app
