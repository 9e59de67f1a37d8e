#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace lockstep::tests {

/// Until destroyed, the only font is DejaVu Sans (Latin, Greek, Cyrillic, Hebrew, Arabic; no
/// Chinese, no Devanagari), or none.
class FontsOfTest {
 public:
  enum class Fonts { DejaVu, None };
  explicit FontsOfTest(Fonts fonts) {
    QDir(folder_.path()).mkdir(QStringLiteral("fonts"));
    if (fonts == Fonts::DejaVu)
      QFile::copy(dejaVu(), folder_.filePath(QStringLiteral("fonts/DejaVuSans.ttf")));
    QFile file(folder_.filePath(QStringLiteral("fonts.conf")));
    if (!file.open(QIODevice::WriteOnly)) return;
    file.write(QStringLiteral("<?xml version=\"1.0\"?><fontconfig><dir>%1/fonts</dir>"
                              "<cachedir>%1/cache</cachedir></fontconfig>")
                   .arg(folder_.path())
                   .toUtf8());
    qputenv("FONTCONFIG_FILE", file.fileName().toUtf8());
  }
  ~FontsOfTest() { qunsetenv("FONTCONFIG_FILE"); }
  static bool isInstalled() { return QFile::exists(dejaVu()); }

 private:
  static QString dejaVu() {
    return QStringLiteral("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf");
  }

  QTemporaryDir folder_;
};

}  // namespace lockstep::tests
