/*
 * ATIS: the tables of an information system for air travel; selects with joins and groups on them.
 *
 * Upstream's rows are not part of this source. Unless the suite names a folder of upstream's that has them, rows of
 * our own are inserted, as many in each table, in which every query finds as many (atis-data.c, atis-flights.c).
 */
#include "runners/sql-bench/atis.h"

#include "base/memory.h"

/* Every column is NOT NULL; a word after the columns is a key of its own besides the primary one. */
static const struct {
	const char *name, *columns, *primary, *keys;
} tables[] = {
	{ "aircraft",
	  "aircraft_code char(3),aircraft_type char(64),engines tinyint(1),category char(10),wide_body char(3),"
	  "wing_span float(6;2),length1 float(6;2),weight integer(7),capacity smallint(3),pay_load integer(7),"
	  "cruising_speed mediumint(5),range_miles mediumint(5),pressurized char(3)",
	  "aircraft_code", "" },
	{ "airline", "airline_code char(2),airline_name char(64),notes char(38)", "airline_code", "" },
	{ "airport",
	  "airport_code char(3),airport_name char(40),location char(36),state_code char(2),country_name char(25),"
	  "time_zone_code char(3)",
	  "airport_code", "" },
	{ "airport_service",
	  "city_code char(4),airport_code char(3),miles_distant float(4;1),direction char(3),minutes_distant "
	  "smallint(3)",
	  "city_code, airport_code", "" },
	{ "city",
	  "city_code char(4),city_name char(25),state_code char(2),country_name char(25),time_zone_code char(3)",
	  "city_code", "" },
	/* "rank" has become a reserved word. */
	{ "class_of_service", "class_code char(2),`rank` tinyint(2),class_description char(80)", "class_code", "" },
	{ "code_description", "code char(5),description char(110)", "code", "" },
	{ "compound_class",
	  "fare_class char(3),base_class char(2),class_type char(10),premium char(3),economy char(3),discounted "
	  "char(3),"
	  "night char(3),season_fare char(4),class_days char(7)",
	  "fare_class", "" },
	{ "connect_leg", "connect_code integer(8),leg_number tinyint(1),flight_code integer(8)",
	  "connect_code, leg_number, flight_code", "" },
	{ "fconnection",
	  "connect_code integer(8),from_airport char(3),to_airport char(3),departure_time smallint(4),"
	  "arrival_time smallint(4),flight_days char(7),stops tinyint(1),connections tinyint(1),time_elapsed "
	  "smallint(4)",
	  "connect_code", ",INDEX from_airport1 (from_airport),INDEX to_airport1 (to_airport)" },
	{ "day_name", "day_code tinyint(1),day_name char(9)", "day_code", "" },
	{ "dual_carrier",
	  "main_airline char(2),dual_airline char(2),low_flight smallint(4),high_flight smallint(4),fconnection_name "
	  "char(64)",
	  "main_airline, dual_airline, low_flight", ",INDEX main_airline1 (main_airline)" },
	{ "fare",
	  "fare_code char(8),from_airport char(3),to_airport char(3),fare_class char(3),fare_airline char(2),"
	  "restrict_code char(5),one_way_cost float(7;2),rnd_trip_cost float(8;2)",
	  "fare_code", ",INDEX from_airport2 (from_airport),INDEX to_airport2 (to_airport)" },
	{ "flight",
	  "flight_code integer(8),flight_days char(7),from_airport char(3),to_airport char(3),departure_time "
	  "smallint(4),"
	  "arrival_time smallint(4),airline_code char(2),flight_number smallint(4),class_string char(8),"
	  "aircraft_code char(3),meal_code char(7),stops tinyint(1),dual_carrier char(1),time_elapsed smallint(4)",
	  "flight_code", ",INDEX from_airport3 (from_airport),INDEX to_airport3 (to_airport)" },
	{ "flight_class", "flight_code integer(8),fare_class char(3)", "flight_code, fare_class", "" },
	{ "flight_day", "day_mask char(7),day_code tinyint(1),day_name char(9)", "day_mask, day_code", "" },
	{ "flight_fare", "flight_code integer(8),fare_code char(8)", "flight_code, fare_code", "" },
	{ "food_service", "meal_code char(4),meal_number tinyint(1),meal_class char(10),meal_description char(10)",
	  "meal_code, meal_number, meal_class", "" },
	{ "ground_service", "city_code char(4),airport_code char(3),transport_code char(1),ground_fare float(6;2)",
	  "city_code, airport_code, transport_code", "" },
	{ "time_interval", "period char(20),begin_time smallint(4),end_time smallint(4)", "period, begin_time", "" },
	{ "month_name", "month_number tinyint(2),month_name char(9)", "month_number", "" },
	{ "restrict_carrier", "restrict_code char(5),airline_code char(2)", "restrict_code, airline_code", "" },
	{ "restrict_class", "restrict_code char(5),ex_fare_class char(12)", "restrict_code, ex_fare_class", "" },
	{ "restriction",
	  "restrict_code char(5),application char(80),no_discounts char(80),reserve_ticket smallint(3),stopovers "
	  "char(1),"
	  "return_min smallint(3),return_max smallint(3)",
	  "restrict_code", "" },
	{ "state", "state_code char(2),state_name char(25),country_name char(25)", "state_code", "" },
	{ "stop1", "flight_code integer(8),stop_number tinyint(1),stop_flight integer(8)", "flight_code, stop_number",
	  "" },
	{ "time_zone", "time_zone_code char(3),time_zone_name char(32)", "time_zone_code, time_zone_name", "" },
	{ "transport", "transport_code char(1),transport_desc char(32)", "transport_code", "" },
};

