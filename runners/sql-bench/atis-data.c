/*
 * ATIS: the smaller tables. Places, days and months are as they are in the world; everything else is made up, with as
 * many rows, and rows of about the same size, as the table has upstream. Values that a query looks at are distributed
 * so that it finds as many rows.
 */
#include "runners/sql-bench/atis.h"

#include <stdarg.h>

const struct mm_sb_airport mm_sb_airports[MM_SB_AIRPORTS] = {
	{ "ATL", "HARTSFIELD", "ATLANTA", "GA", 0, "EST" },
	{ "BOS", "LOGAN INTERNATIONAL", "BOSTON", "MA", 0, "EST" },
	{ "BWI", "BALTIMORE WASHINGTON INTERNATIONAL", "BALTIMORE", "MD", 0, "EST" },
	{ "DEN", "STAPLETON INTERNATIONAL", "DENVER", "CO", -2, "MST" },
	{ "DFW", "DALLAS FORT WORTH INTERNATIONAL", "DALLAS", "TX", -1, "CST" },
	{ "OAK", "OAKLAND INTERNATIONAL", "OAKLAND", "CA", -3, "PST" },
	{ "PHL", "PHILADELPHIA INTERNATIONAL", "PHILADELPHIA", "PA", 0, "EST" },
	{ "PIT", "PITTSBURGH INTERNATIONAL", "PITTSBURGH", "PA", 0, "EST" },
	{ "SFO", "SAN FRANCISCO INTERNATIONAL", "SAN FRANCISCO", "CA", -3, "PST" },
};

/* Cities and the airports that serve them. */
static const struct {
	const char *code, *name, *state, *zone;
	const char *airports[2];
	const char *directions[2];
} cities[] = {
	{ "MATL", "ATLANTA", "GA", "EST", { "ATL" }, { "S" } },
	{ "BBOS", "BOSTON", "MA", "EST", { "BOS" }, { "NE" } },
	{ "DDFW", "DALLAS", "TX", "CST", { "DFW" }, { "NW" } },
	{ "FDFW", "FORT WORTH", "TX", "CST", { "DFW" }, { "E" } },
	{ "DDEN", "DENVER", "CO", "MST", { "DEN" }, { "NE" } },
	{ "PPHL", "PHILADELPHIA", "PA", "EST", { "PHL" }, { "SW" } },
	{ "PPIT", "PITTSBURGH", "PA", "EST", { "PIT" }, { "W" } },
	{ "SSFO", "SAN FRANCISCO", "CA", "PST", { "SFO", "OAK" }, { "SE", "SE" } },
	{ "OOAK", "OAKLAND", "CA", "PST", { "OAK", "SFO" }, { "SE", "SW" } },
	{ "WWAS", "WASHINGTON", "DC", "EST", { "BWI" }, { "NE" } },
	{ "BBWI", "BALTIMORE", "MD", "EST", { "BWI" }, { "S" } },
};

enum { CITIES = sizeof cities / sizeof *cities };

/* States of the USA, the District of Columbia, and the provinces of Canada: "GA" and "GEORGIA". */
static const char *const states[] = {
	"AKALASKA",
	"ALALABAMA",
	"ARARKANSAS",
	"AZARIZONA",
	"CACALIFORNIA",
	"COCOLORADO",
	"CTCONNECTICUT",
	"DCDISTRICT OF COLUMBIA",
	"DEDELAWARE",
	"FLFLORIDA",
	"GAGEORGIA",
	"HIHAWAII",
	"IAIOWA",
	"IDIDAHO",
	"ILILLINOIS",
	"ININDIANA",
	"KSKANSAS",
	"KYKENTUCKY",
	"LALOUISIANA",
	"MAMASSACHUSETTS",
	"MDMARYLAND",
	"MEMAINE",
	"MIMICHIGAN",
	"MNMINNESOTA",
	"MOMISSOURI",
	"MSMISSISSIPPI",
	"MTMONTANA",
	"NCNORTH CAROLINA",
	"NDNORTH DAKOTA",
	"NENEBRASKA",
	"NHNEW HAMPSHIRE",
	"NJNEW JERSEY",
	"NMNEW MEXICO",
	"NVNEVADA",
	"NYNEW YORK",
	"OHOHIO",
	"OKOKLAHOMA",
	"OROREGON",
	"PAPENNSYLVANIA",
	"RIRHODE ISLAND",
	"SCSOUTH CAROLINA",
	"SDSOUTH DAKOTA",
	"TNTENNESSEE",
	"TXTEXAS",
	"UTUTAH",
	"VAVIRGINIA",
	"VTVERMONT",
	"WAWASHINGTON",
	"WIWISCONSIN",
	"WVWEST VIRGINIA",
	"WYWYOMING",
	"ABALBERTA",
	"BCBRITISH COLUMBIA",
	"MBMANITOBA",
	"NBNEW BRUNSWICK",
	"NFNEWFOUNDLAND",
	"NSNOVA SCOTIA",
	"NTNORTHWEST TERRITORIES",
	"ONONTARIO",
	"PEPRINCE EDWARD ISLAND",
	"PQQUEBEC",
	"SKSASKATCHEWAN",
	"YTYUKON",
};

