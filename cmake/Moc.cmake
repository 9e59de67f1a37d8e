# AUTOMOC without include folders: moc reads no header but the one of its class, which takes 6 ms instead of 200. Include this once
# Qt is found and before targets are made. A CMake before 3.27 ignores it.
get_target_property(_moc Qt6::moc IMPORTED_LOCATION)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/moc.sh @ONLY CONTENT [[#!/bin/sh
# Runs moc without the arguments that name include folders.
for argument; do
  shift
  case $argument in -I*) ;; *) set -- "$@" "$argument" ;; esac
done
exec '@_moc@' "$@"
]])
file(CHMOD ${CMAKE_BINARY_DIR}/moc.sh PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(CMAKE_AUTOMOC_EXECUTABLE ${CMAKE_BINARY_DIR}/moc.sh)
set(CMAKE_AUTOMOC_COMPILER_PREDEFINES OFF)
# The moc output of a library waits for nothing that the library links.
set(CMAKE_AUTOGEN_ORIGIN_DEPENDS OFF)
