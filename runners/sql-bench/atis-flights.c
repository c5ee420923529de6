/*
 * ATIS: flights and fares. They are made up, around facts that decide what the queries find and how the server finds
 * it: how many flights and fares a route has, which airline flies which aircraft how often, how many neighbours in the
 * table share an airline or an aircraft, and how many flights agree in what the queries group by.
 */
#include "runners/sql-bench/atis.h"

#include "base/memory.h"

const char *const mm_sb_flying[9] = { "DL", "US", "AA", "UA", "EA", "CO", "ML", "LH", "TW" };

const struct mm_sb_model mm_sb_models[MM_SB_MODELS] = {
	{ "72S", "JET", 3, 622, 2400 },
	{ "M80", "JET", 2, 579, 3060 },
	{ "D9S", "JET", 0, 0, 0 },
	{ "733", "JET", 2, 550, 2500 },
	{ "757", "JET", 2, 560, 2440 },
	{ "767", "JET", 2, 550, 4500 },
	{ "73S", "JET", 2, 577, 2300 },
	{ "D10", "JET", 3, 608, 6350 },
	{ "727", "JET", 3, 622, 3000 },
	{ "L10", "JET", 3, 615, 3450 },
	{ "734", "JET", 0, 0, 0 },
	{ "D8S", "JET", 4, 580, 7150 },
	{ "763", "JET", 0, 0, 0 },
	{ "SH3", "TURBOPROP", 2, 218, 1137 },
	{ "SWM", "TURBOPROP", 2, 294, 2139 },
	{ "DH8", "TURBOPROP", 2, 300, 691 },
	{ "SH6", "TURBOPROP", 2, 244, 1151 },
	{ "F28", "JET", 2, 523, 1055 },
	{ "L15", "JET", 3, 580, 5998 },
	{ "74M", "JET", 4, 600, 5500 },
	{ "100", "JET", 0, 0, 0 },
	{ "J31", "TURBOPROP", 2, 282, 1380 },
};

/* Flights from each airport to each, in the order of mm_sb_airports. */
static const unsigned char flights_of_route[MM_SB_AIRPORTS][MM_SB_AIRPORTS] = {
	{ 0, 19, 9, 10, 19, 1, 18, 15, 8 }, { 14, 0, 8, 6, 10, 0, 24, 10, 6 }, { 10, 8, 0, 4, 6, 0, 9, 9, 0 },
	{ 10, 7, 3, 0, 25, 4, 5, 3, 11 },   { 19, 8, 6, 25, 0, 4, 7, 6, 15 },  { 0, 1, 0, 4, 3, 0, 1, 0, 3 },
	{ 18, 24, 9, 5, 7, 1, 0, 9, 3 },    { 15, 9, 7, 4, 6, 0, 10, 0, 4 },   { 9, 8, 1, 11, 15, 4, 3, 4, 0 },
};

static const unsigned char fares_of_route[MM_SB_AIRPORTS][MM_SB_AIRPORTS] = {
	{ 0, 10, 8, 17, 15, 7, 14, 10, 8 }, { 10, 0, 3, 6, 6, 0, 14, 3, 14 }, { 8, 3, 0, 8, 6, 0, 3, 3, 0 },
	{ 16, 14, 9, 0, 12, 5, 10, 4, 7 },  { 14, 7, 6, 12, 0, 9, 8, 6, 12 }, { 0, 5, 0, 5, 5, 0, 4, 0, 3 },
	{ 13, 16, 3, 10, 8, 4, 0, 3, 12 },  { 10, 3, 3, 8, 9, 0, 3, 0, 5 },   { 16, 19, 5, 5, 12, 3, 12, 3, 0 },
};

