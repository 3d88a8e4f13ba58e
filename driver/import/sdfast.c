#include "config.h"
#include "import/read.h"
bool read_sdfast(struct robot *r, const char *t, size_t n) { (void)t; (void)n; return robot_fail(r, r->file, 1, "not yet"); }
