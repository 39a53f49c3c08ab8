// The methods that are recipes; registry.cpp has one table line for each.
#pragma once

#include <memory>

#include "uaspl/method/registry.hpp"

namespace uaspl {

// spl.cpp
std::unique_ptr<Method> make_direct(const Settings& settings);
std::unique_ptr<Method> make_spl(const Settings& settings);
std::unique_ptr<Method> make_spl_linear(const Settings& settings);
std::unique_ptr<Method> make_spl_mixture(const Settings& settings);

// uaspl.cpp
std::unique_ptr<Method> make_uaspl(const Settings& settings);
std::unique_ptr<Method> make_uaspl_linear(const Settings& settings);
std::unique_ptr<Method> make_uaspl_mixture(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta1(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta1_linear(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta1_mixture(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta_t(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta_t_linear(const Settings& settings);
std::unique_ptr<Method> make_uaspl_beta_t_mixture(const Settings& settings);

}  // namespace uaspl
