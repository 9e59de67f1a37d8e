#include "app/experiments/experiment_templates.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTextStream>

#include "engine/config/value_text.h"

namespace lockstep::app {
namespace {

QString firstSentence(const QString& comment) {
  static const QRegularExpression end(QStringLiteral("\\.(\\s|$)"));
  const auto found = end.match(comment);
  return found.hasMatch() ? comment.left(found.capturedStart()) : comment;
}

/// The lines of the comment that a file begins with, joined.
QString firstComment(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) return {};
  QTextStream lines(&file);
  QStringList comment;
  for (QString line; lines.readLineInto(&line) && line.startsWith(u'#');) {
    const QString text = line.mid(1).trimmed();
    if (text.isEmpty()) break;
    comment << text;
  }
  return comment.join(u' ');
}

}  // namespace

QStringList templatePlaces() {
  const QDir programs(QCoreApplication::applicationDirPath());
  QStringList places;
  for (const char* place : {"../../configs", "../share/lockstep/configs"})
    places << QDir::cleanPath(programs.filePath(QString::fromLatin1(place)));
  return places;
}

QString templatesFolder() {
  for (const QString& folder : templatePlaces())
    if (QDir(folder).exists()) return folder;
  return {};
}

QList<ExperimentTemplate> templatesIn(const QString& folder) {
  QList<ExperimentTemplate> found;
  if (folder.isEmpty()) return found;
  const QFileInfoList files = QDir(folder).entryInfoList(
      {QStringLiteral("*.yaml"), QStringLiteral("*.yml")}, QDir::Files, QDir::Name);
  for (const QFileInfo& file : files)
    found.append({file.absoluteFilePath(), file.completeBaseName(),
                  firstSentence(firstComment(file.absoluteFilePath()))});
  return found;
}

QString textFromTemplate(const ExperimentTemplate& from, const QString& folder) {
  const QString relative = QDir(folder).relativeFilePath(from.path);
  const QString base = relative.startsWith(QLatin1String("../..")) ? from.path : relative;
  return QStringLiteral(
             "base: %1\n"
             "name: %2_first\n"
             "\n"
             "dataset:\n"
             "  train:\n"
             "    images: data/train\n"
             "    annotations: data/annotations/instances_train.json\n"
             "  val:\n"
             "    images: data/val\n"
             "    annotations: data/annotations/instances_val.json\n")
      .arg(QString::fromStdString(config::writeText(base.toStdString())), from.name);
}

}  // namespace lockstep::app
