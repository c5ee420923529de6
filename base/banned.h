/* Force-included into every file: functions that are never right here become compile errors. */
#ifndef MM_BASE_BANNED_H
#define MM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok atoi atol atoll atof system popen tmpnam mktemp
#pragma GCC poison gmtime localtime ctime asctime

#endif
