/* init: which packages make a server, and which servers are compared. */
#include "cli/init.h"

#include <ctype.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/memory.h"
#include "builders/control.h"

static const struct {
	const char *architecture;
	int bits;
} kinds[] = { { "i386", 32 }, { "amd64", 64 }, { "armhf", 32 }, { "arm64", 64 } };

struct package {
	const char *path;
	struct mm_control control;
	int variant;  /* see mm_init_variant */
	bool server;  /* has the server's program */
	char *source; /* name of the source that was made of it */
};

struct packages {
	struct package *items; /* in the order of in_order() */
	size_t count;
};

/* "mariadb-server-core_10.11.18_i386.deb" of a file that does not say it itself. */
static void read_name(const char *path, struct mm_control *control)
{
	const char *name = mm_path_base(path);
	size_t package = strcspn(name, "_"), version = strcspn(name + package + (name[package] != '\0'), "_");
	const char *rest = name + package + version + 2;
	if (!name[package] || !name[package + version + 1])
		return;
	control->package = mm_strndup(name, package);
	control->version = mm_strndup(name + package + 1, version);
	control->architecture = mm_strndup(rest, strcspn(rest, "."));
}

static int kind_of(const struct mm_control *control)
{
	for (size_t k = 0; control->architecture && k < sizeof kinds / sizeof *kinds; k++)
		if (strcmp(control->architecture, kinds[k].architecture) == 0)
			return (int)k;
	return -1;
}

/* By architecture, name and version. */
static int in_order(const void *a, const void *b)
{
	const struct package *x = a, *y = b;
	int difference = kind_of(&x->control) - kind_of(&y->control);
	if (!difference)
		difference = strcmp(x->control.package, y->control.package);
	if (!difference)
		difference = mm_control_compare(x->control.version, y->control.version);
	return difference ? difference : strcmp(x->path, y->path);
}

static void read_all(const struct mm_strings *files, struct packages *all)
{
	all->items = mm_calloc(files->count + 1, sizeof *all->items);
	for (size_t i = 0; i < files->count; i++) {
		struct package *one = &all->items[all->count];
		*one = (struct package){ .path = files->items[i] };
		if (!mm_control_read(one->path, &one->control) || !one->control.version) {
			mm_control_release(&one->control);
			read_name(one->path, &one->control);
		}
		if (kind_of(&one->control) < 0) {
			mm_control_release(&one->control);
			continue;
		}
		one->variant = mm_init_variant(one->control.package);
		one->server = one->variant >= 0 && strstr(one->control.package, "server-core") != NULL;
		all->count++;
	}
	qsort(all->items, all->count, sizeof *all->items, in_order);
}

static bool same_kind(const struct package *a, const struct package *b)
{
	return kind_of(&a->control) == kind_of(&b->control);
}

static bool same_name(const struct package *a, const struct package *b)
{
	return strcmp(a->control.package, b->control.package) == 0;
}

static bool same_version(const struct package *a, const struct package *b)
{
	return mm_control_compare(a->control.version, b->control.version) == 0;
}

/* One package in two folders, or under two names, is there once. */
static void drop_twins(struct packages *all)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->count; i++) {
		if (kept && same_kind(&all->items[kept - 1], &all->items[i]) &&
		    same_name(&all->items[kept - 1], &all->items[i]) &&
		    same_version(&all->items[kept - 1], &all->items[i]))
			mm_control_release(&all->items[i].control);
		else
			all->items[kept++] = all->items[i];
	}
	all->count = kept;
}

/* Can PACKAGE lie beside SERVER? Not another server, and nothing of another variant. */
static bool goes_with(const struct package *server, const struct package *package)
{
	return same_kind(server, package) && !package->server &&
	       (package->variant < 0 || package->variant == server->variant);
}

/* Of the packages from FIRST on that have one name, in order of their versions, the one that SERVER takes. */
static size_t choose(const struct packages *all, const struct package *server, size_t first, size_t *end)
{
	size_t chosen = first, own = SIZE_MAX;
	for (*end = first; *end < all->count && same_kind(&all->items[first], &all->items[*end]) &&
			   same_name(&all->items[first], &all->items[*end]);
	     (*end)++) {
		if (!same_version(&all->items[chosen], &all->items[*end]))
			chosen = *end;
		if (own == SIZE_MAX && same_version(server, &all->items[*end]))
			own = *end;
	}
	return own != SIZE_MAX ? own : chosen;
}

/* What lies here in several versions is said in the file, for one of them was chosen. */
static void note_versions(const struct package *chosen, json_t *notes)
{
	json_array_append_new(notes, json_sprintf("of package %s there are several versions here: taken is '%s'",
						  chosen->control.package, chosen->path));
}

