# What codegen needs beyond a plain floor: the dialect's generated code, one precompiled header (MLIR's headers cost 5 s
# a file without), and lld.

set(_dialect_out ${CMAKE_BINARY_DIR}/gen/codegen/dialect)
file(MAKE_DIRECTORY ${_dialect_out})
set(_dialect_td ${CMAKE_CURRENT_SOURCE_DIR}/codegen/dialect/sf.td)
set(_dialect_files)
foreach(_pair dialect.h:dialect-decls dialect.cc:dialect-defs types.h:typedef-decls types.cc:typedef-defs
              enums.h:enum-decls enums.cc:enum-defs ops.h:op-decls ops.cc:op-defs)
  string(REPLACE ":" ";" _pair ${_pair})
  list(GET _pair 0 _file)
  list(GET _pair 1 _generator)
  set(_inc ${_dialect_out}/sf_${_file}.inc)
  set(_select)
  if(_generator MATCHES "^dialect")
    set(_select --dialect=sf)
  elseif(_generator MATCHES "^typedef")
    set(_select --typedefs-dialect=sf)
  endif()
  add_custom_command(OUTPUT ${_inc}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen -gen-${_generator} ${_select} -I /usr/lib/llvm-22/include ${_dialect_td} -o ${_inc}
    DEPENDS ${_dialect_td} VERBATIM)
  list(APPEND _dialect_files ${_inc})
endforeach()
add_custom_target(subfloor_dialect_gen DEPENDS ${_dialect_files})
add_dependencies(subfloor_codegen subfloor_dialect_gen)
target_include_directories(subfloor_codegen PUBLIC ${CMAKE_BINARY_DIR}/gen)

target_precompile_headers(subfloor_codegen PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/codegen/precompiled.h)
foreach(_library lldELF lldCommon)
  find_library(SUBFLOOR_${_library} ${_library} PATHS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(subfloor_codegen PRIVATE ${SUBFLOOR_${_library}})
endforeach()
target_link_libraries(subfloor_codegen PRIVATE LLVM z zstd)   # after lld, which is static
