/* What the fuzz target (C++) asks of the extension's tables (C). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
const char *family_name(unsigned number); /* NULL behind the last */
bool is_in_family(const char *name, const void *registration);
const void *line_of(const void *registration); /* the same for every decimal type of one function */
bool register_with(const void *(*get_api)(void *, const char *));
void limit_memory(uint64_t bytes);
struct cancellation *twinspark_new_cancellation(void);
void twinspark_cancel(struct cancellation *);
void twinspark_release_cancellation(struct cancellation *);
#ifdef __cplusplus
}
#endif
