/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMPILE_H
#define COMPILE_H
#endif
