/* The parts of the test ATIS: rows are made in atis-data.c and atis-flights.c. */
#ifndef MM_RUNNERS_SQL_BENCH_ATIS_H
#define MM_RUNNERS_SQL_BENCH_ATIS_H

#include "runners/sql-bench/session.h"

enum { MM_SB_AIRPORTS = 9, MM_SB_FLIGHTS = 579, MM_SB_FARES = 534, MM_SB_AIRLINES = 314, MM_SB_MODELS = 22 };

/* Sends "insert into TABLE values (…)" and counts it. */
struct mm_sb_rows {
	struct mm_sb_session *session;
	const char *table;
	unsigned count;
};
void mm_sb_row(struct mm_sb_rows *rows, const char *format, ...) MM_PRINTF(2, 3);

struct mm_sb_airport {
	const char *code, *name, *city, *state;
	int hours; /* from Eastern time */
	const char *zone;
};
extern const struct mm_sb_airport mm_sb_airports[MM_SB_AIRPORTS];

/* Types of aircraft that fly, as opposed to those that only stand in the table. */
struct mm_sb_model {
	const char *code, *category;
	unsigned engines, speed, range;
};
extern const struct mm_sb_model mm_sb_models[MM_SB_MODELS];

/* Those whose flights are in the tables; the other codes are made up by mm_sb_airline_code. */
extern const char *const mm_sb_flying[9];
/* Code number I (below MM_SB_AIRLINES); TEXT holds it when it is made up. */
const char *mm_sb_airline_code(unsigned i, char text[3]);

struct mm_sb_flight {
	unsigned code, number;
	unsigned char from, to, airline, model, stops;
	unsigned departure, arrival; /* minutes of the day */
	unsigned elapsed;
};
/* All flights, by route. Allocated. */
struct mm_sb_flight *mm_sb_make_flights(void);

/* Rows of one table each; FLIGHTS is what mm_sb_make_flights made. */
void mm_sb_flight_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights);
void mm_sb_flight_class_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights);
void mm_sb_stop_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights);
void mm_sb_fare_rows(struct mm_sb_rows *rows);
void mm_sb_flight_fare_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights);
void mm_sb_restrict_carrier_rows(struct mm_sb_rows *rows);
void mm_sb_restriction_rows(struct mm_sb_rows *rows);
/* All other tables, by name. */
void mm_sb_atis_rows(struct mm_sb_rows *rows);

#endif
