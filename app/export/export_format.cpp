#include "app/export/export_format.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QRegularExpression>
#include <QSaveFile>
#include <QStringBuilder>
#include <chrono>
#include <utility>

namespace lockstep::app {
namespace {

constexpr std::chrono::seconds kPatience{5};
/// Of a file's name in UTF-16, so that it has less than the 255 bytes of most disks in UTF-8, with
/// a suffix and what is written beside it.
constexpr qsizetype kLongestName = 80;

QString nothingMade() {
  return ExportText::tr(
      "There is nothing to write, or the picture is too large: export fewer cards, or PDF");
}

/// Blocks. Returns an error message; empty: written.
QString write(const QString& path, const std::function<QByteArray(const jobs::Token&)>& make,
              const jobs::Token& token) {
  QByteArray content;
  try {
    content = make(token);
  } catch (const std::exception& error) {
    return QString::fromUtf8(error.what());
  }
  if (token.isCancelled()) return {};
  if (content.isEmpty()) return nothingMade();
  QSaveFile file(path);
  const bool written =
      file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit();
  if (written) return {};
  return ExportText::tr(
             "%1 cannot be written: %2. Check the permissions and the free space, "
             "or choose another folder.")
      .arg(path, file.errorString());
}

}  // namespace

void writeMade(const QString& path, QObject* context,
               std::function<QByteArray(const jobs::Token&)> make, ExportFormat::Done done) {
  jobs::start(
      context, jobs::Kind::Disk,
      [path, make = std::move(make)](const jobs::Token& token) { return write(path, make, token); },
      [done](const QString& error) { done(error); })
      .whenLaterThan(kPatience, [path, done] {
        done(ExportText::tr("%1 is not written yet: it is large, or its disk does not answer")
                 .arg(path));
      });
}

void copyMade(QObject* context, std::function<CopiedContent()> make, ExportFormat::Done done) {
  jobs::start(context, jobs::Kind::Processor, std::move(make), [done](const CopiedContent& made) {
    if (made.picture.isNull() && made.text.isEmpty()) return done(nothingMade());
    auto* data = new QMimeData;
    if (made.picture.isNull()) {
      data->setText(QString::fromUtf8(made.text));
      data->setData(made.textType, made.text);
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
  const QString name = QString(title).replace(others, QStringLiteral(" ")).simplified();
  if (name.size() <= kLongestName) return name;
  // Runs differ at their beginning, what is written of them at the end.
  QString first = name.left(kLongestName / 2), last = name.right(kLongestName / 2 - 1);
  if (first.back().isHighSurrogate()) first.chop(1);
  if (last.front().isLowSurrogate()) last.remove(0, 1);
  return first % QStringLiteral("…") % last;
}

}  // namespace lockstep::app
