// SPDX-License-Identifier: Apache-2.0
/// \file
/// The run store: the catalogue of runs, and the series of each (storage/FORMAT.md).
///
///     namespace storage = batchscope::storage;
///     const auto file = batchscope::protocol::catalogue_path();
///     const storage::Run run = storage::Catalogue(file).resolve("latest");
///     storage::SampleReader samples(batchscope::protocol::run_paths(run.id).samples);
///     for (const auto& [step, value] : samples.read("loss", /*generation=*/0)) plot(step, value);
#pragma once

#include "batchscope/storage/catalogue.h"
#include "batchscope/storage/maintenance.h"
#include "batchscope/storage/medium.h"
#include "batchscope/storage/run_field.h"
#include "batchscope/storage/run_file.h"
#include "batchscope/storage/run_filter.h"
#include "batchscope/storage/samples.h"
#include "batchscope/storage/sql.h"
#include "batchscope/storage/trash.h"

/// The run store; see storage.h. Calls block on the disk, and on other writers of the catalogue for ten
/// seconds at most; readers of samples block nobody and are blocked by nobody.
namespace batchscope::storage {}
