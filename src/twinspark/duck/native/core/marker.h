/* The mark before every Spark error: errors/marker.py describes the line that follows it. */
#pragma once

/* What the server set; until then a text that the server does not take for a mark. */
const char *error_mark(void);