enum { STATES = sizeof states / sizeof *states, IN_USA = 51 };

static const char *const days[] = { "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY" };
static const char *const months[] = { "JANUARY", "FEBRUARY", "MARCH",     "APRIL",   "MAY",      "JUNE",
				      "JULY",    "AUGUST",   "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER" };

void mm_sb_row(struct mm_sb_rows *rows, const char *format, ...)
{
	char values[512];
	va_list arguments;

	rows->count++;
	if (rows->session->dry)
		return;
	va_start(arguments, format);
	vsnprintf(values, sizeof values, format, arguments);
	va_end(arguments);
	mm_sb_query(rows->session, "insert into %s values (%s)", rows->table, values);
}

const char *mm_sb_airline_code(unsigned i, char text[3])
{
	unsigned rest = i - 9;

	if (i < 9)
		return mm_sb_flying[i];
	/* "A0", "A1" … "Z9", then "0A" … */
	if (rest < 260)
		snprintf(text, 3, "%c%c", 'A' + (int)(rest / 10), '0' + (int)(rest % 10));
	else
		snprintf(text, 3, "%c%c", '0' + (int)((rest - 260) / 26), 'A' + (int)((rest - 260) % 26));
	return text;
}

/* Types of aircraft besides those that fly here: how many of each category have how many engines. */
static const struct {
	const char *category;
	unsigned char engines, count;
} kinds[] = {
	{ "TURBOPROP", 2, 27 }, { "PROPELLER", 2, 16 }, { "JET", 2, 9 },        { "JET", 4, 11 },
	{ "JET", 0, 8 },        { "JET", 3, 5 },        { "TURBOPROP", 4, 7 },  { "PROPELLER", 1, 5 },
	{ "TURBOPROP", 1, 5 },  { "HELICOPTER", 2, 4 }, { "HELICOPTER", 1, 3 }, { "PROPELLER", 4, 3 },
	{ "AMPHIBIAN", 2, 3 },  { "TURBOPROP", 0, 2 },  { "", 0, 2 },           { "PROPELLER", 0, 2 },
	{ "PROPELLER", 3, 1 },
};

static void aircraft_row(struct mm_sb_rows *rows, const char *code, unsigned engines, const char *category,
			 unsigned speed, unsigned range)
{
	unsigned i = rows->count;
	/* 50 carry more than 10,000 and 44 less, of 41 it is not known. */
	unsigned load = i % 135 < 50 ? 10001 + i * 397 : i % 135 < 94 ? 500 + i * 83 : 0;

	mm_sb_row(rows, "'%s','AIRCRAFT TYPE %u OF THE %s KIND',%u,'%s','%s',%.2f,%.2f,%u,%u,%u,%u,%u,'%s'", code,
		  i + 1, category, engines, category, i % 9 == 0 ? "YES" : "NO", 30 + i * 1.25, 25 + i * 1.5,
		  8000 + i * 1900, 8 + i * 3, load, speed, range, i % 3 ? "YES" : "NO");
}

static void aircraft(struct mm_sb_rows *rows)
{
	unsigned other = 0;

	for (unsigned m = 0; m < MM_SB_MODELS; m++)
		aircraft_row(rows, mm_sb_models[m].code, mm_sb_models[m].engines, mm_sb_models[m].category,
			     mm_sb_models[m].speed, mm_sb_models[m].range);
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (unsigned n = 0; n < kinds[k].count; n++, other++) {
			char code[4];

			snprintf(code, sizeof code, "X%c%c", 'A' + (int)(other / 26), 'A' + (int)(other % 26));
			/* Of 24 of them no range is known. */
			aircraft_row(rows, code, kinds[k].engines, kinds[k].category, 120 + other * 4,
				     other % 5 == 4 || other == 0 || other == 111 ? 0 : 300 + other * 31);
		}
}

