# Installs the build tree BUILD into a prefix under WORK, builds the project of this folder against it and runs it; then
# moves the prefix, as a package would, and runs the installed tool.
cmake_policy(VERSION 3.25)

function(step)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${code}\n${text}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
     -DCMAKE_PREFIX_PATH=${WORK}/prefix "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DCMAKE_EXE_LINKER_FLAGS=${FLAGS}")
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/outside)
if(NOT text MATCHES "outside: ok")
  message(FATAL_ERROR "${text}")
endif()

file(RENAME ${WORK}/prefix ${WORK}/moved)
file(WRITE ${WORK}/negate.hlo "ENTRY e { x = f32[3] parameter(0) ROOT r = f32[3] negate(x) }")
step(${WORK}/moved/bin/subfloor run ${WORK}/negate.hlo --compare=evaluator)
if(NOT text MATCHES "all 3 elements match")
  message(FATAL_ERROR "${text}")
endif()
file(REMOVE_RECURSE ${WORK})
