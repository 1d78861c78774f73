// SPDX-License-Identifier: Apache-2.0
/// \file
/// The run store: the catalogue of runs, and the series of each.
#pragma once

#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/samples.h"