enum { TABLES = sizeof tables / sizeof *tables };

static void create_tables(struct mm_sb_session *session)
{
	mm_sb_begin(session, "create_table", MM_SB_WRITES);
	for (unsigned t = 0; t < TABLES; t++) {
		mm_sb_drop_if_there(session, tables[t].name);
		mm_sb_text(session, "create table %s (", tables[t].name);
		/* A comma ends a column; one within a type is written as a semicolon above. */
		for (const char *at = tables[t].columns; *at && !session->dry; at++)
			mm_sb_more(session, *at == ',' ? " NOT NULL%c" : "%c", *at == ';' ? ',' : *at);
		mm_sb_more(session, " NOT NULL,PRIMARY KEY (%s)%s)%s", tables[t].primary, tables[t].keys,
			   session->clause);
		mm_sb_send(session);
	}
	mm_sb_end(session, TABLES);
}

static void make_rows(struct mm_sb_rows *rows, const struct mm_sb_flight *flights)
{
	if (strcmp(rows->table, "flight") == 0)
		mm_sb_flight_rows(rows, flights);
	else if (strcmp(rows->table, "flight_class") == 0)
		mm_sb_flight_class_rows(rows, flights);
	else if (strcmp(rows->table, "flight_fare") == 0)
		mm_sb_flight_fare_rows(rows, flights);
	else if (strcmp(rows->table, "stop1") == 0)
		mm_sb_stop_rows(rows, flights);
	else
		mm_sb_atis_rows(rows);
}

static void fill(struct mm_sb_session *session)
{
	struct mm_sb_flight *flights = mm_sb_make_flights();
	unsigned inserted = 0;

	mm_sb_begin(session, "insert", MM_SB_WRITES);
	for (unsigned t = 0; t < TABLES; t++) {
		struct mm_sb_rows rows = { .session = session, .table = tables[t].name };

		if (session->spec->script) {
			char file[64];

			snprintf(file, sizeof file, "ATIS/%s.txt", rows.table);
			rows.count = mm_sb_insert_file(session, rows.table, file);
		} else {
			make_rows(&rows, flights);
		}
		inserted += rows.count;
	}
	mm_sb_end(session, inserted);
	free(flights);
}

/* Pieces that several queries share. */
#define FLOWN             "flight.aircraft_code=aircraft.aircraft_code"
#define BY_AIRLINE        "flight.airline_code=airline.airline_code"
#define MINUTES(time)     "FLOOR(" time "/100)*60+MOD(" time ",100)"
#define ZONES             "from_airport.time_zone_code,to_airport.time_zone_code"
#define HOURS_APART       "(" MINUTES("arrival_time") "-FLOOR(departure_time/100)*60-MOD(departure_time,100)-time_elapsed)/60"
#define WHOLE_HOURS       "MOD(" HOURS_APART "+36,24)-12"
#define WHOLE_HOURS_LATER "MOD(CAST(" HOURS_APART "+36 AS SIGNED INTEGER),24)-12"
#define BETWEEN_ZONES                                                                                                  \
	" FROM flight,airport AS from_airport,airport AS to_airport WHERE "                                            \
	"flight.from_airport=from_airport.airport_code AND flight.to_airport=to_airport.airport_code"
#define SERVED                                                                                                         \
	"select airport.country_name,state.state_name,city.city_name,airport_service.direction "                       \
	"FROM airport_service,state,airport,city WHERE airport_service.city_code=city.city_code "                      \
	"AND airport_service.airport_code=airport.airport_code AND state.state_code=airport.state_code "               \
	"AND state.state_code=city.state_code AND airport.state_code=city.state_code "                                 \
	"AND airport.country_name=city.country_name AND airport.country_name=state.country_name "                      \
	"AND city.time_zone_code=airport.time_zone_code "                                                              \
	"GROUP BY airport.country_name,state.state_name,city.city_name,airport_service.direction ORDER BY state_name"

