# What makes mistakes in memory harder to exploit: guarded stacks, checked calls of the C library, tables
# of addresses that are read-only once the program runs, programs at a random place. Each is used where
# compiler and linker know it. Only for what this project builds; it is not handed on to its users.
option(UASPL_HARDENING "Compile and link with the usual protections" ON)
if(NOT UASPL_HARDENING OR "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}" MATCHES "-fsanitize")
  return()  # sanitizers see more, and some of it hides things from them
endif()
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
  string(MAKE_C_IDENTIFIER "UASPL_HAS${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()

# The checks of the C library need optimisation. Level 3 also follows sizes that are known only at run
# time; where the library does not know it, it would warn or take 2 silently.
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_cxx_source_compiles("#include <features.h>
  #include <cstring>
  #if __USE_FORTIFY_LEVEL != 3
  #error not known
  #endif
  int main() {}" UASPL_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(UASPL_HAS_FORTIFY_3)
  set(level 3)
else()
  set(level 2)
endif()
add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")

foreach(flag relro now noexecstack)
  check_linker_flag(CXX "LINKER:-z,${flag}" UASPL_HAS_LINK_${flag})
  if(UASPL_HAS_LINK_${flag})
    add_link_options("LINKER:-z,${flag}")
  endif()
endforeach()
