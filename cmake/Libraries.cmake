# Third-party libraries. Nothing here is downloaded: ./dev installs the Debian packages.

find_package(Threads REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Eigen3 CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_library(SUBFLOOR_XXHASH xxhash REQUIRED)
# Two functions of assembly, so the archive rather than one more library to load.
find_library(SUBFLOOR_BOOST_CONTEXT NAMES libboost_context.a boost_context REQUIRED)
# Debian's gcc carries libquadmath; the evaluator computes f64 in binary128 with it.
file(GLOB _quadmath /usr/lib/gcc/*-linux-gnu/*/libquadmath.so)
list(GET _quadmath 0 SUBFLOOR_QUADMATH)

if(SUBFLOOR_COMPILER)
  list(PREPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
  find_package(MLIR CONFIG REQUIRED)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION}; Subfloor is built with 22")
  endif()
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  # In C++23 clang makes the default constructor of a local AttrTypeReplacer constexpr at once, before Attribute is
  # complete (libstdc++ 12). A copy of the one header with the two locals made dependent goes before MLIR's own.
  set(_mlir_overlay ${CMAKE_BINARY_DIR}/gen/mlir_overlay)
  file(READ /usr/lib/llvm-22/include/mlir/IR/Types.h _types_h)
  string(REPLACE "    AttrTypeReplacer replacer;"
    "    std::conditional_t<(sizeof...(ReplacementFns) >= 0), AttrTypeReplacer, void> replacer;" _types_h "${_types_h}")
  string(REPLACE "    AttrTypeWalker walker;"
    "    std::conditional_t<(sizeof...(WalkFns) >= 0), AttrTypeWalker, void> walker;" _types_h "${_types_h}")
  file(CONFIGURE OUTPUT ${_mlir_overlay}/mlir/IR/Types.h CONTENT "${_types_h}" @ONLY)
  list(PREPEND MLIR_INCLUDE_DIRS ${_mlir_overlay})
  list(PREPEND LLVM_INCLUDE_DIRS ${_mlir_overlay})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  include(StaticLlvm)
endif()
if(SUBFLOOR_TESTS)
  find_package(GTest CONFIG REQUIRED)
endif()
