# subfloor_floor(NAME [SEES floor...] [LIBS target...] [LLVM])
#
# One floor = one folder under src/ = one static library `subfloor_<name>`. A floor may include only its own headers and
# those of the floors it SEES (besides base, types and decision, which all may see): each floor's headers are reached
# through a folder of the build tree that holds nothing but that floor, so that any other include does not build.
# The whole table of who sees whom stands in src/CMakeLists.txt and nowhere else.

# The include folder that shows one floor and nothing else.
function(subfloor_sight NAME OUT)
  string(REPLACE "/" "_" flat ${NAME})
  set(sight ${CMAKE_BINARY_DIR}/sight/${flat})
  get_filename_component(parent ${sight}/${NAME} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(NOT EXISTS ${sight}/${NAME})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${NAME} ${sight}/${NAME} SYMBOLIC)
  endif()
  set(${OUT} ${sight} PARENT_SCOPE)
endfunction()

function(subfloor_floor NAME)
  cmake_parse_arguments(ARG "LLVM" "" "SEES;LIBS;EXCLUDE" ${ARGN})
  string(REPLACE "/" "_" flat ${NAME})
  set(target subfloor_${flat})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${NAME}/*.cc)
  foreach(prefix ${ARG_EXCLUDE})   # a folder that is a floor of its own
    list(FILTER sources EXCLUDE REGEX "/src/${NAME}/${prefix}/")
  endforeach()
  if(NOT sources)
    return()   # nothing written on this floor yet
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/include)
  # The three that all may see stand one on the other.
  set(common base types decision)
  list(FIND common ${NAME} place)
  if(NOT place EQUAL -1)
    list(SUBLIST common 0 ${place} common)
  endif()
  set(seen ${common} ${ARG_SEES})
  list(REMOVE_DUPLICATES seen)
  foreach(floor ${NAME} ${seen})
    subfloor_sight(${floor} sight)
    target_include_directories(${target} PRIVATE ${sight})
    string(REPLACE "/" "_" flat_seen ${floor})
    if(NOT floor STREQUAL NAME AND TARGET subfloor_${flat_seen})
      target_link_libraries(${target} PRIVATE subfloor_${flat_seen})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SUBFLOOR_SEES "${NAME};${seen}")
  target_link_libraries(${target} PRIVATE fmt::fmt ${ARG_LIBS})
  if(ARG_LLVM)
    target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
    target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endif()
endfunction()

# subfloor_library(NAME floor... [ABOVE library]): the shared library libNAME.so of these floors, as the target libNAME.
function(subfloor_library NAME)
  cmake_parse_arguments(ARG "" "ABOVE" "" ${ARGN})
  set(target lib${NAME})
  add_library(${target} SHARED)
  foreach(floor ${ARG_UNPARSED_ARGUMENTS})
    string(REPLACE "/" "_" flat ${floor})
    if(NOT TARGET subfloor_${flat})
      continue()   # nothing written on this floor yet
    endif()
    # Objects, not archives: those would bring the floors they see along once more.
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:subfloor_${flat}>)
    get_target_property(libs subfloor_${flat} LINK_LIBRARIES)
    list(FILTER libs EXCLUDE REGEX "^subfloor_")
    target_link_libraries(${target} PRIVATE ${libs})
    set_property(GLOBAL PROPERTY SUBFLOOR_LIBRARY_OF_${flat} ${target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_ABOVE})
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:include>)
  if(NOT SUBFLOOR_SANITIZE)   # the program brings a sanitizer's functions
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${NAME} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# Lets a target that stands above the floors (tool, test, bench) include and link the named floors: as archives, so that a
# floor's tests need no more than the floor, or, if the driver is among them, as the shared libraries that hold them.
function(subfloor_use TARGET)
  set(shared OFF)
  if("driver" IN_LIST ARGN)
    set(shared ON)
  endif()
  foreach(floor ${ARGN})
    subfloor_sight(${floor} sight)
    target_include_directories(${TARGET} PRIVATE ${sight})
    string(REPLACE "/" "_" flat ${floor})
    if(shared)
      get_property(library GLOBAL PROPERTY SUBFLOOR_LIBRARY_OF_${flat})
      if(library)
        target_link_libraries(${TARGET} PRIVATE ${library})
      endif()
    elseif(TARGET subfloor_${flat})
      target_link_libraries(${TARGET} PRIVATE subfloor_${flat})
    endif()
  endforeach()
  if(shared AND TARGET libsubfloor_compiler)
    add_dependencies(${TARGET} libsubfloor_compiler)   # opened at run time
  endif()
  target_include_directories(${TARGET} PRIVATE ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(${TARGET} PRIVATE fmt::fmt)
endfunction()
