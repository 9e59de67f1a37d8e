#pragma once

#include <QList>
#include <QString>

namespace lockstep::app {

/// An experiment file to begin from.
struct ExperimentTemplate {
  QString path;
  QString name;         ///< without `.yaml`
  QString description;  ///< the first sentence of its first comment
};

/// configs/ of the checkout or the installation that this program belongs to; empty: there is none.
QString templatesFolder();
/// Those in a folder, by name. Reads them: they are few and small.
QList<ExperimentTemplate> templatesIn(const QString& folder);
/// A short experiment file in `folder` that inherits the template, with data paths to fill in.
QString textFromTemplate(const ExperimentTemplate& from, const QString& folder);

}  // namespace lockstep::app
