#include "app/export/figure_export.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMimeData>
#include <QRegularExpression>
#include <QSaveFile>
#include <chrono>
#include <memory>
#include <utility>

#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

using widgets::Figure;
using widgets::FigureFormat;

constexpr std::chrono::seconds kPatience{5};

QString tr(const char* text) { return QCoreApplication::translate("Export", text); }

QString nothingMade() {
  return tr("There is nothing to write, or the picture is too large: export fewer cards, or PDF");
}

/// Blocks. Returns an error message; empty: written.
QString write(const QString& path, const QByteArray& content) {
  if (content.isEmpty()) return nothingMade();
  QSaveFile file(path);
  const bool written =
      file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit();
  if (written) return {};
  return tr("%1 cannot be written: %2. Check the permissions and the free space, or choose another "
            "folder.")
      .arg(path, file.errorString());
}

struct Copied {
  QImage picture;
  QByteArray svg, table;
};

}  // namespace

void exportFigure(Figure figure, FigureFormat format, const QString& path, QObject* context,
                  std::function<void(const QString& error)> done) {
  const auto shared = std::make_shared<const Figure>(std::move(figure));
  jobs::start(
      context, jobs::Kind::Disk,
      [shared, format, path] { return write(path, fileOf(*shared, format)); },
      [done](const QString& error) { done(error); })
      .whenLaterThan(kPatience, [path, done] {
        done(tr("%1 is not written yet: it is large, or its disk does not answer").arg(path));
      });
}

void copyFigure(Figure figure, FigureFormat format, QObject* context,
                std::function<void(const QString& error)> done) {
  const auto shared = std::make_shared<const Figure>(std::move(figure));
  jobs::start(
      context, jobs::Kind::Processor,
      [shared, format] {
        if (contentFor(format) == widgets::FigureContent::Table)
          return Copied{{}, {}, fileOf(*shared, format)};
        return Copied{pictureOf(*shared), fileOf(*shared, FigureFormat::Svg), {}};
      },
      [done](const Copied& made) {
        if (made.picture.isNull() && made.table.isEmpty()) return done(nothingMade());
        auto* data = new QMimeData;
        if (made.picture.isNull()) {
          data->setText(QString::fromUtf8(made.table));
          data->setData(QStringLiteral("text/csv"), made.table);
        } else {
          data->setImageData(made.picture);
          data->setData(QStringLiteral("image/svg+xml"), made.svg);
        }
        QGuiApplication::clipboard()->setMimeData(data);
        done({});
      });
}

QString fileNameOf(const QString& title) {
  // A title such as "Box / Mask, s" is not a valid file name.
  static const QRegularExpression others(QStringLiteral("[^\\w .-]+"),
                                         QRegularExpression::UseUnicodePropertiesOption);
  return QString(title).replace(others, QStringLiteral(" ")).simplified();
}

}  // namespace lockstep::app
