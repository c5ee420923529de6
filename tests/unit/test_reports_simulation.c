/*
 * How often the verdicts are right, by simulation with fixed seeds: 0.8% noise from pass to pass, 3% linear drift over
 * the run, passes in the scheduler's balanced order. The samples go through the same code as those of a real run.
 * MM_SIMULATIONS sets the number of runs of each kind (default 2000).
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "reports/analysis.h"
#include "reports/power.h"

enum { TESTS = 9, MOST = 32 };

static const char *const names[TESTS] = { "ATIS",   "alter-table", "big-tables",   "connect",  "create",
					  "insert", "select",      "transactions", "wisconsin" };

static uint64_t state;

static double uniform(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return ((double)((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(6.283185307179586 * uniform());
}

struct setup {
	int passes;
	bool control;
	double effect;      /* true speed-up of the affected tests */
	int affected;       /* the first so many tests */
	double correlation; /* of the noise of server CPU and wall time */
};

/* The two series of a run; passes of the baseline come in twos with a control. */
struct simulated {
	struct mm_samples baseline, candidate;
	struct mm_pairing pairing;
};

static void init_series(struct mm_samples *series, const char *cell, int passes)
{
	*series =
		(struct mm_samples){ .cell = cell, .suite = "classic", .json = json_object(), .places = json_object() };
	series->pass_count = (size_t)passes;
	series->passes = mm_calloc((size_t)passes, sizeof(*series->passes));
	series->test_count = TESTS;
	series->tests = mm_calloc(TESTS, sizeof(*series->tests));
	for (size_t i = 0; i < TESTS; i++) {
		struct mm_samples_test *test = &series->tests[i];

		test->name = names[i];
		test->unit = "s";
		test->resolution = MM_CLOCK_RESOLUTION;
		test->value = mm_calloc((size_t)passes, sizeof(double));
		test->wall = mm_calloc((size_t)passes, sizeof(double));
		test->server_cpu = mm_calloc((size_t)passes, sizeof(double));
		test->checksum = mm_calloc((size_t)passes, sizeof(char *));
		json_object_set_new(series->places, names[i], json_integer((json_int_t)i));
	}
}

/* One pass at a point of the run between 0 and 1. */
static void measure(const struct setup *setup, struct mm_samples *series, int place, int index, bool faster,
		    double when)
{
	double drift = 1 + 0.03 * when, rest = sqrt(1 - setup->correlation * setup->correlation);

	series->passes[place] = (struct mm_samples_pass){ index, 1, 0, false };
	for (int i = 0; i < TESTS; i++) {
		struct mm_samples_test *test = &series->tests[i];
		double speed = faster && i < setup->affected ? 1 + setup->effect : 1, wall = normal();
		double cpu = setup->correlation * wall + rest * normal();

		test->value[place] = 10 * drift / speed * exp(0.008 * wall);
		test->wall[place] = test->value[place];
		test->server_cpu[place] = 9 * drift / speed * exp(0.008 * cpu);
	}
}

/* Over each block of two indices both directions occur once, which one first is drawn; the control stands beside its
 * baseline. */
static void simulate(const struct setup *setup, struct simulated *run)
{
	int each = setup->control ? 3 : 2, total = setup->passes * each, position = 0;
	bool forward = false;

	init_series(&run->baseline, "a", setup->passes * (setup->control ? 2 : 1));
	init_series(&run->candidate, "b", setup->passes);
	run->pairing = (struct mm_pairing){ mm_calloc((size_t)setup->passes, sizeof(*run->pairing.pairs)),
					    (size_t)setup->passes };
	for (int i = 0; i < setup->passes; i++) {
		int twin = setup->control ? setup->passes + i : -1;

		forward = i % 2 == 0 ? uniform() < 0.5 : !forward;
		for (int step = 0; step < each; step++) {
			int role = forward ? step : each - 1 - step; /* A' A B, or B A A' */
			double when = (double)position++ / total;

			if (role == each - 1)
				measure(setup, &run->candidate, i, i + 1, true, when);
			else if (setup->control && role == 0)
				measure(setup, &run->baseline, twin, i + 1, false, when);
			else
				measure(setup, &run->baseline, i, i + 1, false, when);
		}
		run->pairing.pairs[i].baseline = run->pairing.pairs[i].candidate = i;
		run->pairing.pairs[i].control = twin;
	}
}

