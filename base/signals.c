#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/process.h"

enum { A_MOMENT_MS = 500, LOOK_MS = 10 };

static volatile sig_atomic_t pending;

static void on_signal(int number)
{
	/* A second Ctrl-C means now: the guardian ends what we started. */
	if (pending && number == SIGINT)
		_exit(128 + number);
	pending = number;
}

void mm_signals_install(void)
{
	static const int asking[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };
	sigset_t ours;
	(void)sigemptyset(&action.sa_mask); /* no SA_RESTART: waits return with EINTR and look at the flag */
	(void)sigemptyset(&ours);
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
		struct sigaction before;
		/* nohup means it: the terminal may go */
		bool stays = asking[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
		if (!stays)
			(void)sigaction(asking[i], &action, NULL);
		(void)sigaddset(&ours, asking[i]);
	}
	action.sa_handler = SIG_IGN;
	(void)sigaction(SIGPIPE, &action, NULL);
	(void)sigaction(SIGXFSZ, &action, NULL); /* a write that fails is an error with a name */
	/* whoever started us may ignore it, which we inherit, and then no child's end could be waited for */
	action.sa_handler = SIG_DFL;
	(void)sigaction(SIGCHLD, &action, NULL);
	/* nor may what is blocked there stay so */
	(void)sigaddset(&ours, SIGCHLD);
	(void)pthread_sigmask(SIG_UNBLOCK, &ours, NULL);
}

int mm_signals_pending(void)
{
	return pending;
}

int mm_signals_check(struct mm_error *err)
{
	if (!pending)
		return 0;
	return mm_error_set(err, MM_EINTERRUPTED, "stopped by signal %d: run the same command again to go on", (int)pending);
}

int mm_signals_excuse(int code, struct mm_error *err)
{
	if (code != MM_ECELL)
		return code;
	for (int waited = 0; !pending && waited < A_MOMENT_MS; waited += LOOK_MS)
		(void)poll(NULL, 0, LOOK_MS);
	if (!pending)
		return code;
	mm_error_clear(err);
	return mm_signals_check(err);
}
