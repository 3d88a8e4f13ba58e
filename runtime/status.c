/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mbs/model.h"
int mbs_abi(void);
int mbs_abi(void)
{
    return MBS_ABI;
}
