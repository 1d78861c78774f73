// SPDX-License-Identifier: Apache-2.0
/// \file
/// The parts that make any process an elastic replica, whatever it computes with: it finds the other
/// replicas, shares a dataset with them, survives restarts on another number of them, and tells the
/// supervisor what it does. For programs on LibTorch there is more in train.h, which includes this.
///
/// What fails is thrown as batchscope::Error. A call that is "collective" is made by all replicas in the same
/// order, and blocks until they have, at most for the process group's timeout. Nothing here is thread-safe
/// unless it says so.
#pragma once

#include "batchscope/protocol/error.h"
#include "batchscope/replica/accumulator.h"
#include "batchscope/replica/adaptive_data_loader_helper.h"
#include "batchscope/replica/checkpoint.h"
#include "batchscope/replica/collective.h"
#include "batchscope/replica/data_pass.h"
#include "batchscope/replica/elastic_sampler.h"
#include "batchscope/replica/epoch.h"
#include "batchscope/replica/gradient_average.h"
#include "batchscope/replica/process_group.h"
#include "batchscope/replica/record.h"
#include "batchscope/replica/serialisation.h"

/// The interface of a training program; see replica.h and train.h.
namespace batchscope {}
/// State that survives restarts.
namespace batchscope::checkpoint {}
/// Small values shared by all replicas.
namespace batchscope::collective {}
