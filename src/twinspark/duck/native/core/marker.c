/* Holds the mark of errors: it contains a random token of the server, so that no value of a user can contain it. */
#include "core/marker.h"
#include <stdio.h>

#define EXPORTED __attribute__((visibility("default")))

static char mark[64] = "SPARK without a mark: ";

const char *error_mark(void) { return mark; }

/* Called once, before the extension is loaded into a database; no function runs then. */
EXPORTED void twinspark_set_error_mark(const char *text) { snprintf(mark, sizeof mark, "%s", text); }