struct rates {
	double false_any[MM_METRICS]; /* runs with a false verdict among the nine tests */
	double false_either;          /* on any of the two metrics */
	double false_geomean;
	double found, found_all, wrong_way; /* of affected tests, on wall time */
	double equivalent;                  /* of unaffected tests */
	double control_differs;             /* of tests */
};

static bool is_called(const struct mm_row *row)
{
	return row->verdict == MM_FASTER || row->verdict == MM_SLOWER;
}

static void count_run(const struct setup *setup, const struct mm_analysis *analysis, struct rates *rates)
{
	bool any[MM_METRICS] = { false, false };
	int found = 0;

	for (int i = 0; i < TESTS; i++) {
		const struct mm_row *row = &analysis->tests[i].metrics[MM_WALL];

		if (i < setup->affected) {
			found += row->verdict == MM_FASTER;
			rates->wrong_way += row->verdict == MM_SLOWER;
			continue;
		}
		rates->equivalent += row->verdict == MM_EQUIVALENT;
		rates->control_differs += row->control.present && row->control.differs;
		for (int metric = 0; metric < MM_METRICS; metric++)
			any[metric] = any[metric] || is_called(&analysis->tests[i].metrics[metric]);
	}
	rates->found += found;
	rates->found_all += found == setup->affected;
	rates->false_any[MM_WALL] += any[MM_WALL];
	rates->false_any[MM_SERVER_CPU] += any[MM_SERVER_CPU];
	rates->false_either += any[MM_WALL] || any[MM_SERVER_CPU];
	rates->false_geomean += is_called(&analysis->geomean[MM_WALL]);
}

static int simulations(void)
{
	const char *wanted = getenv("MM_SIMULATIONS");

	return wanted != NULL && strtol(wanted, NULL, 10) > 0 ? (int)strtol(wanted, NULL, 10) : 2000;
}

static struct rates run_all(const struct setup *setup, uint64_t seed, const char *what)
{
	int runs = simulations(), unaffected = TESTS - setup->affected;
	struct rates rates = { { 0 }, 0, 0, 0, 0, 0, 0, 0 };

	state = seed;
	for (int i = 0; i < runs; i++) {
		struct simulated run;
		struct mm_analysis analysis;

		simulate(setup, &run);
		mm_analysis_make(&(struct mm_analysis_input){ .baseline = &run.baseline,
							      .candidate = &run.candidate,
							      .pairing = &run.pairing,
							      .mode = MM_PAIRED,
							      .thresholds = { 1, 2 } },
				 &analysis);
		mm_analysis_judge_geomeans(&analysis, 1);
		count_run(setup, &analysis, &rates);
		mm_analysis_release(&analysis);
		mm_samples_release(&run.baseline);
		mm_samples_release(&run.candidate);
		mm_pairing_release(&run.pairing);
	}
	rates.false_any[MM_WALL] /= runs;
	rates.false_any[MM_SERVER_CPU] /= runs;
	rates.false_either /= runs;
	rates.false_geomean /= runs;
	rates.found /= setup->affected > 0 ? (double)runs * setup->affected : 1;
	rates.found_all /= runs;
	rates.wrong_way /= setup->affected > 0 ? (double)runs * setup->affected : 1;
	rates.equivalent /= (double)runs * unaffected;
	rates.control_differs /= (double)runs * unaffected;
	print_message("%s: false in any test: wall %.2f%%, CPU %.2f%%, either %.2f%%; geometric mean called %.2f%%; "
		      "found %.2f%%, "
		      "all found %.2f%%; equivalent %.2f%%; control differs %.2f%%\n",
		      what, 100 * rates.false_any[MM_WALL], 100 * rates.false_any[MM_SERVER_CPU],
		      100 * rates.false_either, 100 * rates.false_geomean, 100 * rates.found, 100 * rates.found_all,
		      100 * rates.equivalent, 100 * rates.control_differs);
	return rates;
}

