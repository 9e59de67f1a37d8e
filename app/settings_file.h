#pragma once

namespace lockstep::app {

/// Throws UserError if a file of settings is a pipe, a device or a folder: reading it might never
/// end. After the names of organization and application are set, before QSettings is used.
void requireSettings();

}  // namespace lockstep::app
