#include "widgets/icon.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace lockstep::widgets {
namespace {

/// Rendered once for each colour: a switch of theme asks for the icons of every card.
QPixmap pixmapOf(const QString& name, const QColor& color, int sizePx) {
  const QString key = QStringLiteral("icon %1 %2 %3").arg(name, color.name()).arg(sizePx);
  QPixmap pixmap;
  if (QPixmapCache::find(key, &pixmap)) return pixmap;
  QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QSvgRenderer renderer(file.readAll().replace("currentColor", color.name().toLatin1()));
  pixmap = QPixmap(sizePx, sizePx);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  QPixmapCache::insert(key, pixmap);
  return pixmap;
}

}  // namespace

QIcon icon(const QString& name, const QColor& color, const QColor& disabledColor) {
  QIcon result;
  for (int sizePx : {16, 32, 48}) {
    result.addPixmap(pixmapOf(name, color, sizePx));
    if (disabledColor.isValid())
      result.addPixmap(pixmapOf(name, disabledColor, sizePx), QIcon::Disabled);
  }
  return result;
}

}  // namespace lockstep::widgets
