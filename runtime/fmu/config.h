/* SPDX-License-Identifier: MIT
 * The core of an FMU uses no other library. */
