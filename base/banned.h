/*
 * Force-included into every file: functions that are never right here. A call is an undeclared identifier, so a
 * compile error that names what to use. (Macros instead of "GCC poison", because libraries' headers mention some.)
 */
#ifndef MM_BASE_BANNED_H
#define MM_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define strcpy(...)   mm_banned_use_buffer
#define strcat(...)   mm_banned_use_buffer
#define strncpy(...)  mm_banned_use_buffer
#define strncat(...)  mm_banned_use_buffer
#define sprintf(...)  mm_banned_use_snprintf
#define vsprintf(...) mm_banned_use_vsnprintf
#define strtok(...)   mm_banned_use_strcspn
#define atoi(...)     mm_banned_use_strtol
#define atol(...)     mm_banned_use_strtol
#define atoll(...)    mm_banned_use_strtoll
#define atof(...)     mm_banned_use_strtod
#define system(...)   mm_banned_use_process_run
#define popen(...)    mm_banned_use_process_run
#define tmpnam(...)   mm_banned_use_mkdtemp
#define mktemp(...)   mm_banned_use_mkdtemp
#define gmtime(...)   mm_banned_use_gmtime_r
#define localtime(...) mm_banned_use_gmtime_r
#define ctime(...)    mm_banned_use_strftime
#define asctime(...)  mm_banned_use_strftime

#endif