enum edition { BOTH, FIRST, LATER };

static const struct query {
	const char *operation; /* NULL: the last one's */
	const char *statement;
	unsigned rows;
	bool ordered; /* ORDER BY leaves no choice */
	enum edition edition;
} queries[] = {
	{ .operation = "select_simple_join",
	  .statement = "select city.city_name,state.state_name,city.city_code from city,state "
		       "where city.city_code='MATL' and city.state_code=state.state_code",
	  .rows = 1 },
	{ .statement = "select city.city_name,state.state_name,city.city_code from state,city where "
		       "city.state_code=state.state_code",
	  .rows = 11 },
	{ .statement = "select month_name.month_name,day_name.day_name from month_name,day_name "
		       "where month_name.month_number=day_name.day_code",
	  .rows = 7 },
	{ .statement = "select month_name.month_name,day_name.day_name from month_name,day_name "
		       "where month_name.month_number=day_name.day_code and day_name.day_code >= 4",
	  .rows = 4 },
	{ .statement = "select flight.flight_code,aircraft.aircraft_type from flight,aircraft where " FLOWN,
	  .rows = 579 },

	{ .operation = "select_join",
	  .statement = "select airline.airline_name,aircraft.aircraft_type from aircraft,airline,flight where " FLOWN
		       " and " BY_AIRLINE,
	  .rows = 579 },

	{ .operation = "select_key_prefix_join",
	  .statement = "select fare.fare_code from restrict_carrier,airline,fare "
		       "where restrict_carrier.airline_code=airline.airline_code and "
		       "fare.restrict_code=restrict_carrier.restrict_code",
	  .rows = 5692 },

	{ .operation = "select_distinct", .statement = "select distinct category from aircraft", .rows = 6 },
	{ .statement = "select distinct from_airport from flight", .rows = 9 },
	{ .statement = "select distinct aircraft_code from flight", .rows = 22 },
	{ .statement = "select distinct * from fare", .rows = 534 },
	{ .statement = "select distinct flight_code from flight_fare", .rows = 579 },
	{ .statement = "select distinct flight.flight_code,aircraft.aircraft_type from flight,aircraft where " FLOWN,
	  .rows = 579 },
	{ .statement = "select distinct airline.airline_name,aircraft.aircraft_type from aircraft,airline,flight "
		       "where " FLOWN " and " BY_AIRLINE,
	  .rows = 44 },
	{ .statement = "select distinct airline.airline_name,aircraft.aircraft_type from flight,aircraft,airline "
		       "where " FLOWN " and " BY_AIRLINE,
	  .rows = 44 },

	{ .operation = "select_group",
	  .statement = "select day_name.day_name,day_name.day_code,count(*) from flight_day,day_name "
		       "where day_name.day_code=flight_day.day_code group by day_name.day_name,day_name.day_code "
		       "order by day_name.day_code",
	  .rows = 7,
	  .ordered = true },
	{ .statement = "select day_name.day_name,count(*) from flight_day,day_name where "
		       "day_name.day_code=flight_day.day_code "
		       "group by day_name.day_name",
	  .rows = 7 },
	{ .statement = "select month_name,day_name from month_name,day_name where month_number=day_code and day_code>3 "
		       "group by month_name,day_name",
	  .rows = 4 },
	{ .statement = "select day_name.day_name,flight_day.day_code,count(*) from flight_day,day_name "
		       "where day_name.day_code=flight_day.day_code group by flight_day.day_code,day_name.day_name "
		       "order by flight_day.day_code",
	  .rows = 7,
	  .ordered = true },
	{ .statement = "select sum(engines) from aircraft", .rows = 1 },
	{ .statement = "select avg(engines) from aircraft", .rows = 1 },
	{ .statement = "select avg(engines) from aircraft where engines>0", .rows = 1 },
	{ .statement = "select count(*),min(pay_load),max(pay_load) from aircraft where pay_load>0", .rows = 1 },
	{ .statement = "select min(flight_code),min(flight_code) from flight", .rows = 1 },
	{ .statement = "select min(from_airport),min(to_airport) from flight", .rows = 1 },
	{ .statement = "select count(*) from aircraft where pay_load>10000", .rows = 1 },
	{ .statement = "select count(*) from aircraft where pay_load<>0", .rows = 1 },
	{ .statement = "select count(*) from flight where flight_code >= 112793", .rows = 1 },
	{ .statement = "select std(engines) from aircraft", .rows = 1 },
	{ .statement = "select from_airport,to_airport,avg(time_elapsed) FROM flight WHERE from_airport='ATL' AND "
		       "to_airport='BOS' "
		       "group by from_airport,to_airport",
	  .rows = 1 },
	{ .statement = "select city_code, avg(ground_fare) from ground_service where ground_fare<>0 group by city_code",
	  .rows = 11 },
	{ .statement =
		  "select count(*), ground_service.city_code from ground_service group by ground_service.city_code",
	  .rows = 12 },
	{ .statement = "select category,count(*) as totalnr from aircraft where engines=2 group by category having "
		       "totalnr>4",
	  .rows = 3 },
	{ .statement = "select category,count(*) from aircraft where engines=2 group by category having count(*)>4",
	  .rows = 3 },
	{ .statement = "select flight_number,range_miles,fare_class FROM aircraft,flight,flight_class "
		       "WHERE flight.flight_code=flight_class.flight_code AND " FLOWN
		       " AND range_miles<>0 AND (stops=1 OR stops=2) "
		       "GROUP BY flight_number,range_miles,fare_class",
	  .rows = 150 },
	{ .statement = "select distinct " ZONES "," HOURS_APART " AS time_zone_diff" BETWEEN_ZONES " GROUP BY " ZONES
		       ",arrival_time,departure_time,time_elapsed",
	  .rows = 21 },
	{ .statement = "select distinct " ZONES "," WHOLE_HOURS " AS time_zone_diff" BETWEEN_ZONES " and " WHOLE_HOURS
		       " < 10",
	  .rows = 14,
	  .edition = FIRST },
	{ .statement = "select distinct " ZONES "," WHOLE_HOURS_LATER " AS time_zone_diff" BETWEEN_ZONES
		       " and " WHOLE_HOURS_LATER " < 10",
	  .rows = 14,
	  .edition = LATER },
	{ .statement = "select from_airport,to_airport,range_miles,time_elapsed FROM aircraft,flight "
		       "WHERE aircraft.aircraft_code=flight.aircraft_code AND to_airport NOT LIKE from_airport AND "
		       "range_miles<>0 "
		       "AND time_elapsed<>0 GROUP BY from_airport,to_airport,range_miles,time_elapsed",
	  .rows = 409 },
	{ .statement = SERVED, .rows = 11 },
	{ .statement = SERVED " DESC", .rows = 11 },
	{ .statement = SERVED, .rows = 11 },
	{ .statement =
		  "select from_airport,to_airport,fare.fare_class,night,one_way_cost,rnd_trip_cost,class_days "
		  "FROM compound_class,fare WHERE compound_class.fare_class=fare.fare_class AND one_way_cost <= 825 "
		  "AND one_way_cost >= 280 AND from_airport='SFO' AND to_airport='DFW' "
		  "GROUP BY from_airport,to_airport,fare.fare_class,night,one_way_cost,rnd_trip_cost,class_days "
		  "ORDER BY one_way_cost",
	  .rows = 10 },
	{ .statement =
		  "select engines,category,cruising_speed,from_airport,to_airport FROM aircraft,flight WHERE "
		  "category='JET' "
		  "AND engines >= 1 AND aircraft.aircraft_code=flight.aircraft_code AND to_airport NOT LIKE "
		  "from_airport "
		  "AND stops>0 GROUP BY engines,category,cruising_speed,from_airport,to_airport ORDER BY engines DESC",
	  .rows = 29 },
};

