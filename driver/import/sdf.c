#include "config.h"
#include "import/read.h"
bool read_sdf(struct robot *r, struct xml *root) { return robot_fail(r, r->file, root->line, "not yet"); }
