#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace lockstep::app {

/// An experiment file to begin from.
struct ExperimentTemplate {
  QString path;
  QString name;         ///< without `.yaml`
  QString description;  ///< the first sentence of its first comment
};

/// configs/ of the checkout and of the installation that this program may belong to.
QStringList templatePlaces();
/// The first of them that exists; empty: none.
QString templatesFolder();
/// Those in a folder, by name. Reads them: they are few and small.
QList<ExperimentTemplate> templatesIn(const QString& folder);
/// A short experiment file in `folder` that inherits the template, with data paths to fill in.
QString textFromTemplate(const ExperimentTemplate& from, const QString& folder);

}  // namespace lockstep::app