static json_t *source_json(const struct packages *all, const struct package *server)
{
	json_t *packages = json_array(), *notes = json_array(), *json = json_object();
	size_t end;
	for (size_t i = 0; i < all->count; i = end) {
		size_t chosen = choose(all, server, i, &end);
		if (&all->items[i] <= server && server < &all->items[end])
			chosen = (size_t)(server - all->items);
		else if (!goes_with(server, &all->items[i]))
			continue;
		else if (end - i > 1)
			note_versions(&all->items[chosen], notes);
		json_array_append_new(packages, json_string(all->items[chosen].path));
	}
	if (json_array_size(notes))
		json_object_set(json, "//", notes);
	mm_json_put_integer(json, "bits", kinds[kind_of(&server->control)].bits);
	json_object_set_new(json, "packages", packages);
	json_decref(notes);
	return json;
}

/* "10.11.18-1" of "1:10.11.18-1". */
static const char *plain_version(const struct package *package)
{
	const char *colon = strchr(package->control.version, ':');
	return colon ? colon + 1 : package->control.version;
}

/* Are all servers one version of one package, for different architectures? */
static bool one_server(const struct packages *all)
{
	const struct package *last = NULL;
	bool one = true;
	for (size_t i = 0; i < all->count; i++) {
		const struct package *server = &all->items[i];
		if (!server->server)
			continue;
		one = one &&
		      (!last || (!same_kind(last, server) && same_name(last, server) && same_version(last, server)));
		last = server;
	}
	return one;
}

/* "packages-amd64" where the architecture says all, else "mariadb-10.11.18-1-amd64". Allocated. */
static char *source_name(const struct packages *all, const struct package *server)
{
	if (one_server(all))
		return mm_format("packages-%s", server->control.architecture);
	char *name = mm_format("%.*s-%.60s-%s", (int)strcspn(server->control.package, "-"), server->control.package,
			       plain_version(server), server->control.architecture);
	for (char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("._+-", *at))
			*at = '-';
	return name;
}

/* NAME, which is taken over, or where there is a source of that name (of another epoch, say) one with a number. */
static char *free_name(const json_t *sources, char *name)
{
	char *found = mm_strdup(name);
	for (unsigned n = 2; json_object_get(sources, found); n++) {
		free(found);
		found = mm_format("%s-%u", name, n);
	}
	free(name);
	return found;
}

static json_t *comparison(const struct package *a, const struct package *b)
{
	return json_pack("{s:s, s:s}", "baseline", a->source, "candidate", b->source);
}

/* The only two servers, which differ in architecture and version: that is no comparison to make without a word. */
static json_t *mixed_comparison(const struct package *a, const struct package *b)
{
	json_t *json = json_object();
	json_object_set_new(json, "//",
			    json_sprintf("%s %s against %s %s: the difference may be the version's; for that of the "
					 "architectures alone, bring both sides in one version",
					 a->control.package, plain_version(a), b->control.package, plain_version(b)));
	json_t *rest = comparison(a, b);
	json_object_update(json, rest);
	json_decref(rest);
	return json;
}

static void compare_servers(struct package *const *servers, size_t count, json_t *compare)
{
	for (size_t i = 0; i < count; i++) {
		bool version = false, architecture = false; /* each against the next one only */
		for (size_t j = i + 1; j < count; j++) {
			const struct package *a = servers[i], *b = servers[j];
			if (!version && same_kind(a, b) && same_name(a, b)) {
				version = true;
				json_array_append_new(compare, comparison(a, b));
			} else if (!architecture && !same_kind(a, b) && same_name(a, b) && same_version(a, b)) {
				architecture = true;
				json_array_append_new(compare, comparison(a, b));
			}
		}
	}
	if (count == 2 && !json_array_size(compare))
		json_array_append_new(compare, same_kind(servers[0], servers[1])
						       ? comparison(servers[0], servers[1])
						       : mixed_comparison(servers[0], servers[1]));
}

void mm_init_packages(const struct mm_strings *files, struct mm_init_sources *to)
{
	struct packages all = { 0 };
	read_all(files, &all);
	drop_twins(&all);
	struct package **servers = mm_calloc(all.count + 1, sizeof *servers);
	size_t count = 0;
	for (size_t i = 0; i < all.count; i++) {
		struct package *one = &all.items[i];
		if (!one->server)
			continue;
		one->source = free_name(to->sources, source_name(&all, one));
		json_object_set_new(to->sources, one->source, source_json(&all, one));
		json_array_append_new(to->ready, json_string(one->source));
		servers[count++] = one;
	}
	compare_servers(servers, count, to->compare);
	for (size_t i = 0; i < all.count; i++) {
		mm_control_release(&all.items[i].control);
		free(all.items[i].source);
	}
	free(servers);
	free(all.items);
}
