// Turns errors of libtorch into errors of this library.
#pragma once

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <string>

#include "uaspl/base/error.hpp"

namespace uaspl {

// Runs the task; an error of libtorch becomes an Error with the first line of its message.
template <typename Task>
auto guarded(const Task& task) {
  try {
    at::internal::lazy_init_num_threads();  // apply the set number in this thread too
    return task();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw Error("libtorch: " + text.substr(0, text.find('\n')));
  }
}

}  // namespace uaspl
