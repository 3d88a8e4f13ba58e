/* SPDX-License-Identifier: MIT
 * The core of an FMU uses no other library, and is small rather than quick. */
#define MBS_SMALL 1
