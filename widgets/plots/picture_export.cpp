#include "widgets/plots/picture_export.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <chrono>

#include "widgets/jobs/jobs.h"

namespace lockstep::widgets {
namespace {

constexpr double kPngScale = 2;
constexpr std::chrono::seconds kPatience{5};
constexpr int kPointsPerInch = 72, kCssPixelsPerInch = 96;

QString tr(const char* text) { return QCoreApplication::translate("CurvePlot", text); }

void paintVector(QCustomPlot* plot, QPaintDevice* device) {
  QCPPainter painter(device);
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  plot->toPainter(&painter, plot->width(), plot->height());
}

void paintPdf(QCustomPlot* plot, QBuffer* buffer) {
  QPdfWriter writer(buffer);
  writer.setResolution(kPointsPerInch);
  writer.setPageSize(QPageSize(QSizeF(plot->size()), QPageSize::Point));
  writer.setPageMargins({});
  writer.setCreator(QStringLiteral("Lockstep"));
  paintVector(plot, &writer);
}

void paintSvg(QCustomPlot* plot, QBuffer* buffer) {
  QSvgGenerator generator;
  generator.setOutputDevice(buffer);
  generator.setSize(plot->size());
  generator.setResolution(kCssPixelsPerInch);
  generator.setViewBox(QRect(QPoint(), plot->size()));
  generator.setTitle(QStringLiteral("Lockstep"));
  paintVector(plot, &generator);
}

/// Blocks. Returns an error message; empty: written.
QString write(const QString& path, const QByteArray& picture) {
  QSaveFile file(path);
  const bool written =
      file.open(QIODevice::WriteOnly) && file.write(picture) == picture.size() && file.commit();
  if (written) return {};
  return tr("%1 cannot be written: %2. Check the permissions and the free space, or choose another "
            "folder.")
      .arg(path, file.errorString());
}

}  // namespace

void exportPlot(QCustomPlot* plot, const QString& path, QObject* context,
                std::function<void(const QString& error)> done) {
  const QString ending = QFileInfo(path).suffix().toLower();
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  if (ending == QLatin1String("pdf")) {
    paintPdf(plot, &buffer);
  } else if (ending == QLatin1String("svg")) {
    paintSvg(plot, &buffer);
  } else if (ending == QLatin1String("png")) {
    plot->toPixmap(0, 0, kPngScale).save(&buffer, "PNG");
  } else {
    return done(tr("%1: the file name must end in .pdf, .svg or .png").arg(path));
  }
  jobs::start(
      context, jobs::Kind::Disk, [path, picture = buffer.data()] { return write(path, picture); },
      [done](const QString& error) { done(error); })
      .whenLaterThan(kPatience,
                     [path, done] { done(tr("%1: its disk does not answer").arg(path)); });
}

}  // namespace lockstep::widgets