static void airline(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < MM_SB_AIRLINES; i++) {
		char code[3];

		mm_sb_row(rows, "'%s','AIR SERVICE NUMBER %u','%s'", mm_sb_airline_code(i, code), i + 1,
			  i % 8 == 7 ? "SCHEDULED SERVICE" : "");
	}
}

static void airport(struct mm_sb_rows *rows)
{
	for (unsigned a = 0; a < MM_SB_AIRPORTS; a++)
		mm_sb_row(rows, "'%s','%s','%s,%s','%s','USA','%s'", mm_sb_airports[a].code, mm_sb_airports[a].name,
			  mm_sb_airports[a].city, mm_sb_airports[a].state, mm_sb_airports[a].state,
			  mm_sb_airports[a].zone);
}

static void airport_service(struct mm_sb_rows *rows)
{
	for (unsigned c = 0; c < CITIES; c++)
		for (unsigned a = 0; a < 2 && cities[c].airports[a]; a++)
			mm_sb_row(rows, "'%s','%s',%.1f,'%s',%u", cities[c].code, cities[c].airports[a],
				  3 + c * 2.5 + a, cities[c].directions[a], 15 + c * 5 + a * 10);
	mm_sb_row(rows, "'','',0.0,'',0");
}

static void ground_service(struct mm_sb_rows *rows)
{
	/* Limousines cost something everywhere, rental cars and air taxis are not known. */
	static const char *const transports[CITIES][2] = { { "LRA" },       { "LRA" }, { "RL" },  { "LR" },
							   { "LRA" },       { "LRA" }, { "LRA" }, { "LRA", "L" },
							   { "LR", "LRA" }, { "L" },   { "LRA" } };

	for (unsigned c = 0; c < CITIES; c++)
		for (unsigned a = 0; a < 2 && cities[c].airports[a]; a++)
			for (const char *t = transports[c][a]; t && *t; t++)
				mm_sb_row(rows, "'%s','%s','%c',%.2f", cities[c].code, cities[c].airports[a], *t,
					  *t == 'L' ? 3.5 + c * 0.75 : 0);
	mm_sb_row(rows, "'','','',0.00");
}

static void city(struct mm_sb_rows *rows)
{
	for (unsigned c = 0; c < CITIES; c++)
		mm_sb_row(rows, "'%s','%s','%s','USA','%s'", cities[c].code, cities[c].name, cities[c].state,
			  cities[c].zone);
}

static void class_of_service(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 27; i++)
		mm_sb_row(rows, "'%c%s',%u,'SERVICE OF RANK %u IN THE CABIN'", 'A' + (int)(i % 26), i < 26 ? "" : "N",
			  i + 1, i + 1);
}

static void code_description(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 15; i++)
		mm_sb_row(rows, "'C%u','MEANING NUMBER %u OF A CODE IN THESE TABLES'", i, i);
}

static void compound_class(struct mm_sb_rows *rows)
{
	static const char bases[] = "YFBQMKHCADE";
	static const char *const suffixes[] = { "",  "H",  "J",  "L",  "N",  "O",  "W",
						"X", "HW", "HX", "LW", "LX", "OW", "OX" };
	static const char *const seasons[] = { "NONE", "HIGH", "MID", "LOW" };

	for (unsigned i = 0; i < 149; i++) {
		char base = bases[i / 14];
		const char *suffix = suffixes[i % 14];

		mm_sb_row(rows, "'%c%s','%c','%s','NO','%s','%s','%s','%s','1234567'", base, suffix, base,
			  i % 3 ? "COACH" : "FIRST", i % 3 ? "YES" : "NO", i % 2 ? "YES" : "NO",
			  suffix[0] == 'N' ? "YES" : "NO", seasons[i % 4]);
	}
}

static void connect_leg(struct mm_sb_rows *rows)
{
	/* 23 of 164 connections have three legs. */
	for (unsigned i = 0; i < 164; i++)
		for (unsigned leg = 1; leg <= (i % 7 == 0 && i < 161 ? 3U : 2U); leg++)
			mm_sb_row(rows, "%u,%u,%u", 305276 + i, leg, 101908 + i * 36 + leg * 7);
}

