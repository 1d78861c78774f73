# SPDX-License-Identifier: Apache-2.0
"""A stand-in for AdaptDL, of the shape of its version 0.2.11 and without its training: the names, states and calls through which
a script's steps go there, on the standard library alone. Replicas do not meet; each leaves by itself when it is asked to."""
