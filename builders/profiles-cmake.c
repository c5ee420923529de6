/* Profiles of trees that are built by CMake: MySQL from 5.5 on, MariaDB, Percona Server. See profile.h. */
#include <stddef.h>

#include "builders/profile.h"

const struct mm_edit mm_edits_old_grammar[] = {
	{ "sql/sql_yacc.yy", "#define YYPARSE_PARAM yythd\n", "", false },
	{ "sql/sql_yacc.yy", "#define YYLEX_PARAM yythd\n", "", false },
	/* the generated code now hands its argument to yyerror, too; the actions go on calling the old one */
	{ "sql/sql_yacc.yy", "int yylex(void *yylval, void *yythd);",
	  "int yylex(void *yylval, void *yythd);\n"
	  "static inline void yyerror(void *, const char *text) { yyerror(text); }",
	  false },
	{ "sql/sql_yacc.yy", "%pure_parser",
	  "%parse-param { void *yythd }\n%lex-param { void *yythd }\n%pure-parser", false },
	{ NULL, NULL, NULL, false },
};

#define WORDS(...)                                                                                                     \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		__VA_ARGS__, NULL                                                                                      \
	}
#define STEPS(...)                                                                                                     \
	(const struct mm_install_step[])                                                                               \
	{                                                                                                              \
		__VA_ARGS__, { NULL, NULL }                                                                            \
	}
#define CMAKE   .system = MM_SYSTEM_CMAKE
#define MYSQL   .variants = (1U << MM_VARIANT_MYSQL | 1U << MM_VARIANT_PERCONA)
#define MARIADB .variants = 1U << MM_VARIANT_MARIADB
#define PERCONA .variants = 1U << MM_VARIANT_PERCONA

/*
 * Storage engines and plugins that no suite uses are off, and so is whatever would be picked up or not depending on the
 * machine (jemalloc, systemd). An option that a version does not know has no effect.
 */
#define MARIADB_LESS                                                                                                   \
	"-DWITHOUT_DYNAMIC_PLUGINS=ON", "-DPLUGIN_ARCHIVE=NO", "-DPLUGIN_AUTH_GSSAPI=NO", "-DPLUGIN_AUTH_PAM=NO",      \
		"-DPLUGIN_BLACKHOLE=NO", "-DPLUGIN_COLUMNSTORE=NO", "-DPLUGIN_CONNECT=NO",                             \
		"-DPLUGIN_CRACKLIB_PASSWORD_CHECK=NO", "-DPLUGIN_FEDERATED=NO", "-DPLUGIN_FEDERATEDX=NO",              \
		"-DPLUGIN_HASHICORP_KEY_MANAGEMENT=NO", "-DPLUGIN_MROONGA=NO", "-DPLUGIN_OQGRAPH=NO",                  \
		"-DPLUGIN_PROVIDER_BZIP2=NO", "-DPLUGIN_PROVIDER_LZ4=NO", "-DPLUGIN_PROVIDER_LZMA=NO",                 \
		"-DPLUGIN_PROVIDER_LZO=NO", "-DPLUGIN_PROVIDER_SNAPPY=NO", "-DPLUGIN_ROCKSDB=NO", "-DPLUGIN_S3=NO",    \
		"-DPLUGIN_SPHINX=NO", "-DPLUGIN_SPIDER=NO", "-DPLUGIN_TOKUDB=NO", "-DWITH_EMBEDDED_SERVER=OFF",        \
		"-DWITH_MARIABACKUP=OFF", "-DWITH_UNIT_TESTS=OFF", "-DWITH_WSREP=OFF", "-DWITH_JEMALLOC=no",           \
		"-DWITH_SYSTEMD=no"

/* The same for MySQL. What the tree brings a copy of is taken from there, so that machines and bits do not differ. */
#define MYSQL_LESS "-DWITH_EMBEDDED_SERVER=OFF", "-DWITH_UNIT_TESTS=OFF", "-DENABLE_DTRACE=OFF", "-DWITH_ZLIB=bundled"

/* MySQL 8 and later: the server's extras are trees of their own that take half of the time. */
#define MYSQL_8_LESS                                                                                                   \
	"-DWITH_UNIT_TESTS=OFF", "-DWITH_ROUTER=OFF", "-DWITH_MYSQLX=OFF", "-DWITH_NDB=OFF", "-DWITH_NDBCLUSTER=OFF",  \
		"-DWITH_GROUP_REPLICATION=OFF", "-DWITH_AUTHENTICATION_LDAP=OFF", "-DWITH_AUTHENTICATION_FIDO=OFF",    \
		"-DWITH_AUTHENTICATION_WEBAUTHN=OFF", "-DWITH_AUTHENTICATION_KERBEROS=OFF",                            \
		"-DWITH_AUTHENTICATION_CLIENT_PLUGINS=OFF", "-DWITH_FIDO=none", "-DWITH_CURL=none", "-DWITH_LTO=OFF",  \
		"-DWITH_SYSTEMD=OFF", "-DWITH_NUMA=OFF", "-DWITH_SSL=system", "-DWITH_ZLIB=bundled",                   \
		"-DWITH_PACKAGE_FLAGS=OFF" /* else it asks dpkg-buildflags or rpm for flags by itself */