static void connections(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 164; i++)
		mm_sb_row(rows, "%u,'%s','%s',%u,%u,'1234567',0,1,%u", 305276 + i, mm_sb_airports[i / 19].code,
			  mm_sb_airports[(i / 19 + 1 + i % 8) % 9].code, 600 + i * 7 % 12 * 100, 900 + i * 5 % 12 * 100,
			  180 + i);
}

static void dual_carrier(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 114; i++) {
		char one[3], other[3];

		mm_sb_row(rows, "'%s','%s',%u,%u,'AIR SERVICE NUMBER %u'", mm_sb_airline_code(i / 5, one),
			  mm_sb_airline_code(9 + i % 64, other), 1000 + i * 60, 1059 + i * 60, i / 5 + 1);
	}
}

/* Every set of days, but the empty one: a row for each day in it. */
static void flight_day(struct mm_sb_rows *rows)
{
	for (unsigned set = 127; set > 0; set--) {
		char mask[8] = "-------";

		for (unsigned day = 0; day < 7; day++)
			if (set & (64U >> day))
				mask[day] = (char)('1' + day);
		for (unsigned day = 0; day < 7; day++)
			if (set & (64U >> day))
				mm_sb_row(rows, "'%s',%u,'%s'", mask, day + 1, days[day]);
	}
}

static void food_service(struct mm_sb_rows *rows)
{
	static const char *const meals[] = { "BREAKFAST", "LUNCH", "DINNER", "SNACK" };

	for (unsigned i = 0; i < 121; i++)
		mm_sb_row(rows, "'M%u',%u,'%s','%s'", i / 4, i % 4 / 2 + 1, i % 2 ? "COACH" : "FIRST", meals[i % 4]);
}

static void time_interval(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 12; i++)
		mm_sb_row(rows, "'hours %u',%u,%u", i + 1, i * 200, i * 200 + 200);
}

static void month_name(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 12; i++)
		mm_sb_row(rows, "%u,'%s'", i + 1, months[i]);
}

static void day_name(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 7; i++)
		mm_sb_row(rows, "%u,'%s'", i + 1, days[i]);
}

static void restrict_class(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < 4; i++)
		mm_sb_row(rows, "'AP/57','B%uNR'", i);
}

static void state(struct mm_sb_rows *rows)
{
	for (unsigned i = 0; i < STATES; i++)
		mm_sb_row(rows, "'%.2s','%s','%s'", states[i], states[i] + 2, i < IN_USA ? "USA" : "CANADA");
}

static void time_zone(struct mm_sb_rows *rows)
{
	static const char *const zones[] = { "HST", "AST", "YST", "PST", "MST", "CST", "EST", "NST", "GMT" };

	for (unsigned i = 0; i < sizeof zones / sizeof *zones; i++)
		mm_sb_row(rows, "'%s','STANDARD TIME OF ZONE %u'", zones[i], i + 1);
}

static void transport(struct mm_sb_rows *rows)
{
	mm_sb_row(rows, "'L','LIMOUSINE'");
	mm_sb_row(rows, "'T','TAXI'");
	mm_sb_row(rows, "'R','RENTAL CAR'");
	mm_sb_row(rows, "'A','AIR TAXI'");
}

void mm_sb_atis_rows(struct mm_sb_rows *rows)
{
	static const struct {
		const char *table;
		void (*make)(struct mm_sb_rows *rows);
	} makers[] = {
		{ "aircraft", aircraft },
		{ "airline", airline },
		{ "airport", airport },
		{ "airport_service", airport_service },
		{ "city", city },
		{ "class_of_service", class_of_service },
		{ "code_description", code_description },
		{ "compound_class", compound_class },
		{ "connect_leg", connect_leg },
		{ "fconnection", connections },
		{ "day_name", day_name },
		{ "dual_carrier", dual_carrier },
		{ "fare", mm_sb_fare_rows },
		{ "flight_day", flight_day },
		{ "food_service", food_service },
		{ "ground_service", ground_service },
		{ "time_interval", time_interval },
		{ "month_name", month_name },
		{ "restrict_carrier", mm_sb_restrict_carrier_rows },
		{ "restrict_class", restrict_class },
		{ "restriction", mm_sb_restriction_rows },
		{ "state", state },
		{ "time_zone", time_zone },
		{ "transport", transport },
	};

	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (strcmp(rows->table, makers[i].table) == 0)
			makers[i].make(rows);
}
