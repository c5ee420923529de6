# Sourced by tests that need a Slurm: starts munged, slurmctld and two slurmd on loopback out of the scratch folder, in
# the foreground, and stops them by their process ids. The nodes n1 and n2 are this machine.

R=$PWD/slurm-site
slurm_pids="" # of munged, the controller and the nodes, by name

free_ports() { # free_ports N: N ports that nobody listens on
	python3 - "$1" <<-'END'
	import socket, sys
	held = [socket.socket() for _ in range(int(sys.argv[1]))]
	for s in held:
	    s.bind(("127.0.0.1", 0))
	print(*[s.getsockname()[1] for s in held])
	END
}

slurm_config() {
	local me ports
	me=$(id -un)
	ports=($(free_ports 3))
	mkdir -p "$R"/{state,spool,run,log,munge}
	chmod 755 "$R/munge"
	chmod go+x . # munge insists on a socket that everybody could reach
	cat >"$R/slurm.conf" <<-END
	ClusterName=test
	SlurmctldHost=localhost(127.0.0.1)
	SlurmctldPort=${ports[0]}
	SlurmUser=$me
	SlurmdUser=$me
	AuthType=auth/munge
	CredType=cred/munge
	AuthInfo=socket=$R/munge/s,cred_expire=5
	CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
	StateSaveLocation=$R/state
	SlurmdSpoolDir=$R/spool/%n
	SlurmctldPidFile=$R/run/slurmctld.pid
	SlurmdPidFile=$R/run/slurmd-%n.pid
	SlurmctldLogFile=$R/log/slurmctld.log
	SlurmdLogFile=$R/log/slurmd-%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	MailProg=/bin/true
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	SchedulerType=sched/backfill
	SchedulerParameters=batch_sched_delay=0,bf_interval=1
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	SlurmdParameters=config_overrides
	JobRequeue=1
	ReturnToService=2
	SlurmctldTimeout=10
	SlurmdTimeout=5
	BatchStartTimeout=1
	InactiveLimit=0
	KillWait=2
	MinJobAge=3600
	MessageTimeout=5
	PropagateResourceLimits=NONE
	NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=2 Sockets=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1024 State=UNKNOWN
	NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=2 Sockets=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1024 State=UNKNOWN
	PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
	END
	head -c 1024 /dev/urandom >"$R/munge/key"
	chmod 600 "$R/munge/key"
	export SLURM_CONF=$R/slurm.conf
}

# daemon NAME PROGRAM …: starts it in the foreground, remembers its pid under NAME
daemon() {
	local name=$1
	shift
	PATH=$PATH:/usr/sbin "$@" >>"$R/log/$name.out" 2>&1 </dev/null &
	echo $! >"$R/run/$name.mine"
}
daemon_pid() { cat "$R/run/$1.mine"; }

start_controller() { daemon controller slurmctld -D; }
start_node() { daemon "$1" slurmd -D -N "$1"; }
nodes_idle() { [ "$(sinfo -hN -t idle | wc -l)" = 2 ]; }
munge_answers() { munge -n -S "$R/munge/s" >/dev/null; }

# stop_daemon NAME: by pid, and only if it is still what we started
stop_daemon() {
	local pid
	[ -e "$R/run/$1.mine" ] || return 0
	pid=$(daemon_pid "$1")
	rm "$R/run/$1.mine"
	case $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") in *munged* | *slurmctld* | *slurmd*) ;; *) return 0 ;; esac
	kill "$pid" 2>/dev/null || return 0
	for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
	kill -9 "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

start_slurm() {
	slurm_config
	daemon munge munged -F -S "$R/munge/s" --key-file="$R/munge/key" --log-file="$R/log/munged.log" \
		--pid-file="$R/munge/pid" --seed-file="$R/munge/seed"
	wait_for munge_answers
	start_controller
	start_node n1
	start_node n2
	wait_for nodes_idle
}

# Job steps of ours that still run on "node" NAME: the processes that a machine's crash would take with it.
step_pids() {
	local pid
	for pid in $(pgrep -x slurmstepd || true); do
		tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" && echo "$pid"
	done
}

stop_slurm() {
	local pid
	scancel --user="$(id -un)" 2>/dev/null || true
	for _ in $(seq 50); do [ -z "$(squeue -h 2>/dev/null)" ] && break; sleep 0.1; done
	stop_daemon n2
	stop_daemon n1
	stop_daemon controller
	for pid in $(step_pids); do kill -9 "$pid" 2>/dev/null || true; done
	stop_daemon munge
}

# our_workers NODE: pids of mymatrix's processes in jobs on that node
our_workers() {
	local pid
	for pid in $(pgrep -x mymatrix || true); do
		tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "SLURM_CONF=$SLURM_CONF" || continue
		tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -qxF "SLURMD_NODENAME=$1" && echo "$pid"
	done
	return 0
}

# crash_node NAME: the machine is gone in this moment, with everything that ran there
crash_node() {
	local pid
	kill -9 "$(daemon_pid "$1")"
	rm "$R/run/$1.mine"
	for pid in $(our_workers "$1"); do
		kill -9 "$(ps -o ppid= -p "$pid")" "$pid" 2>/dev/null || true
	done
	scontrol update nodename="$1" state=down reason=crashed
}
revive_node() {
	start_node "$1"
	scontrol update nodename="$1" state=resume
}

# tasks STATE: how many tasks of mymatrix are in it
tasks() { squeue -h -r -t "$1" -o '%j' | grep -c '^mymatrix-' || true; }
