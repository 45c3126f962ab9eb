# LLVM and MLIR inside libsubfloor_compiler, out of their archives, with the code generators of these targets alone. The
# shared libLLVM and libMLIR are 250 MB, and relocating them takes longer than compiling a small program. Tests of single
# floors link the shared ones all the same: they are linked often and started seldom.

set(SUBFLOOR_TARGETS X86 AArch64 NVPTX AMDGPU)   # LLVM's names of what Subfloor makes code for
set(_static OFF)
if(EXISTS ${LLVM_LIBRARY_DIR}/libLLVMCore.a AND NOT SUBFLOOR_SANITIZE)
  set(_static ON)
endif()
option(SUBFLOOR_STATIC_LLVM "Link LLVM and MLIR into libsubfloor_compiler" ${_static})

# codegen starts these, whichever way LLVM is linked.
set(_targets)
foreach(_target ${SUBFLOOR_TARGETS})
  string(APPEND _targets "SUBFLOOR_TARGET(${_target})\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/codegen/targets.def CONTENT "${_targets}" @ONLY)

# What the shared library TARGET links in place of MLIR and LLVM.
function(subfloor_static_llvm TARGET)
  # The linker takes of these what is asked for.
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "/libMLIR(CAPI|.*Test)")
  # lld starts every target that LLVM was built with: those not wanted are started by doing nothing, and so not linked.
  set(stubs "// Made by cmake/StaticLlvm.cmake.\n")
  foreach(target ${LLVM_TARGETS_TO_BUILD})
    if(NOT target IN_LIST SUBFLOOR_TARGETS)
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
        string(APPEND stubs "extern \"C\" void LLVMInitialize${target}${part}() {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/gen/other_targets.cc CONTENT "${stubs}" @ONLY)
  target_sources(${TARGET} PRIVATE ${CMAKE_BINARY_DIR}/gen/other_targets.cc)
  target_link_libraries(${TARGET} PRIVATE -Wl,--start-group ${archives} -Wl,--end-group z zstd rt m ${CMAKE_DL_LIBS})
  target_link_options(${TARGET} PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic-functions
    # Debian's LLVM names Polly where it optimises across modules, which nobody does here, and ships no archive of it.
    -Wl,--defsym=_Z18getPollyPluginInfov=0)
endfunction()
