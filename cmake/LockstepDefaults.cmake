# Flags every target shares, through the INTERFACE target lockstep_defaults, and where programs are put.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# One flag for all code: GCC drops a precompiled header without a word where -fPIE meets -fPIC.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE "-fPIC")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_BUILD_RPATH_USE_ORIGIN OFF)

# Where ccache is installed, it keeps what was compiled: another clone of nearly the same sources then builds in minutes. Paths
# count from the checkout's root, and -fpch-preprocess tells it which precompiled header a source has.
find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${LOCKSTEP_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

add_library(lockstep_defaults INTERFACE)
target_include_directories(lockstep_defaults INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_features(lockstep_defaults INTERFACE cxx_std_20)
# -ffp-contract=off: figures such as AP must not depend on whether the compiler fuses a multiply and an add.
target_compile_options(lockstep_defaults INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wnon-virtual-dtor;-Wno-restrict;-Winvalid-pch;-ffp-contract=off>)
if(CMAKE_UNITY_BUILD)
  # GCC takes a source that another one includes for a header.
  target_compile_options(lockstep_defaults INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
target_compile_definitions(lockstep_defaults INTERFACE LOCKSTEP_VERSION="${PROJECT_VERSION}")
find_package(Threads REQUIRED)
target_link_libraries(lockstep_defaults INTERFACE Threads::Threads)

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
endif()

# Flags of targets that use Qt. Not QT_NO_KEYWORDS: qcustomplot.h needs the keywords.
add_library(lockstep_qt_defaults INTERFACE)
target_link_libraries(lockstep_qt_defaults INTERFACE lockstep_defaults)
target_compile_definitions(lockstep_qt_defaults INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_URL_CAST_FROM_STRING QT_USE_QSTRINGBUILDER QT_DISABLE_DEPRECATED_BEFORE=0x060400)

# For folders with loops over pixels or points: at -O2 GCC vectorises next to nothing. Everywhere else -O3 only costs
# a quarter more time to compile.
function(lockstep_vectorise target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O3>)
endfunction()