/* Flights of each airline with each model. */
static const unsigned char flights_of_pair[9][MM_SB_MODELS] = {
	{ 52, 22, 7, 0, 28, 12, 10, 0, 0, 13, 0, 0, 9, 0, 0, 0, 0, 0, 2, 0, 0, 0 },
	{ 18, 14, 25, 47, 0, 0, 13, 0, 0, 0, 14, 0, 0, 8, 0, 5, 4, 3, 0, 0, 2, 1 },
	{ 7, 53, 0, 0, 0, 14, 0, 10, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0 },
	{ 11, 0, 0, 10, 1, 2, 5, 7, 18, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ 13, 0, 37, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ 12, 10, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0 },
	{ 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
};

/*
 * Neighbours that differ, counted with the first flight, in the order of rows. By code, two flights of a route stand
 * the other way round, so that there is one more run of models.
 */
enum { AIRLINE_RUNS = 386, MODEL_RUNS = 476 };

/* Of the flights whose aircraft's range is known, so many agree with an earlier one of their route in range and
 * duration … */
enum { SAME_DURATION = 473 - 409 };
/* … and so many of these in their times. */
enum { SAME_TIMES = 579 - 557 };

/*
 * The first of a fixed sequence, and the step through the table for stops: chosen so that the last flight has a twin,
 * and that the flights with stops make 31 runs of models.
 */
enum { SEED = 3, STRIDE = 13 };

/* xorshift64: fixed start, the same flights always. */
static unsigned draw(uint64_t *state, unsigned below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (unsigned)(*state % below);
}

static void swap_aircraft(struct mm_sb_flight *a, struct mm_sb_flight *b)
{
	unsigned char airline = a->airline, model = a->model;

	a->airline = b->airline;
	a->model = b->model;
	b->airline = airline;
	b->model = model;
}

/* How far the numbers of runs are from what they shall be. */
static int distance(const struct mm_sb_flight *flights)
{
	int airlines = 1, models = 1;

	for (unsigned i = 1; i < MM_SB_FLIGHTS; i++) {
		airlines += flights[i].airline != flights[i - 1].airline;
		models += flights[i].model != flights[i - 1].model;
	}
	return abs(airlines - AIRLINE_RUNS) + abs(models - MODEL_RUNS);
}

static void assign_aircraft(struct mm_sb_flight *flights)
{
	uint64_t state = SEED;
	unsigned at = 0;
	int now;

	for (unsigned airline = 0; airline < 9; airline++)
		for (unsigned model = 0; model < MM_SB_MODELS; model++)
			for (unsigned n = 0; n < flights_of_pair[airline][model]; n++, at++) {
				flights[at].airline = (unsigned char)airline;
				flights[at].model = (unsigned char)model;
			}
	for (unsigned i = MM_SB_FLIGHTS - 1; i > 0; i--)
		swap_aircraft(&flights[i], &flights[draw(&state, i + 1)]);
	/* Swap as long as it brings the runs nearer. */
	now = distance(flights);
	while (now > 0) {
		struct mm_sb_flight *a = &flights[draw(&state, MM_SB_FLIGHTS)],
				    *b = &flights[draw(&state, MM_SB_FLIGHTS)];
		int then;

		swap_aircraft(a, b);
		then = distance(flights);
		if (then > now)
			swap_aircraft(a, b);
		else
			now = then;
	}
}

static bool same_route(const struct mm_sb_flight *a, const struct mm_sb_flight *b)
{
	return a->from == b->from && a->to == b->to;
}

static void assign_routes(struct mm_sb_flight *flights)
{
	unsigned at = 0;

	for (unsigned from = 0; from < MM_SB_AIRPORTS; from++)
		for (unsigned to = 0; to < MM_SB_AIRPORTS; to++)
			for (unsigned n = 0; n < flights_of_route[from][to]; n++, at++) {
				flights[at].from = (unsigned char)from;
				flights[at].to = (unsigned char)to;
				/* The queries look for codes from 112793 on: 279 of them. */
				flights[at].code = at < 300 ? 101908 + at * 36 : 112793 + (at - 300) * 90;
				flights[at].number = 1 + at * 37 % 5000;
			}
}

/* The earlier flight on the same route with an aircraft of the same range; NULL: none. */
static const struct mm_sb_flight *twin_in_range(const struct mm_sb_flight *flights, unsigned i)
{
	for (unsigned j = i; j-- > 0 && same_route(&flights[j], &flights[i]);)
		if (mm_sb_models[flights[j].model].range == mm_sb_models[flights[i].model].range)
			return &flights[j];
	return NULL;
}

/*
 * Marks the flights that shall have the duration of their twin: the first ones that have a twin, and the last flight of
 * all, since what is done last decides what a table of groups looks like in the end.
 */
static void find_twins(const struct mm_sb_flight *flights, const struct mm_sb_flight *twins[MM_SB_FLIGHTS])
{
	unsigned found = 1;

	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++) {
		bool wanted = mm_sb_models[flights[i].model].range && (found < SAME_DURATION || i == MM_SB_FLIGHTS - 1);

		twins[i] = wanted ? twin_in_range(flights, i) : NULL;
		found += twins[i] != NULL;
	}
}

