# What the loader must bring along before main. The libraries and programs of WITHOUT may need no LLVM, not even through
# others; that of WITH must, or this test could not see it: a unit test links LLVM's shared libraries whatever
# libsubfloor_compiler does.
cmake_policy(VERSION 3.25)

function(needs_llvm FILE OUT)
  execute_process(COMMAND ldd ${FILE} OUTPUT_VARIABLE needed RESULT_VARIABLE code ERROR_VARIABLE problem)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "ldd ${FILE}: ${problem}")
  endif()
  string(REGEX MATCH "lib(LLVM|MLIR)[^ ]*" found "${needed}")
  set(${OUT} "${found}" PARENT_SCOPE)
endfunction()

foreach(file ${WITHOUT})
  needs_llvm(${file} found)
  if(found)
    message(SEND_ERROR "${file} needs ${found}")
  endif()
endforeach()
needs_llvm(${WITH} found)
if(NOT found)
  message(SEND_ERROR "${WITH} needs no LLVM: is the list read right?")
endif()
