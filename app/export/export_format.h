#pragma once

#include <QByteArray>
#include <QCoreApplication>
#include <QImage>
#include <QString>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/jobs/jobs.h"

class QObject;

namespace lockstep::app {

/// Context of the texts of all exports.
struct ExportText {
  Q_DECLARE_TR_FUNCTIONS(Export)
};

/// How many images are done of what takes long. Any thread.
struct ExportProgress {
  std::atomic<int> done{0};
  std::atomic<int> of{0};  ///< 0: not known yet
};

/// One kind of file that something can be written as. GUI thread; no function blocks.
struct ExportFormat {
  /// With an error message; empty: it is done.
  using Done = std::function<void(const QString& error)>;

  QString name;    ///< "PDF, vector graphics"
  QString suffix;  ///< of the file's name, without the dot
  QString note;    ///< what is in the file
  /// Takes what is shown now, and writes it in the background. `done` is called unless `context` is
  /// gone, and before that once if the disk does not answer for some seconds. Whoever chose the
  /// path has agreed to replace what is there.
  std::function<void(const QString& path, QObject* context, Done done)> save;
  QString copyText{};  ///< "Copy the picture"; empty: it cannot be copied
  std::function<void(QObject* context, Done done)> copy{};
  /// The note where it takes long to find, instead of `note`. Any thread; blocks; may throw.
  std::function<QString(const jobs::Token& token)> findNote{};
  std::shared_ptr<ExportProgress> progress{};  ///< of findNote and save; nullptr: they are quick
};

/// What can be exported: a card, a page, the results of a checkpoint.
struct Exportable {
  QString name;
  QString file;  ///< suggested name, without a suffix
  std::vector<ExportFormat> formats;
};

/// What goes to the clipboard: a picture, also as SVG, or a text.
struct CopiedContent {
  QImage picture{};
  QByteArray svg{}, text{};
  QString textType{};  ///< "text/csv"
};

/// Makes the bytes and writes them, both in the background, as ExportFormat::save does. `make` may
/// throw; no bytes: there is nothing to write, or the picture is too large. Nothing is written if
/// `context` is gone before they are made, of which the token tells.
void writeMade(const QString& path, QObject* context,
               std::function<QByteArray(const jobs::Token& token)> make, ExportFormat::Done done);
/// Makes it in the background and gives it to the clipboard.
void copyMade(QObject* context, std::function<CopiedContent()> make, ExportFormat::Done done);

/// A title or a run's name as part of a file name; a long one without its middle.
QString fileNameOf(const QString& title);

}  // namespace lockstep::app
