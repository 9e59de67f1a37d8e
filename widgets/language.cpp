#include "widgets/language.h"

#include <QCoreApplication>
#include <QLocale>
#include <QTranslator>

// A static library's resources must be initialised, and Q_INIT_RESOURCE must be outside a
// namespace.
static void initialiseTranslations() { Q_INIT_RESOURCE(translations); }

namespace lockstep::widgets {

void installLanguage() {
  initialiseTranslations();
  QLocale::setDefault(QLocale(QLocale::English));
  auto* translator = new QTranslator(QCoreApplication::instance());
  if (!translator->load(QStringLiteral(":/translations/lockstep_en.qm")))
    qFatal("the program is built without its plural forms");
  QCoreApplication::installTranslator(translator);
}

}  // namespace lockstep::widgets