const struct mm_profile mm_profiles_cmake[] = {
	{ .name = "cmake",
	  .why = "a CMake from 4 on builds trees that were written for one before 3.5; no configuration of the tree's own "
		 "sets flags over those of the cell",
	  .fit = { CMAKE },
	  .options = WORDS("-DCMAKE_POLICY_VERSION_MINIMUM=3.5", "-DBUILD_CONFIG=") },
	{ .name = "mysql-5.5",
	  .why = "the server of MySQL 5.5 and 5.6 without what no benchmark needs",
	  .fit = { CMAKE, MYSQL, .from = MM_VERSION_OF(5, 5, 0), .below = MM_VERSION_OF(5, 7, 0) },
	  .options = WORDS(MYSQL_LESS, "-DWITH_SSL=bundled", "-DWITH_INNODB_MEMCACHED=OFF"),
	  .targets = WORDS("mysqld", "my_print_defaults", "resolveip", "mysql_tzinfo_to_sql?", "GenFixPrivs?"),
	  .steps = STEPS({ "sql", "Server" }, { "sql/share", "Server" }, { "scripts", "Server" },
			 { "support-files", "SupportFiles" }),
	  .helpers = WORDS("extra/my_print_defaults", "extra/resolveip") },
	{ .name = "mysql-5.7",
	  .why = "the server of MySQL 5.7 without what no benchmark needs",
	  .fit = { CMAKE, MYSQL, .from = MM_VERSION_OF(5, 7, 0), .below = MM_VERSION_OF(8, 0, 0) },
	  .options = WORDS(MYSQL_LESS, "-DWITH_INNODB_MEMCACHED=OFF", "-DWITH_RAPID=OFF", "-DWITH_AUTHENTICATION_PAM=OFF"),
	  .targets = WORDS("mysqld", "mysql_tzinfo_to_sql?", "locking_service?"),
	  .steps = STEPS({ "sql", "Server" }, { "sql/share", "Server" }) },
	{ .name = "bundled-ssl",
	  .why = "yaSSL, which these trees bring along: OpenSSL of today is not theirs",
	  .fit = { CMAKE, MYSQL, .from = MM_VERSION_OF(5, 7, 0), .below = MM_VERSION_OF(5, 7, 28) },
	  .options = WORDS("-DWITH_SSL=bundled") },
	{ .name = "mysql-8",
	  .why = "the server of MySQL 8 and 9 without what no benchmark needs",
	  .fit = { CMAKE, MYSQL, .from = MM_VERSION_OF(8, 0, 0) },
	  .options = WORDS(MYSQL_8_LESS),
	  /* the second half is what the folders of the steps install as well */
	  .targets = WORDS("mysqld", "mysql_tzinfo_to_sql?", "locking_service?", "component_reference_cache?"),
	  .steps = STEPS({ "sql", "Server" }, { "share?", "Server" }, { "sql/share?", "Server" },
			 { "components/reference_cache?", "Server" }),
	  /* of protobuf, abseil and ICU, which the server looks for there; the tree installs them with everything else */
	  .libraries = "library_output_directory" },
	{ .name = "own-boost",
	  .why = "the tree brings the one boost that it builds with",
	  .fit = { CMAKE, MYSQL, .below = MM_VERSION_OF(8, 1, 0), .has = MM_TREE_BOOST },
	  .options = WORDS("-DWITH_BOOST=@source@/boost") },
	{ .name = "percona",
	  .why = "engines and plugins that Percona Server adds and no suite uses",
	  .fit = { CMAKE, PERCONA },
	  .options = WORDS("-DWITHOUT_TOKUDB=ON", "-DWITHOUT_TOKUDB_STORAGE_ENGINE=ON", "-DWITHOUT_ROCKSDB=ON",
			   "-DWITH_ROCKSDB=OFF", "-DWITH_PAM=OFF", "-DWITH_COREDUMPER=OFF",
			   "-DWITH_PERCONA_AUTHENTICATION_LDAP=OFF", "-DWITH_PERCONA_TELEMETRY=OFF") },
	{ .name = "32-bit-mysql-8",
	  .why = "hours of compiling for what is most likely to fail",
	  .fit = { CMAKE, MYSQL, .from = MM_VERSION_OF(8, 0, 0), .bits = 32 },
	  .warning = "MySQL from 8.0 on is not supported at 32 bits by its makers",
	  .refusal = "MySQL from 8.0 on is not supported at 32 bits by its makers, and it compiles for hours; leave these "
		     "cells out, or try it by naming the profiles in build.profiles: [\"cmake\", \"mysql-8\"]" },
	{ .name = "mariadb-server",
	  .why = "the server of MariaDB from 10.5 on, where programs are called mariadb-*, without what no benchmark needs; "
		 "libraries are the system's, since a bundled one would be downloaded",
	  .fit = { CMAKE, MARIADB, .from = MM_VERSION_OF(10, 5, 0) },
	  .options = WORDS(MARIADB_LESS, "-DWITH_LIBFMT=system", "-DWITH_PCRE=system", "-DWITH_SSL=system",
			   "-DWITH_ZLIB=system"),
	  .targets = WORDS("mariadbd", "my_print_defaults", "resolveip"),
	  .steps = STEPS({ "sql", "Server" }, { "sql/share", "Common" }, { "sql/share", "Server" }, { "scripts", "Server" }),
	  .helpers = WORDS("extra/my_print_defaults", "extra/resolveip") },
	{ .name = "mariadb-mysqld",
	  .why = "the server of MariaDB before 10.5, where programs are called mysql*, without what no benchmark needs; "
		 "libraries are those that the tree brings",
	  .fit = { CMAKE, MARIADB, .below = MM_VERSION_OF(10, 5, 0) },
	  .options = WORDS(MARIADB_LESS, "-DWITHOUT_TOKUDB=ON", "-DWITHOUT_OQGRAPH=ON", "-DWITHOUT_MROONGA=ON",
			   "-DWITHOUT_CONNECT_STORAGE_ENGINE=ON", "-DWITHOUT_SPIDER_STORAGE_ENGINE=ON",
			   "-DWITH_PCRE=bundled", "-DWITH_SSL=bundled", "-DWITH_ZLIB=bundled"),
	  .targets = WORDS("mysqld", "my_print_defaults", "resolveip", "mysql_tzinfo_to_sql?"),
	  .steps = STEPS({ "sql", "Server" }, { "sql/share?", "Common" }, { "sql/share", "Server" }, { "scripts", "Server" }),
	  .helpers = WORDS("extra/my_print_defaults", "extra/resolveip") },
	{ .name = "old-c++",
	  .why = "C++ as it was before C++11: today's default refuses narrowing initializers",
	  .fit = { CMAKE, .below = MM_VERSION_OF(8, 0, 0) },
	  .cxx = "-std=gnu++98" },
	{ .name = "mariadb-old-c++",
	  .why = "C++ as it was before C++11",
	  .fit = { CMAKE, MARIADB, .from = MM_VERSION_OF(10, 0, 0), .below = MM_VERSION_OF(10, 4, 0) },
	  .cxx = "-std=gnu++98" },
	{ .name = "no-strict-aliasing",
	  .why = "the code of that time looks at objects through pointers of other types; the tree's own build types say "
		 "so, and the cell's flags stand in their place",
	  .fit = { CMAKE, .below = MM_VERSION_OF(8, 0, 0) },
	  .c = "-fno-strict-aliasing",
	  .cxx = "-fno-strict-aliasing" },
	{ .name = "mariadb-no-strict-aliasing",
	  .why = "the same for MariaDB's later versions",
	  .fit = { CMAKE, MARIADB, .from = MM_VERSION_OF(10, 0, 0), .below = MM_VERSION_OF(10, 5, 0) },
	  .c = "-fno-strict-aliasing",
	  .cxx = "-fno-strict-aliasing" },
	{ .name = "clang-32-atomics",
	  .why = "clang calls libatomic for numbers of 64 bits that lie at multiples of 4, as they do at 32 bits; trees "
		 "try out a lone one, see that it needs no library, and do not link it",
	  .fit = { CMAKE, .bits = 32, .families = 1U << MM_FAMILY_CLANG },
	  .options = WORDS("-DCMAKE_C_STANDARD_LIBRARIES=-latomic", "-DCMAKE_CXX_STANDARD_LIBRARIES=-latomic") },
	{ .name = "old-grammar",
	  .why = OLD_GRAMMAR_WHY,
	  .fit = { CMAKE, .has = MM_TREE_OLD_GRAMMAR },
	  .edits = mm_edits_old_grammar },
	{ .name = NULL },
};