/*
 * Times. Every departure is a minute of its own except those shared with a twin. The zones' differences come out as 21
 * values: 14 pairs of zones; five of them again, where a flight arrives after midnight; two of them again, where a time
 * of arrival is wrong by half a day.
 */
static void assign_times(struct mm_sb_flight *flights)
{
	const struct mm_sb_flight *twins[MM_SB_FLIGHTS];
	bool crossed[4][4] = { { false } };
	unsigned times = 0, in_route = 0;

	find_twins(flights, twins);
	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++) {
		struct mm_sb_flight *flight = &flights[i];
		int west = -mm_sb_airports[flight->from].hours, west_there = -mm_sb_airports[flight->to].hours;
		unsigned apart = (unsigned)abs(flight->from - flight->to);
		bool late, wrong;

		in_route = i > 0 && same_route(flight, flight - 1) ? in_route + 1 : 0;
		flight->elapsed = twins[i] ? twins[i]->elapsed : 60 + 18 * apart + in_route;
		flight->departure = 360 + i * 7 % 660;
		if (twins[i] && times < SAME_TIMES) {
			flight->departure = twins[i]->departure;
			flight->arrival = twins[i]->arrival;
			times++;
			continue;
		}
		late = west_there == 0 || (west == 0 && west_there == 1);
		wrong = west == 1 && west_there > 1;
		if ((late || wrong) && !crossed[west][west_there] && !twins[i]) {
			crossed[west][west_there] = true;
			if (late)
				flight->departure = 1380 + i % 50;
		} else {
			wrong = false;
		}
		flight->arrival = (flight->departure + flight->elapsed + 60 * (unsigned)(west + 24 - west_there) +
				   (wrong ? 720 : 0)) %
				  1440;
	}
}

/* Group key of the query on jets: do two flights agree in it? */
static bool same_jet(const struct mm_sb_flight *a, const struct mm_sb_flight *b)
{
	const struct mm_sb_model *one = &mm_sb_models[a->model], *other = &mm_sb_models[b->model];

	return same_route(a, b) && one->engines == other->engines && one->speed == other->speed;
}

/*
 * 34 flights with stops: 29 jets that differ, 3 that agree with one of them (2 of these in their number too), and 2
 * whose aircraft is not known well. Taken from all over the table.
 */
static void assign_stops(struct mm_sb_flight *flights)
{
	unsigned different = 0, alike = 0, unknown = 0;

	for (unsigned n = 0; n < MM_SB_FLIGHTS; n++) {
		struct mm_sb_flight *flight = &flights[n * STRIDE % MM_SB_FLIGHTS], *twin = NULL;
		const struct mm_sb_model *model = &mm_sb_models[flight->model];

		if (model->engines == 0) {
			flight->stops = unknown++ < 2;
			continue;
		}
		if (strcmp(model->category, "JET") != 0)
			continue;
		for (unsigned i = 0; i < MM_SB_FLIGHTS; i++)
			if (flights[i].stops && same_jet(&flights[i], flight))
				twin = &flights[i];
		if (!twin) {
			flight->stops = different++ < 29;
		} else if (alike < 3 && twin->model == flight->model) {
			flight->stops = 1;
			if (alike++ < 2)
				flight->number = twin->number;
		}
	}
	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++)
		if (flights[i].stops) {
			flights[i].stops = 2;
			break;
		}
}

static int model_runs_around(const struct mm_sb_flight *flights, unsigned i)
{
	int runs = 0;

	for (unsigned at = i; at < i + 3; at++)
		runs += flights[at].model != flights[at - 1].model;
	return runs;
}

/* Swaps the codes of two neighbours such that by code there is one more run of models, and as many of airlines. */
static void swap_codes(struct mm_sb_flight *flights)
{
	for (unsigned i = 1; i + 2 < MM_SB_FLIGHTS; i++) {
		struct mm_sb_flight *one = &flights[i], *other = &flights[i + 1];
		int runs = model_runs_around(flights, i), more;
		unsigned code = one->code;

		if (!same_route(one, other) || one->airline != other->airline || one->stops || other->stops)
			continue;
		swap_aircraft(one, other);
		more = model_runs_around(flights, i) - runs;
		swap_aircraft(one, other);
		if (more != 1)
			continue;
		one->code = other->code;
		other->code = code;
		return;
	}
}

