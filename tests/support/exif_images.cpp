#include "tests/support/exif_images.h"

#include <QProcess>

#include "tests/support/test_data.h"

namespace lockstep::tests {

bool makeExifImages(const QString& folder) {
  const auto script = sourceFolder() / "tests/reference/exif_images.py";
  return QProcess::execute(python(), {QString::fromStdString(script.string()), folder}) == 0;
}

}  // namespace lockstep::tests
