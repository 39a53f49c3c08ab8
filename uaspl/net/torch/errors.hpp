// What leaves the module when libtorch fails.
#pragma once

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <string>

#include "uaspl/base/error.hpp"

namespace uaspl {

// Runs the task; an error of libtorch becomes one of ours, by the first line of its message.
template <typename Task>
auto guarded(const Task& task) {
  try {
    at::internal::lazy_init_num_threads();  // the number that was set, in this thread too
    return task();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw Error("libtorch: " + text.substr(0, text.find('\n')));
  }
}

}  // namespace uaspl
