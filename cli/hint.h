/*
 * Texts of all rooms name commands that help, as 'mymatrix build'. Whoever works with -C, --work or a matrix of another
 * name must give those again: here they are added to what is shown. Private to cli/.
 */
#ifndef MM_CLI_HINT_H
#define MM_CLI_HINT_H

#include "cli/command.h"

/* What the commands in hints need. Borrows from ARGUMENTS, of COMMAND, until it is called with NULL. */
void mm_hint_place(const struct mm_command *command, const struct mm_arguments *arguments);
/* The matrix is another one than ARGUMENTS say. Borrows PATH. */
void mm_hint_matrix(const char *path);
/* Appends TEXT, with each 'mymatrix COMMAND …' such that it can be typed as it stands. */
void mm_put_hints(const char *text, struct mm_buffer *out);

#endif
