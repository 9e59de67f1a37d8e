#include "app/export/report_export.h"

#include <QDir>
#include <QTemporaryDir>
#include <memory>
#include <utility>

#include "app/engines/engine_command.h"
#include "engine/base/atomic_file.h"
#include "engine/coco/files/results.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

using widgets::ShownResults;

constexpr const char *kAnnotations = "annotations.json", *kReport = "report.html";

/// Where the program runs: what it reads and writes, by the names that the report has. Gone with
/// it.
struct Workplace {
  QTemporaryDir folder;
  QString failure;

  std::string pathOf(const QString& name) const { return folder.filePath(name).toStdString(); }
};

QString resultsFileOf(const ShownResults& of) {
  return fileNameOf(QStringLiteral("%1 %2").arg(of.name, ExportText::tr("results"))) +
         QStringLiteral(".json");
}

/// Only the images that were predicted. Blocks; throws nothing.
std::shared_ptr<Workplace> prepared(const ShownResults& of) {
  auto place = std::make_shared<Workplace>();
  if (!place->folder.isValid()) {
    place->failure = ExportText::tr("No temporary folder can be made: %1. Check the free space.")
                         .arg(place->folder.errorString());
    return place;
  }
  try {
    coco::Dataset truth = *of.dataset;
    truth.keepImages(
        [&](std::size_t, const coco::Image& image) { return of.predictions.contains(image.id); });
    std::vector<coco::Detection> detections;
    for (const auto& [image, own] : of.predictions)
      if (of.dataset->findImage(image)) {
        const auto read = own.read();
        detections.insert(detections.end(), read->begin(), read->end());
      }
    coco::saveDataset(truth, place->pathOf(QLatin1String(kAnnotations)));
    base::writeFileAtomically(place->pathOf(resultsFileOf(of)), coco::detectionsToJson(detections));
  } catch (const std::exception& error) {
    place->failure = QString::fromUtf8(error.what());
  }
  return place;
}

QStringList argumentsOf(const ShownResults& of) {
  QStringList arguments{
      QStringLiteral("coco-eval"),
      QStringLiteral("--gt"),
      QLatin1String(kAnnotations),
      QStringLiteral("--dt=") + resultsFileOf(of),  // a run may be named as an option
      QStringLiteral("--type"),
      of.rules.type == coco::IouType::Box ? QStringLiteral("bbox") : QStringLiteral("segm"),
      QStringLiteral("--report"),
      QLatin1String(kReport),
      QStringLiteral("--score-threshold"),
      QString::number(of.scoreThreshold, 'g', 17)};
  QStringList limits;
  for (const std::size_t limit : of.rules.maxDetections) limits << QString::number(limit);
  arguments << QStringLiteral("--max-dets") << limits.join(u',');
  if (!of.imagesFolder.isEmpty())
    arguments << QStringLiteral("--images") << QDir(of.imagesFolder).absolutePath();
  return arguments;
}

void report(const ShownResults& of, const std::shared_ptr<Workplace>& place, const QString& path,
            QObject* context, const ExportFormat::Done& done) {
  if (!place->failure.isEmpty()) return done(place->failure);
  auto* command = new EngineCommand({}, context);
  QObject::connect(
      command, &EngineCommand::finished, context,
      [=](int exitStatus, const QString&, const QString& messages) {
        command->deleteLater();
        if (exitStatus != 0)
          return done(messages.isEmpty()
                          ? ExportText::tr("lockstep-engine ended with status %1 and no message.")
                                .arg(exitStatus)
                          : messages);
        writeMade(
            path, context,
            [place](const jobs::Token&) {
              return QByteArray::fromStdString(
                  base::readFile(place->pathOf(QLatin1String(kReport))));
            },
            done);
      });
  command->start(argumentsOf(of), place->folder.path());
}

}  // namespace

ExportFormat reportFormat(const ShownResults& of) {
  return {.name = ExportText::tr("Report (HTML)"),
          .suffix = QStringLiteral("html"),
          .note = ExportText::tr(
                      "Tables, curves and the worst of %Ln predicted image(s), at score ≥ %1, as "
                      "coco-eval --report writes them.",
                      "", static_cast<int>(of.predictions.size()))
                      .arg(QString::number(of.scoreThreshold, 'f', 2)),
          .save = [of](const QString& path, QObject* context, ExportFormat::Done done) {
            jobs::start(
                context, jobs::Kind::Disk, [of] { return prepared(of); },
                [of, path, context, done](const std::shared_ptr<Workplace>& place) {
                  report(of, place, path, context, done);
                });
          }};
}

}  // namespace lockstep::app
