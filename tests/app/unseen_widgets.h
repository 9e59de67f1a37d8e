#pragma once

#include <QStringList>

class QWidget;

namespace lockstep::tests {

/// Of a shown window: the labels and controls that are cut, covered or beyond its edge, each as a
/// line. What can be scrolled to counts as seen, except beside a page.
QStringList unseenWidgets(const QWidget& window);

}  // namespace lockstep::tests
