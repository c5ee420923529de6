/*
 * A stand-in for Sun Studio's compilers, for tests on machines that have none. Called as cc or CC it understands their
 * command line and no other, warns about what they do not know and refuses what they refuse; gcc compiles behind it.
 * A file "standin" beside the link says which release it plays: "5.9 SunOS_i386"; without one 5.14 on Linux.
 *
 * It knows what is documented of these compilers; it is no proof that the real ones behave so.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 };

static struct {
	const char *name; /* "cc" or "CC" */
	bool cxx, links, compiles, preprocesses;
	unsigned minor;
	char platform[32];
	const char *argv[MOST];
	size_t count;
	size_t inputs;
	const char *refused; /* an option that the linker would have got */
} cc;

static void push(const char *word)
{
	if (cc.count + 1 < MOST)
		cc.argv[cc.count++] = word;
}

static char *both(const char *a, const char *b)
{
	size_t size = strlen(a) + strlen(b) + 1;
	char *text = malloc(size);
	if (!text)
		_exit(1);
	(void)snprintf(text, size, "%s%s", a, b);
	return text;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is(const char *text, const char *word)
{
	return strcmp(text, word) == 0;
}

static void read_role(const char *program)
{
	char path[4096], line[64] = "";
	const char *slash = strrchr(program, '/');
	(void)snprintf(path, sizeof path, "%.*s/standin", slash ? (int)(slash - program) : 1, slash ? program : ".");
	FILE *file = fopen(path, "r");
	if (!file || !fgets(line, sizeof line, file))
		(void)snprintf(line, sizeof line, "5.14 Linux_i386");
	if (file)
		(void)fclose(file);
	char *end;
	cc.minor = (unsigned)strtoul(line + 2, &end, 10);
	end += strspn(end, " ");
	(void)snprintf(cc.platform, sizeof cc.platform, "%.*s", (int)strcspn(end, "\n"), end);
}

static void print_banner(void)
{
	static const char *const suites[] = { "11", "12", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6" };
	(void)fprintf(stderr, "%s: ", cc.name);
	if (cc.minor >= 14 && cc.minor <= 15)
		(void)fprintf(stderr, "Studio %s ", suites[cc.minor - 8]);
	(void)fprintf(stderr, "Sun %s 5.%u %s 2016/05/31\n", cc.cxx ? "C++" : "C", cc.minor, cc.platform);
}

static void warn_passed(const char *option)
{
	(void)fprintf(stderr, "%s: Warning: Option %s passed to ld, if ld is invoked, ignored otherwise\n", cc.name,
		      option);
	cc.refused = option;
}

static void refuse(const char *option)
{
	(void)fprintf(stderr, "%s: Warning: illegal option %s\n", cc.name, option);
	exit(1);
}

/* Options that are accepted and mean nothing to what stands behind. */
static bool is_accepted(const char *option)
{
	static const char *const names[] = {
		"-xarch=",     "-xtarget=",  "-xchip=",        "-xcache=",    "-xbuiltin",  "-xlibmil",
		"-xlibmopt",   "-xprefetch", "-xunroll=",      "-xinline=",   "-xregs=",    "-xspace",
		"-xdepend",    "-xrestrict", "-xalias_level",  "-xipo",       "-xprofile=", "-xldscope=",
		"-xthreadvar", "-xstrconst", "-xdebugformat=", "-xs",         "-fsimple",   "-fns",
		"-ftrap=",     "-fround=",   "-fstore",        "-nofstore",   "-fma=",      "-errwarn",
		"-erroff",     "-errtags",   "-library=",      "-staticlib=", "-norunpath", "-template=",
		"-instances=", "-verbose=",  "-xpagesize",     "-xvector",    "-Xa",        "-Xc",
		"-Xt",         "-xCC",       "-compat",        "-xport64",    "-xF",        "-xjobs=",
		"-xlang=",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(option, names[i]))
			return true;
	return is(option, "-v") || is(option, "+w") || is(option, "+w2");
}

/* Bits of the old releases. */
static bool take_arch(const char *option)
{
	static const char *const wide[] = { "-xarch=v9", "-xarch=amd64", "-xarch=generic64" };
	static const char *const narrow[] = { "-xarch=v8plus", "-xarch=386", "-xarch=pentium_pro", "-xarch=sse2" };
	if (cc.minor >= 9)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (is(option, wide[i])) {
			push("-m64");
			return true;
		}
	for (size_t i = 0; i < 4; i++)
		if (is(option, narrow[i])) {
			push("-m32");
			return true;
		}
	return false;
}

static bool take_level(const char *option)
{
	static const struct {
		const char *option, *gnu;
	} levels[] = { { "-xO1", "-O1" }, { "-xO2", "-O2" }, { "-xO3", "-O2" }, { "-xO4", "-O2" },
		       { "-xO5", "-O3" }, { "-O", "-O2" },   { "-fast", "-O3" } };
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (is(option, levels[i].option)) {
			push(levels[i].gnu);
			return true;
		}
	return false;
}

/* One option for one of gcc's. */
static bool take_simple(const char *option)
{
	static const struct {
		const char *option, *gnu;
	} simple[] = {
		{ "-KPIC", "-fPIC" },
		{ "-Kpic", "-fPIC" },
		{ "-mt", "-pthread" },
		{ "-G", "-shared" },
		{ "-xMD", "-MD" },
		{ "-xMMD", "-MMD" },
		{ "-xM", "-M" },
		{ "-xM1", "-MM" },
		{ "-g", "-g" },
		{ "-g0", "-g" },
		{ "-noex", "-fno-exceptions" },
		{ "-s", "-s" },
		{ "-w", "-w" },
		{ "-Bstatic", "-Wl,-Bstatic" },
		{ "-Bdynamic", "-Wl,-Bdynamic" },
		{ "-features=no%except", "-fno-exceptions" },
		{ "-xc99=all", "-std=gnu99" },
		{ "-xc99", "-std=gnu99" },
	};
	for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
		if (is(option, simple[i].option)) {
			push(simple[i].gnu);
			return true;
		}
	return begins(option, "-features=");
}

/* Options with something behind them, joined or as the next word. Returns how many further words were taken. */
static int take_operand(const char *option, const char *next)
{
	static const struct {
		const char *option, *gnu;
		bool joined; /* to what gcc is told */
	} with[] = { { "-xMF", "-MF", false },  { "-h", "-Wl,-soname,", true }, { "-R", "-Wl,-rpath,", true },
		     { "-z", "-Wl,-z,", true }, { "-o", "-o", false },          { "-D", "-D", true },
		     { "-U", "-U", true },      { "-I", "-I", true },           { "-L", "-L", true },
		     { "-l", "-l", true } };
	for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
		size_t length = strlen(with[i].option);
		bool only = is(option, with[i].option);
		/* "-o" and "-xMF" take the next word only */
		if (!only && (!with[i].joined || strncmp(option, with[i].option, length) != 0))
			continue;
		const char *value = only ? next : option + length;
		if (!value)
			refuse(option);
		if (with[i].joined) {
			push(both(with[i].gnu, value));
		} else {
			push(with[i].gnu);
			push(value);
		}
		return only ? 1 : 0;
	}
	return -1;
}

static void take_stage(const char *option)
{
	push(option);
	cc.preprocesses = cc.preprocesses || is(option, "-E");
	cc.compiles = true;
}

/* configure asks by a source whether this is a GNU compiler; the real headers need what it asks for. */
static void take_input(const char *path)
{
	char text[8192];
	const char *slash = strrchr(path, '/');
	FILE *file = begins(slash ? slash + 1 : path, "conftest.") ? fopen(path, "r") : NULL;
	cc.inputs++;
	push(path);
	if (!file)
		return;
	size_t length = fread(text, 1, sizeof text - 1, file);
	text[length] = '\0';
	if (strstr(text, "__GNUC__"))
		push("-U__GNUC__");
	(void)fclose(file);
}

/* Takes ARGS[AT]; returns how many words it was. */
static int take(char **args, int at)
{
	const char *option = args[at];
	if (*option != '-' && *option != '+') {
		take_input(option);
		return 1;
	}
	if (is(option, "-c") || is(option, "-S") || is(option, "-E")) {
		take_stage(option);
		return 1;
	}
	if (is(option, "-m32") || is(option, "-m64")) {
		if (cc.minor < 9)
			refuse(option);
		push(option);
		return 1;
	}
	if (is(option, "-Qoption"))
		return 3;
	if (begins(option, "-std=") && cc.minor >= 13) {
		push(option);
		return 1;
	}
	if (is(option, "-fPIC") && !cc.cxx && cc.minor >= 10) {
		push(option);
		return 1;
	}
	if (cc.cxx && begins(option, "-O") && option[2] >= '1' && option[2] <= '5' && !option[3]) {
		push(option);
		return 1;
	}
	if (is(option, "-V") || take_level(option) || take_arch(option) || take_simple(option) || is_accepted(option))
		return 1;
	int more = take_operand(option, args[at + 1]);
	if (more < 0)
		warn_passed(option);
	return more < 0 ? 1 : 1 + more;
}

int main(int argc, char **argv)
{
	char macro[64];
	const char *slash = strrchr(argv[0], '/');
	bool banner = false;
	cc.name = slash ? slash + 1 : argv[0];
	cc.cxx = is(cc.name, "CC");
	read_role(argv[0]);
	push(cc.cxx ? "g++" : "gcc");
	/* how sources and CMake know the compiler */
	(void)snprintf(macro, sizeof macro, "-D%s=0x5%u0", cc.cxx ? "__SUNPRO_CC" : "__SUNPRO_C", cc.minor);
	push(macro);
	push("-Wno-error");
	for (int i = 1; i < argc; i++)
		banner = banner || is(argv[i], "-V");
	if (banner)
		print_banner();
	for (int i = 1; i < argc;)
		i += take(argv, i);
	if (!cc.inputs) {
		if (!banner || !cc.cxx)
			(void)fprintf(stderr, "usage: %s [ options ] files.  Use '%s -flags' for details\n", cc.name,
				      cc.name);
		return banner && cc.cxx ? 0 : 1;
	}
	if (!cc.compiles && cc.refused) {
		(void)fprintf(stderr, "ld: fatal: unrecognized option '%s'\n", cc.refused);
		return 1;
	}
	(void)execvp(cc.argv[0], (char *const *)(void *)cc.argv);
	perror(cc.argv[0]);
	return 1;
}
