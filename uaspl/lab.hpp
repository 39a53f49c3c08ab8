// The front door for research: user-defined methods, grids of data sets x methods x seeds, the
// results store, statistics and reports. docs/cpp.md and examples/own_method.cpp show its use.
#pragma once

#include "uaspl/base/version.hpp"
#include "uaspl/data/catalogue.hpp"
#include "uaspl/loss/cross_entropy.hpp"
#include "uaspl/loss/evidential.hpp"
#include "uaspl/loss/softmax.hpp"
#include "uaspl/method/pace.hpp"
#include "uaspl/method/registry.hpp"
#include "uaspl/report/csv.hpp"
#include "uaspl/report/html.hpp"
#include "uaspl/report/markdown.hpp"
#include "uaspl/report/overview.hpp"
#include "uaspl/report/report.hpp"
#include "uaspl/study/experiment.hpp"
#include "uaspl/study/run_study.hpp"
#include "uaspl/study/store.hpp"
