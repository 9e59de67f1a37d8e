#pragma once

#include <QString>
#include <functional>
#include <memory>

#include "app/models/run_file_access.h"
#include "engine/explanation/explanation.h"

class QObject;

namespace lockstep::app {

/// An explanation, or why it cannot be read.
struct ReadExplanation {
  std::shared_ptr<const explanation::Explanation> value{};
  QString error{};
};

/// Reads the answer to an explain request in the background and calls `done` in the thread of
/// `context`, unless that is destroyed before.
void readExplanation(QObject* context, const RunFileAccess& files, const QString& file,
                     std::function<void(const ReadExplanation&)> done);

}  // namespace lockstep::app
