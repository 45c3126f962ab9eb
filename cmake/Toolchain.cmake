# Flags every target of the tree is built with.

add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter -fno-math-errno
                    -ffp-contract=off   # the numeric contract: no multiply and add become one unasked
                    -fvisibility-inlines-hidden)

if(SUBFLOOR_SANITIZE)
  add_compile_options(-fsanitize=${SUBFLOOR_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  # A generated kernel has no signature in front of it, which the check of calls through pointers would read.
  add_compile_options(-fno-sanitize=function)
  add_link_options(-fsanitize=${SUBFLOOR_SANITIZE})
endif()

find_program(SUBFLOOR_MOLD mold)
if(SUBFLOOR_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# absl's packages name forty libraries for a hash map; half a millisecond each before main.
add_link_options(-Wl,--as-needed)

find_program(SUBFLOOR_CCACHE ccache)
if(SUBFLOOR_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${SUBFLOOR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SUBFLOOR_CCACHE})
endif()
