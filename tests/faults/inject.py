"""Makes calls of the C library fail, one after the other, and looks at what mymatrix makes of it.

usage: inject.py SCENARIO [MOST]

Every place in mymatrix that calls one of the functions below (tests/faults/inject.c tells them apart by the way that led
there) is made to fail once, in a work folder of its own. Each time there must be one clear line and the right exit
status, or nothing must have been lost; no process may be left; and the same command, run again without a fault, must end
well with the same result as if nothing had happened. A place counts only when its call was reached and made to fail: some
depend on the moment, and are told apart. MOST: try no more than that many places, spread over all.

SCENARIO: a function of this file that is called scenario_NAME. Works in the current folder, which holds what the test
script has put there. Prints a line for each fault, and a table for each function at the end.
"""
import collections
import errno
import os
import shutil
import signal
import subprocess
import sys
import time

MYMATRIX = os.environ["MYMATRIX"]
LIBRARY = os.environ["MM_INJECT_LIBRARY"]
SOURCE = os.environ["MM_SOURCE"]
WORK = os.path.join(os.getcwd(), "work")
FIRED = os.path.join(os.getcwd(), "fired")
STATUSES = {0, 2, 3, 5}
# no cell can help it when these fail
OF_THE_MACHINE = {"fork", "execve", "pipe2", "dup2", "pthread_create", "mysql_init", "malloc", "calloc", "realloc"}

FAULTS = {
    "write": errno.ENOSPC, "read": errno.EIO, "copy_file_range": errno.ENOSPC, "fsync": errno.EIO,
    "ftruncate64": errno.ENOSPC, "rename": errno.ENOSPC, "mkdir": errno.ENOSPC, "mkdirat": errno.ENOSPC,
    "link": errno.EMLINK, "linkat": errno.EMLINK, "symlink": errno.ENOSPC, "symlinkat": errno.ENOSPC,
    "unlink": errno.EROFS, "unlinkat": errno.EROFS, "rmdir": errno.EROFS, "chmod": errno.EPERM, "mkfifo": errno.ENOSPC,
    "flock": errno.ENOLCK, "pipe2": errno.EMFILE, "dup2": errno.EBUSY, "chdir": errno.EACCES, "fork": errno.EAGAIN,
    "execve": errno.ENOMEM, "opendir": errno.EMFILE, "fopen64": errno.EMFILE, "open64": errno.EMFILE,
    "openat64": errno.EMFILE, "pthread_create": errno.EAGAIN, "mysql_init": errno.ENOMEM, "malloc": errno.ENOMEM,
    "calloc": errno.ENOMEM, "realloc": errno.ENOMEM,
}