enum { QUERIES = sizeof queries / sizeof *queries };

/* The queries from FIRST_QUERY up to END, one after the other, LOOP times. */
static void repeat(struct mm_sb_session *session, unsigned first_query, unsigned end, unsigned loop)
{
	uint64_t count = 0;

	if (!mm_sb_begin(session, queries[first_query].operation, MM_SB_READS))
		return;
	for (unsigned i = 0; i < loop; i++)
		for (unsigned q = first_query; q < end; q++) {
			uint64_t rows;

			if (queries[q].edition != BOTH && (queries[q].edition == LATER) != session->edition->later)
				continue;
			mm_sb_text(session, "%s", queries[q].statement);
			rows = queries[q].ordered ? mm_sb_send_ordered(session) : mm_sb_send(session);
			mm_sb_expect(session, rows, queries[q].rows);
			count++;
		}
	mm_sb_end(session, count);
}

static void run(struct mm_sb_session *session)
{
	unsigned loop = mm_sb_count(session, session->edition->atis_loop, 1, 1);

	mm_sb_connect(session);
	create_tables(session);
	fill(session);
	for (unsigned first = 0, end; first < QUERIES; first = end) {
		for (end = first + 1; end < QUERIES && !queries[end].operation; end++)
			;
		repeat(session, first, end, loop);
	}
	mm_sb_begin(session, "drop_table", MM_SB_WRITES);
	for (unsigned t = 0; t < TABLES; t++)
		mm_sb_query(session, "drop table %s", tables[t].name);
	mm_sb_end(session, TABLES);
}

const struct mm_sb_test mm_sb_atis = { .name = "ATIS", .run = run };
