/* SPDX-License-Identifier: GPL-3.0-or-later
 * The C text of roll/text as strings, made by the Makefile. */
#ifndef ROLL_TEXT_H
#define ROLL_TEXT_H
extern const char text_common_rows[], text_common_space[], text_common_plane[], text_common[], text_mixed[], text_mixed_plain[], text_mixed_balls[],
    text_space[], text_plane[], text_ground_space[], text_ground_plane[], text_plain[], text_plain_forces[], text_balls[], text_ball_forces[],
    text_columns[], text_ball_columns[], text_ball_sweeps[], text_slot_sines[], text_lane_sines[],
    text_sweeps[], text_sweep_accelerations[], text_bound[], text_frame_space[], text_frame_plane[],
    text_number_space[], text_number_plane[], text_lines[], text_matrices[], text_mass[], text_newton[], text_rolled[], text_functions[],
    text_accelerations[], text_solver[];
extern const char *const roll_text[];     /* all of them, and NULL */
#endif
