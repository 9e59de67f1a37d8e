#include "widgets/icon.h"

#include <QFile>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace lockstep::widgets {
namespace {

QPixmap render(const QByteArray& svg, const QColor& color, int sizePx) {
  QByteArray tinted = svg;
  tinted.replace("currentColor", color.name().toLatin1());
  QSvgRenderer renderer(tinted);
  QPixmap pixmap(sizePx, sizePx);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter);
  return pixmap;
}

}  // namespace

QIcon icon(const QString& name, const QColor& color, const QColor& disabledColor) {
  QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray svg = file.readAll();
  QIcon result;
  for (int sizePx : {16, 32, 48}) {
    result.addPixmap(render(svg, color, sizePx));
    if (disabledColor.isValid())
      result.addPixmap(render(svg, disabledColor, sizePx), QIcon::Disabled);
  }
  return result;
}

}  // namespace lockstep::widgets
