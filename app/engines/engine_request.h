#pragma once

#include <QString>
#include <functional>

#include "engine/protocol/messages.h"

class QObject;

namespace lockstep::app {

/// Sends one request to the engine of a run that need not be followed. `done` gets the reason for
/// which it failed, empty if it was done, and is called once in the GUI thread, unless `receiver`
/// is destroyed before. An engine that is silent for 5 s has failed.
void sendRequest(QObject* receiver, const QString& socketPath,
                 const protocol::ClientMessage& request,
                 std::function<void(const QString& error)> done);

}  // namespace lockstep::app
