/* Private to toolchains/: what of the environment no compiler of a cell is to see. */
#ifndef MM_TOOLCHAINS_WRAPPER_ENVIRONMENT_H
#define MM_TOOLCHAINS_WRAPPER_ENVIRONMENT_H

/*
 * Takes out of this process's environment whatever makes a compiler another one, or gives it options that stand on no
 * command line; and FOLDER, the cell's compilers, out of PATH: what the real compiler calls by name is real as well.
 */
void mm_environment_clean(const char *folder);

#endif