struct mm_sb_flight *mm_sb_make_flights(void)
{
	struct mm_sb_flight *flights = mm_calloc(MM_SB_FLIGHTS, sizeof *flights);

	assign_routes(flights);
	assign_aircraft(flights);
	assign_times(flights);
	assign_stops(flights);
	swap_codes(flights);
	return flights;
}

static unsigned clock_of(unsigned minutes)
{
	return minutes / 60 * 100 + minutes % 60;
}

void mm_sb_flight_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights)
{
	static const char *const days[] = { "1234567", "12345-7", "12345--", "-----6-", "123456-" };
	static const char *const classes[] = { "FNYNBNMQ", "FYHQK", "FYBMQ", "YBMHQ", "FYMBQK" };
	static const char *const meals[] = { "B", "S", "L", "D", "S/", "B/S", "" };

	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++) {
		const struct mm_sb_flight *f = &flights[i];

		mm_sb_row(rows, "%u,'%s','%s','%s',%u,%u,'%s',%u,'%s','%s','%s',%u,'%s',%u", f->code,
			  days[i % 7 < 3 ? 0 : i % 5], mm_sb_airports[f->from].code, mm_sb_airports[f->to].code,
			  clock_of(f->departure), clock_of(f->arrival), mm_sb_flying[f->airline], f->number,
			  classes[f->airline % 5], mm_sb_models[f->model].code, meals[i * 3 % 7], f->stops,
			  f->airline == 7 ? "Y" : "N", f->elapsed);
	}
}

static const char *const fare_classes[] = { "Y",  "F", "B", "QW", "QX", "YN", "FN", "M",  "Q", "KW",
					    "KX", "K", "H", "KO", "MW", "MX", "C",  "BW", "BX" };

/* Five of 14 classes, by the flight's number: flights that share a number share them. */
void mm_sb_flight_class_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights)
{
	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++)
		for (unsigned k = 0; k < 5; k++)
			mm_sb_row(rows, "%u,'%s'", flights[i].code, fare_classes[(flights[i].number + 3 * k) % 14]);
}

void mm_sb_stop_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights)
{
	for (unsigned i = 0; i < MM_SB_FLIGHTS; i++)
		/* The one with two stops has a third leg. */
		for (unsigned leg = 1; flights[i].stops && leg <= flights[i].stops + 1U; leg++)
			mm_sb_row(rows, "%u,%u,%u", flights[i].code, leg, flights[i].code + 800 + leg);
}

/* Restrictions of fares, and how many fares have each. The others have none. */
static const struct {
	const char *code;
	unsigned fares;
} restricted[] = {
	{ "VU/1", 118 }, { "AP/57", 52 }, { "AP/80", 50 }, { "AP/68", 6 },
	{ "AP/55", 5 },  { "AP/75", 2 },  { "AP/27", 2 },  { "AP/44", 2 },
};

enum { RESTRICTED = sizeof restricted / sizeof *restricted };

static const char *restriction_of(unsigned fare)
{
	/* A fixed permutation of the fares spreads them. */
	unsigned place = fare * 203 % MM_SB_FARES;

	for (unsigned r = 0; r < RESTRICTED; r++) {
		if (place < restricted[r].fares)
			return restricted[r].code;
		place -= restricted[r].fares;
	}
	return "";
}

void mm_sb_fare_rows(struct mm_sb_rows *rows)
{
	unsigned fare = 0;

	for (unsigned from = 0; from < MM_SB_AIRPORTS; from++)
		for (unsigned to = 0; to < MM_SB_AIRPORTS; to++)
			for (unsigned n = 0; n < fares_of_route[from][to]; n++, fare++) {
				/* From San Francisco to Dallas ten of twelve cost between 280 and 825, in six runs of a
				 * class. */
				double cost = n == 10 ? 0 : n == 11 ? 900 + from : 300 + 40.0 * n + from + to;

				mm_sb_row(rows, "'%u','%s','%s','%s','%s','%s',%.2f,%.2f", 7100001 + fare,
					  mm_sb_airports[from].code, mm_sb_airports[to].code,
					  fare_classes[((n + n / 9) / 2 * 5 + from) % 19],
					  fare % 4 ? "" : mm_sb_flying[fare % 6], restriction_of(fare), cost,
					  n == 10 ? 338.0 : cost * 2);
			}
}

