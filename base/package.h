/* What to install when something is missing, by the names that systems give it. */
#ifndef MM_BASE_PACKAGE_H
#define MM_BASE_PACKAGE_H

/*
 * "install 'cmake' (Debian, Fedora), 'developer/build/cmake' (Solaris)" for a program ("cmake") or a library
 * ("lib:curses"); NULL when it is not in the table. Allocated.
 */
char *mm_package_advice(const char *what);

#endif
