#include "builders/profile.h"

#include <stddef.h>

/*
 * MariaDB since its programs are called mariadb-*. Storage engines and plugins that no suite uses are off, and so is
 * whatever would be picked up or not depending on the machine (jemalloc, systemd). Libraries are the system's: a
 * bundled one would be downloaded.
 */
static const char *const mariadb_options[] = {
	"-DWITHOUT_DYNAMIC_PLUGINS=ON",
	"-DPLUGIN_ARCHIVE=NO",
	"-DPLUGIN_AUTH_GSSAPI=NO",
	"-DPLUGIN_AUTH_PAM=NO",
	"-DPLUGIN_BLACKHOLE=NO",
	"-DPLUGIN_COLUMNSTORE=NO",
	"-DPLUGIN_CONNECT=NO",
	"-DPLUGIN_CRACKLIB_PASSWORD_CHECK=NO",
	"-DPLUGIN_FEDERATED=NO",
	"-DPLUGIN_FEDERATEDX=NO",
	"-DPLUGIN_HASHICORP_KEY_MANAGEMENT=NO",
	"-DPLUGIN_MROONGA=NO",
	"-DPLUGIN_OQGRAPH=NO",
	"-DPLUGIN_PROVIDER_BZIP2=NO",
	"-DPLUGIN_PROVIDER_LZ4=NO",
	"-DPLUGIN_PROVIDER_LZMA=NO",
	"-DPLUGIN_PROVIDER_LZO=NO",
	"-DPLUGIN_PROVIDER_SNAPPY=NO",
	"-DPLUGIN_ROCKSDB=NO",
	"-DPLUGIN_S3=NO",
	"-DPLUGIN_SPHINX=NO",
	"-DPLUGIN_SPIDER=NO",
	"-DPLUGIN_TOKUDB=NO",
	"-DWITH_EMBEDDED_SERVER=OFF",
	"-DWITH_MARIABACKUP=OFF",
	"-DWITH_UNIT_TESTS=OFF",
	"-DWITH_WSREP=OFF",
	"-DWITH_JEMALLOC=no",
	"-DWITH_SYSTEMD=no",
	"-DWITH_LIBFMT=system",
	"-DWITH_PCRE=system",
	"-DWITH_SSL=system",
	"-DWITH_ZLIB=system",
	NULL,
};
static const char *const mariadb_targets[] = { "mariadbd", "my_print_defaults", "resolveip", NULL };
static const struct mm_install_step mariadb_steps[] = {
	{ "sql", "Server" }, { "sql/share", "Common" }, { "sql/share", "Server" }, { "scripts", "Server" },
	{ NULL, NULL },
};
/* mariadb-install-db calls both */
static const char *const mariadb_helpers[] = { "extra/my_print_defaults", "extra/resolveip", NULL };

static const char *const no_options[] = { NULL };

static const struct {
	enum mm_variant variant;
	unsigned major, minor; /* from this version on */
	struct mm_profile profile;
} rows[] = {
	{ MM_VARIANT_MARIADB,
	  10,
	  5,
	  { "mariadb-server", mariadb_options, mariadb_targets, mariadb_steps, mariadb_helpers } },
};

static const struct mm_profile whole_tree = { "whole-tree", no_options, NULL, NULL, NULL };

const struct mm_profile *mm_profile_of(const struct mm_tree *tree)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (tree->variant == rows[i].variant && mm_tree_at_least(tree, rows[i].major, rows[i].minor))
			return &rows[i].profile;
	return &whole_tree;
}