def run(arguments, **environment):
    """Status, output and errors of one call; a call that hangs is a failure."""
    process = subprocess.Popen([MYMATRIX, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env={**os.environ, **environment})
    try:
        output, errors = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return "hangs", b"", b""
    return process.returncode, output, errors


def remaining():
    """Processes that still work for this folder: in it, or with it on their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) in (os.getpid(), os.getppid()):
            continue
        try:
            command = open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\0", b" ").decode(errors="replace")
            folder = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            continue
        if (WORK in command or folder.startswith(WORK)) and "inject.py" not in command:
            found.append(f"{pid} {command[:80]}")
    return found


def wait_until_alone():
    for _ in range(100):
        found = remaining()
        if not found:
            return []
        time.sleep(0.1)
    return found


class Scenario:
    """A command, and what must come of it."""

    def __init__(self, arguments, result, again=(), status=0):
        self.arguments, self.result, self.again, self.status = arguments, result, list(again), status

    def begin(self):
        shutil.rmtree(WORK, ignore_errors=True)
        os.makedirs(WORK)


def facts(_):
    """What a run folder's report says, times aside; that there is one run; and that nothing half written is left."""
    text = subprocess.run([sys.executable, os.path.join(SOURCE, "tests/report-facts.py"), f"{WORK}/runs/1/report.json"],
                          check=True, stdout=subprocess.PIPE).stdout.decode()
    return text, sorted(os.listdir(f"{WORK}/runs"))


def scenario_run():
    """A whole run of an installed server: data directory, server, one small test, report."""
    return Scenario(["run", "--quiet", "--work", WORK], facts, ["--retry-failed"])


def scenario_build():
    """A source tree that compiles in a moment: unpacked, configured, compiled, installed, measured."""
    return scenario_run()


def builds(_):
    found = []
    for folder, _, names in os.walk(f"{WORK}/builds"):
        if "/prefix" in folder:
            found += [(os.path.join(folder, name)[len(WORK):], os.path.getsize(os.path.join(folder, name)))
                      for name in names]
    return sorted(found)


def scenario_install():
    """The same without the benchmark."""
    return Scenario(["build", "--quiet", "--work", WORK], builds, ["--retry-failed"])


def output_of(output):
    """What is printed, without what changes from one moment to the next: free memory and disk."""
    return [line for line in output.splitlines() if b" are needed" not in line]


def scenario_plan():
    return Scenario(["plan", "--work", WORK], output_of)


def scenario_compare():
    return Scenario(["compare", "old.json", "new.json", "--format", "html", "-o", f"{WORK}/page.html"],
                    lambda _: open(f"{WORK}/page.html").read())


def scenario_import():
    return Scenario(["import", "csv", "figures.csv", "-o", f"{WORK}/result.json"],
                    lambda _: open(f"{WORK}/result.json").read())


def scenario_report():
    return Scenario(["report", "finished", "--format", "markdown", "-o", f"{WORK}/report.md"],
                    lambda _: open(f"{WORK}/report.md").read(), status=3)  # it lacks samples


def check(scenario, function, status, errors, expected):
    """What is wrong after a fault, and after the call that follows it; empty when all is well."""
    wrong = []
    if status == 3 and status != scenario.status and function in OF_THE_MACHINE:
        wrong.append(f"a cell is blamed: {errors.decode(errors='replace')[:400]!r}")
    lines = [line for line in errors.decode(errors="replace").splitlines() if line.startswith("mymatrix: ")]
    if status not in STATUSES:
        wrong.append(f"status {status}")
    elif status in (2, 5) and len(lines) != 1:
        wrong.append(f"{len(lines)} error lines: {errors.decode(errors='replace')[:400]!r}")
    left = wait_until_alone()
    if left:
        wrong.append(f"still running: {left}")
    status, output, errors = run(scenario.arguments + scenario.again)
    if status != scenario.status:
        wrong.append(f"the next call has status {status}: {errors.decode(errors='replace')[:400]!r}")
    else:
        try:
            if scenario.result(output) != expected:
                wrong.append("the next call has another result")
        except (OSError, subprocess.CalledProcessError) as why:
            wrong.append(f"the next call has no result: {why}")
    return wrong


def main():
    scenario = globals()["scenario_" + sys.argv[1]]()
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    only = os.environ.get("MM_FAULTS_ONLY", "").split()
    log = os.path.join(os.getcwd(), "sites")
    if os.path.exists(log):
        os.remove(log)
    scenario.begin()
    status, output, errors = run(scenario.arguments, LD_PRELOAD=LIBRARY, MM_INJECT_LOG=log)
    if status != scenario.status:
        sys.exit(f"without a fault: status {status}: {errors.decode(errors='replace')}")
    expected = scenario.result(output)
    counts = collections.Counter()  # of all processes: what we start of our own has its own counters
    for line in open(log):
        function, site, count = line.split()
        counts[function, site] += int(count)
    sites = [(function, site, count) for (function, site), count in counts.items() if not only or function in only]
    sites.sort(key=lambda site: site[1])  # as good as drawn, and the same every time
    if most and len(sites) > most:
        sites = [sites[i * len(sites) // most] for i in range(most)]
    table = collections.defaultdict(collections.Counter)
    bad = missed = 0
    for function, site, count in sites:
        scenario.begin()
        if os.path.exists(FIRED):
            os.remove(FIRED)
        fault = f"{function}:{site}:1:{FAULTS[function]}"
        status, output, errors = run(scenario.arguments, LD_PRELOAD=LIBRARY, MM_INJECT=fault, MM_INJECT_FIRED=FIRED)
        fired = os.path.exists(FIRED)
        first = (errors.decode(errors="replace").splitlines() or [""])[0]
        print(f"{fault} of {count}: {'' if fired else 'not reached, '}status {status} {first[:160]}", flush=True)
        wrong = check(scenario, function, status, errors, expected)
        table[function][str(status) if fired else "not reached"] += 1
        missed += not fired
        for line in wrong:
            print(f"  WRONG: {line}", flush=True)
        bad += bool(wrong)
    print(f"{'function':16} {'places':>6}  statuses")
    for function, statuses in sorted(table.items()):
        print(f"{function:16} {sum(statuses.values()):6}  " + ", ".join(f"{n} x {s}" for s, n in sorted(statuses.items())))
    print(f"{len(sites) - missed} faults of {len(counts)} places, {bad} not borne, {missed} not reached")
    sys.exit(1 if bad or missed > len(sites) // 4 else 0)


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
main()