static void no_effect_gives_no_false_verdict(void **unused)
{
	(void)unused;
	for (int control = 0; control < 2; control++) {
		const struct setup setup = { .passes = 10, .control = control != 0, .correlation = 0.9 };
		struct rates rates =
			run_all(&setup, 100 + (uint64_t)control, control ? "no effect, with control" : "no effect");

		assert_true(rates.false_any[MM_WALL] <= 0.05);
		assert_true(rates.false_any[MM_SERVER_CPU] <= 0.05);
		assert_true(rates.false_either <= 0.05);
		assert_true(rates.false_geomean <= 0.05);
		assert_true(rates.equivalent >= 0.90);
		assert_true(rates.control_differs <= 0.05);
	}
}

static void three_of_nine_are_found(void **unused)
{
	(void)unused;
	for (int control = 0; control < 2; control++) {
		const struct setup setup = {
			.passes = 10, .control = control != 0, .effect = 0.02, .affected = 3, .correlation = 0.9
		};
		struct rates rates =
			run_all(&setup, 200 + (uint64_t)control,
				control ? "2% on three of nine, n = 10, with control" : "2% on three of nine, n = 10");

		assert_true(rates.found >= 0.90);
		assert_true(rates.wrong_way == 0);
	}
}

static void one_of_nine_is_found(void **unused)
{
	static const struct {
		int passes;
		double least;
	} cases[] = { { 10, 0.80 }, { 12, 0.90 } };

	(void)unused;
	for (size_t i = 0; i < 2; i++)
		for (int control = 0; control < 2; control++) {
			const struct setup setup = { .passes = cases[i].passes,
						     .control = control != 0,
						     .effect = 0.02,
						     .affected = 1,
						     .correlation = 0.9 };
			char what[64];
			struct rates rates;

			snprintf(what, sizeof(what), "2%% on one of nine, n = %d%s", setup.passes,
				 control ? ", with control" : "");
			rates = run_all(&setup, 300 + 10 * i + (uint64_t)control, what);
			assert_true(rates.found >= cases[i].least);
		}
}

/* What `plan` promises must hold: the detectable effect is found in about four of five runs. */
static void the_detectable_effect_is_detected(void **unused)
{
	double percent = mm_detectable_percent(10, TESTS, 0.8, 1);
	const struct setup setup = { .passes = 10, .effect = percent / 100, .affected = 1, .correlation = 0.9 };
	struct rates rates;

	(void)unused;
	assert_true(percent > 1.5 && percent < 2.2);
	rates = run_all(&setup, 400, "the detectable effect");
	assert_true(rates.found > 0.76 && rates.found < 0.86);
	assert_true(isinf(mm_detectable_percent(8, TESTS, 0.8, 1))); /* 2/2^8 > 0.05/9 */
	assert_true(mm_detectable_percent(15, TESTS, 0.8, 1) < percent);
	assert_true(mm_detectable_percent(400, TESTS, 0.8, 1) == 1); /* nothing below the threshold is called */
}

/* What `plan` says to plan is enough, and one less is not. */
static void the_least_pairs_are_enough(void **unused)
{
	static const size_t families[] = { 1, 2, 9, 14, 1000 };

	(void)unused;
	assert_int_equal(mm_least_pairs(0), 6); /* as many as an interval of 95% needs */
	assert_int_equal(mm_least_pairs(1), 6);
	assert_int_equal(mm_least_pairs(TESTS), 9);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		size_t least = mm_least_pairs(families[i]);

		assert_true(isfinite(mm_detectable_percent(least, families[i], 0.8, 1)));
		assert_true(isinf(mm_detectable_percent(least - 1, families[i], 0.8, 1)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_effect_gives_no_false_verdict),
		cmocka_unit_test(three_of_nine_are_found),
		cmocka_unit_test(one_of_nine_is_found),
		cmocka_unit_test(the_detectable_effect_is_detected),
		cmocka_unit_test(the_least_pairs_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
