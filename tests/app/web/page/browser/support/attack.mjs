// SPDX-License-Identifier: Apache-2.0
//
// A run's name that would be a program in a page that does not escape it.
export const ATTACK = '<img src=x onerror="window.attacked=1">';
