// SPDX-License-Identifier: Apache-2.0
//
// TLS on the lines between nodes, where it is asked for (NODES.md). Both ends have the agents' token, and no
// certificate: a key that is made of the token shows each end that the other has it, too, and Diffie and
// Hellman's exchange gives every line keys of its own, which whoever learns the token later has not (PSK with
// ECDHE, RFC 5489 and 7905). Qt has such keys in TLS 1.2 only.
#pragma once

#include <QSslSocket>
#include <memory>
#include <string>

namespace batchscope::run {

// A socket that has yet to be connected and to begin TLS, at either end. Throws Error(failure) where this
// machine has no TLS, or not this kind of it.
std::unique_ptr<QSslSocket> make_tls_socket(const std::string& token);

// Why there was no TLS on a line that has ended: a clause for people.
std::string why_no_tls(const QSslSocket& socket);

}  // namespace batchscope::run
