/* Force-included into every file: functions that are never right here become compile errors. */
#ifndef MM_BASE_BANNED_H
#define MM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atoll atof popen tmpnam mktemp
#pragma GCC poison gmtime localtime ctime asctime

/* A function-like macro, since records have members of this name. */
#define system(command) mm_never_a_shell_use_mm_process_run

#endif