/*
 * 2,998 pairs of a fare and a flight of its route, by fare: most flights have five fares, some seven or fewer where
 * the route has no more.
 */
void mm_sb_flight_fare_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights)
{
	enum { PAIRS = 2998 };
	unsigned char fares[MM_SB_FLIGHTS];
	unsigned pairs = 0, fare = 0, first = 0;

	for (unsigned most = 1; pairs < PAIRS; most++)
		for (unsigned i = 0; i < MM_SB_FLIGHTS && pairs < PAIRS; i++)
			if (most <= fares_of_route[flights[i].from][flights[i].to]) {
				fares[i] = (unsigned char)most;
				pairs++;
			}
	for (unsigned from = 0; from < MM_SB_AIRPORTS; from++)
		for (unsigned to = 0; to < MM_SB_AIRPORTS; to++) {
			unsigned of_route = fares_of_route[from][to], count = flights_of_route[from][to];

			for (unsigned n = 0; n < of_route; n++, fare++)
				for (unsigned i = 0; i < count; i++)
					if ((n + of_route * 32 - i) % of_route < fares[first + i])
						mm_sb_row(rows, "%u,'%u'", flights[first + i].code, 7100001 + fare);
			first += count;
		}
}

/* Carriers that share each restriction; those of fares by name, the others in what is left of the table's 65. */
static const struct {
	const char *code;
	unsigned carriers, unknown; /* of these so many are in no table of airlines */
} carriers_of[] = {
	{ "VU/1", 20, 0 },  { "AP/57", 29, 0 }, { "AP/80", 27, 1 }, { "AP/68", 34, 0 },
	{ "AP/55", 36, 2 }, { "AP/75", 30, 0 }, { "AP/27", 12, 0 }, { "AP/44", 34, 1 },
};

static const unsigned char other_carriers[] = {
	25, 23, 21, 16, 15, 14, 12, 12, 12, 12, 11, 11, 10, 10, 10, 10, 9, 9, 8, 7, 7, 7, 7, 6, 6, 6, 5, 5, 5,
	5,  5,  5,  5,  5,  5,  4,  4,  4,  4,  3,  3,  3,  2,  2,  2,  2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1,
};

enum { NAMED = sizeof carriers_of / sizeof *carriers_of, OTHERS = sizeof other_carriers };

static void restriction_code(unsigned i, char text[6])
{
	if (i < NAMED)
		snprintf(text, 6, "%s", carriers_of[i].code);
	else
		snprintf(text, 6, "EX/%u", (i - NAMED + 1) % 100); /* OTHERS is below 100: says so to the compiler */
}

void mm_sb_restrict_carrier_rows(struct mm_sb_rows *rows)
{
	unsigned unknown = 0;

	for (unsigned r = 0; r < NAMED + OTHERS; r++) {
		unsigned count = r < NAMED ? carriers_of[r].carriers : other_carriers[r - NAMED];
		/* Nine are unknown: four of restrictions that fares have, five of others. */
		unsigned without = r < NAMED ? carriers_of[r].unknown : r - NAMED < 5;
		char code[6], airline[3];

		restriction_code(r, code);
		for (unsigned i = 0; i < count - without; i++)
			mm_sb_row(rows, "'%s','%s'", code, mm_sb_airline_code(i * 3 + r % 3, airline));
		for (unsigned i = 0; i < without; i++, unknown++)
			mm_sb_row(rows, "'%s','Z%c'", code, 'A' + (int)unknown);
	}
}

void mm_sb_restriction_rows(struct mm_sb_rows *rows)
{
	for (unsigned r = 0; r < NAMED + OTHERS; r++) {
		char code[6];

		restriction_code(r, code);
		mm_sb_row(rows,
			  "'%s','JOURNEYS OF KIND %u BETWEEN ANY TWO OF THE POINTS','NO FURTHER REDUCTION OF KIND "
			  "%u',%u,'%s',%u,%u",
			  code, r % 48, r % 21, r * 7 % 31, r % 3 ? "Y" : "N", r % 4, r * 3 % 31);
	}
}
