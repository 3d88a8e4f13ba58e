#include "config.h"
#include "import/read.h"
bool read_mjcf(struct robot *r, struct xml *root) { return robot_fail(r, r->file, root->line, "not yet"); }
