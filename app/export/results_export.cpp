#include "app/export/results_export.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "app/export/figure_export.h"
#include "app/export/label_png.h"
#include "app/export/report_export.h"
#include "engine/coco/files/results.h"
#include "widgets/image_view/image_picture.h"

namespace lockstep::app {
namespace {

using widgets::ShownResults;

/// "lr-0.02 step 400 frame7"
QString fileOf(const ShownResults& of, const QString& what) {
  const QString image = QFileInfo(QString::fromStdString(of.image().fileName)).completeBaseName();
  return fileNameOf(QStringLiteral("%1 %2 %3").arg(of.name, image, what));
}

/// Those from a score threshold on, image by image, until it is cancelled. Blocks.
void forDetections(const ShownResults& of, double scoreThreshold, ExportProgress& progress,
                   const jobs::Token& token,
                   const std::function<void(const coco::Detection&)>& visit) {
  progress.done = 0;
  progress.of = static_cast<int>(of.predictions.size());
  for (const auto& [image, own] : of.predictions) {
    if (token.isCancelled()) return;
    const auto detections = own.read();
    for (const coco::Detection& one : *detections)
      if (one.score >= scoreThreshold) visit(one);
    ++progress.done;
  }
}

QByteArray resultsText(const ShownResults& of, double scoreThreshold, ExportProgress& progress,
                       const jobs::Token& token) {
  std::vector<coco::Detection> kept;
  forDetections(of, scoreThreshold, progress, token,
                [&](const coco::Detection& one) { kept.push_back(one); });
  if (token.isCancelled()) return {};
  return QByteArray::fromStdString(coco::detectionsToJson(kept));
}

Exportable pictureExport(const std::vector<ShownResults>& shown) {
  QStringList names;
  for (const ShownResults& one : shown) names << one.name;
  const widgets::Drawing drawing{
      names.join(QStringLiteral(" | ")), widgets::pictureSize(shown), 1,
      [shown](QPainter& painter) { widgets::paintPicture(painter, shown); }};
  QString file = fileOf(shown.front(), {});
  if (shown.size() > 1)
    file = fileNameOf(QStringLiteral("%1 and %2").arg(shown.front().name, fileOf(shown[1], {})));
  return {
      ExportText::tr("The image with its overlays"), file,
      drawingFormats(drawing,
                     ExportText::tr("At the resolution of the image, with the visible layers and a "
                                    "caption. Outlines and labels are vectors in SVG and PDF."))};
}

ExportFormat madeFormat(const QString& name, const QString& suffix, const QString& note,
                        std::function<QByteArray(const jobs::Token&)> make) {
  return {name, suffix, note,
          [make = std::move(make)](const QString& path, QObject* context, ExportFormat::Done done) {
            writeMade(path, context, make, std::move(done));
          }};
}

Exportable masksExport(const ShownResults& of, LabelSource source) {
  const bool isOfObjects = source == LabelSource::Objects;
  return {
      isOfObjects ? ExportText::tr("Masks of the image's objects")
                  : ExportText::tr("Predicted masks of the image: %1").arg(of.name),
      fileOf(of, isOfObjects ? ExportText::tr("objects") : ExportText::tr("masks")),
      {madeFormat(
          ExportText::tr("Label image (PNG)"), QStringLiteral("png"),
          isOfObjects
              ? ExportText::tr("The value of a pixel is the number of its object in the "
                               "annotations, from 1; 0: none. Crowds are not included.")
              : ExportText::tr("The value of a pixel is the rank of its detection by score, from "
                               "1; 0: none. Only score ≥ %1; the higher score is on top.")
                    .arg(QString::number(of.scoreThreshold, 'f', 2)),
          [of, source](const jobs::Token&) { return labelPng(of, source); })}};
}

Exportable resultsExport(const ShownResults& of, double scoreThreshold) {
  const auto progress = std::make_shared<ExportProgress>();
  const bool isAll = scoreThreshold <= 0;
  const QString score = QString::number(scoreThreshold, 'f', 2);
  const QString what =
      isAll ? ExportText::tr("all scores") : ExportText::tr("score ≥ %1").arg(score);
  ExportFormat format = madeFormat(ExportText::tr("COCO results (JSON)"), QStringLiteral("json"),
                                   ExportText::tr("Counting the detections…"),
                                   [of, scoreThreshold, progress](const jobs::Token& token) {
                                     return resultsText(of, scoreThreshold, *progress, token);
                                   });
  format.progress = progress;
  format.findNote = [of, scoreThreshold, isAll, progress](const jobs::Token& token) {
    int count = 0;
    forDetections(of, scoreThreshold, *progress, token, [&](const coco::Detection&) { ++count; });
    const QString extent =
        ExportText::tr("%1 of %Ln image(s).", "", static_cast<int>(of.predictions.size()))
            .arg(ExportText::tr("%Ln detection(s)", "", count));
    return isAll ? extent : ExportText::tr("%1 Lower scores are not included.").arg(extent);
  };
  return {ExportText::tr("COCO results, %1: %2").arg(what, of.name),
          fileNameOf(QStringLiteral("%1 %2").arg(
              of.name, isAll ? ExportText::tr("results")
                             : ExportText::tr("results from score %1").arg(score))),
          {std::move(format)}};
}

}  // namespace

ResultsExports resultsExports(const std::vector<ShownResults>& shown) {
  using widgets::ExportKind;
  ResultsExports all;
  const auto add = [&all](ExportKind kind, Exportable choice) {
    all.first.emplace(kind, static_cast<int>(all.choices.size()));
    all.choices.push_back(std::move(choice));
  };
  add(ExportKind::Picture, pictureExport(shown));
  const bool haveMasks = !shown.front().dataset->hasOnlyBoxes();
  const bool hasTruth = shown.front().rules.hasTruth;
  if (haveMasks && hasTruth)
    add(ExportKind::Masks, masksExport(shown.front(), LabelSource::Objects));
  for (const ShownResults& one : shown) {
    if (one.predictions.empty()) continue;
    if (haveMasks && one.rules.type == coco::IouType::Mask)
      add(ExportKind::Masks, masksExport(one, LabelSource::Detections));
    add(ExportKind::Results, resultsExport(one, 0));
    if (one.scoreThreshold > 0) add(ExportKind::Results, resultsExport(one, one.scoreThreshold));
    if (!hasTruth) continue;
    add(ExportKind::Report, {ExportText::tr("Report of coco-eval: %1").arg(one.name),
                             fileNameOf(ExportText::tr("%1 report").arg(one.name)),
                             {reportFormat(one)}});
  }
  return all;
}

}  // namespace lockstep::app
