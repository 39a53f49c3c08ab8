# libuaspl_torch.so, where libtorch is found and its headers compile: those of 1.13 (Debian 12) do with
# GCC, and not with clang in C++20. Found by its files: its own package asks for much that is not used.
if(UASPL_TORCH STREQUAL "OFF")
  return()
endif()
set(why "")
find_path(UASPL_TORCH_INCLUDE ATen/ATen.h)
find_library(UASPL_TORCH_LIBRARY torch)
find_library(UASPL_TORCH_CPU_LIBRARY torch_cpu)
find_library(UASPL_C10_LIBRARY c10)
if(NOT UASPL_TORCH_INCLUDE OR NOT UASPL_TORCH_LIBRARY OR NOT UASPL_TORCH_CPU_LIBRARY OR NOT UASPL_C10_LIBRARY)
  set(why "libtorch was not found (Debian: libtorch-dev)")
elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(why "libtorch's headers are compiled with GCC only")
elseif(CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize" AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(why "libtorch is not made for sanitizers")
endif()
if(why)
  if(UASPL_TORCH STREQUAL "ON")
    message(FATAL_ERROR "UASPL_TORCH=ON, but ${why}")
  endif()
  message(STATUS "${why}: networks for images are left out, and their tests skip")
  return()
endif()

add_library(uaspl_torch MODULE
  uaspl/net/torch/architecture.cpp
  uaspl/net/torch/influence.cpp
  uaspl/net/torch/loader.cpp
  uaspl/net/torch/module.cpp
  uaspl/net/torch/sharing.cpp
  uaspl/net/torch/torch_network.cpp
)
add_library(uaspl::torch ALIAS uaspl_torch)
target_include_directories(uaspl_torch SYSTEM PRIVATE ${UASPL_TORCH_INCLUDE})
# All of libtorch, even if no name of it is used: a build with CUDA keeps that in a part of its own.
target_link_libraries(uaspl_torch PRIVATE uaspl::uaspl fmt::fmt -Wl,--no-as-needed
  ${UASPL_TORCH_LIBRARY} ${UASPL_TORCH_CPU_LIBRARY} ${UASPL_C10_LIBRARY})
# Several processes for one network: Gloo, which libtorch uses without saying so in its own package.
find_path(UASPL_GLOO_INCLUDE gloo/context.h)
find_library(UASPL_GLOO_LIBRARY gloo)
if(UASPL_GLOO_INCLUDE AND UASPL_GLOO_LIBRARY)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${UASPL_TORCH_INCLUDE} ${UASPL_GLOO_INCLUDE})
  set(CMAKE_REQUIRED_DEFINITIONS -DUSE_C10D_GLOO)
  set(CMAKE_REQUIRED_LIBRARIES ${UASPL_TORCH_LIBRARY} ${UASPL_TORCH_CPU_LIBRARY} ${UASPL_C10_LIBRARY}
    ${UASPL_GLOO_LIBRARY})
  check_cxx_source_compiles("#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
    #include <torch/csrc/distributed/c10d/TCPStore.hpp>
    int main() {
      const auto store = c10::make_intrusive<c10d::TCPStore>(\"\", c10d::TCPStoreOptions());
      c10d::ProcessGroupGloo(store, 0, 1);
    }" UASPL_GLOO_WORKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_DEFINITIONS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(UASPL_GLOO_WORKS)
  target_sources(uaspl_torch PRIVATE uaspl/net/torch/group_gloo.cpp)
  target_include_directories(uaspl_torch SYSTEM PRIVATE ${UASPL_GLOO_INCLUDE})
  target_link_libraries(uaspl_torch PRIVATE ${UASPL_GLOO_LIBRARY})
  set_source_files_properties(uaspl/net/torch/group_gloo.cpp PROPERTIES
    COMPILE_DEFINITIONS USE_C10D_GLOO SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(uaspl/net/torch/module.cpp PROPERTIES
    COMPILE_DEFINITIONS UASPL_HAS_GLOO SKIP_PRECOMPILE_HEADERS ON)
else()
  message(STATUS "Gloo was not found, or libtorch has it not (Debian: libgloo-dev): one process trains a network")
endif()
# The work is done in libtorch: more optimisation here gains nothing.
target_compile_options(uaspl_torch PRIVATE -O1)
target_precompile_headers(uaspl_torch PRIVATE <ATen/ATen.h>)
# Nothing is seen from outside but the factory, neither ours nor what comes from the library.
target_link_options(uaspl_torch PRIVATE -Wl,--exclude-libs,ALL)
set_target_properties(uaspl_torch PROPERTIES CXX_VISIBILITY_PRESET hidden INSTALL_RPATH_USE_LINK_PATH ON
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS uaspl_torch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
