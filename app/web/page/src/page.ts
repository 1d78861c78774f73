// SPDX-License-Identifier: Apache-2.0
// Where the page begins.
import "uplot/dist/uPlot.min.css";
