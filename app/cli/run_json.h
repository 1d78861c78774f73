// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's records as JSON, the same in `ls`, `show` and in reports. Times are seconds since 1970,
// pauses and their parts seconds; an unknown pause is null.
#pragma once

#include "batchscope/protocol/json.h"
#include "batchscope/storage/catalogue.h"

namespace batchscope::cli {

protocol::Json runJson(const storage::Run& run);
protocol::Json generationJson(const storage::Generation& generation);
protocol::Json epochJson(const storage::Epoch& epoch);
protocol::Json eventJson(const storage::Event& event);
protocol::Json checkpointJson(const storage::Checkpoint& checkpoint);
protocol::Json ledgerJson(const std::vector<storage::Ledger>& ledger);

// What the supervisor added to its own environment for the newest generation, as an object of strings; null
// before there was one.
protocol::Json environmentJson(const std::string& run);

// Everything about a run but its ledger: run, generations, epochs, checkpoints, events, hyperparameters,
// goodput.
protocol::Json runDetailsJson(storage::Catalogue& catalogue, const storage::Run& run);

// {"loss":0.12,..}, with the strings of protocol/json.h for what is not finite.
protocol::Json valuesJson(const std::map<std::string, double>& values);

// With its newline; bytes that are no UTF-8 are replaced.
std::string jsonLine(const protocol::Json& json);

// One line on standard output, flushed.
void printJson(const protocol::Json& json);

}  // namespace batchscope::cli
