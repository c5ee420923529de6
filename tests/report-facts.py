"""Prints what a report.json says that does not depend on time or host: for two runs of one plan it must be equal."""
import json
import sys

report = json.load(open(sys.argv[1]))
facts = {
    "keys": sorted(report),
    "complete": report["complete"],
    "order": report["order"],
    "cells": [
        [c["id"], c["state"], c["build"]["key"], c["build"]["state"], sorted(set(c["build"]) - {"resumed"}), c["suites"]]
        for c in report["cells"]
    ],
    "comparisons": [
        [c["id"], c["suite"], [[t["test"], t["n"], t["baseline"]["n"], t["candidate"]["n"]] for t in c["tests"]]]
        for c in report["comparisons"]
    ],
    "samples": [
        [
            s["cell"],
            s["suite"],
            [[p["index"], p["visit"], p["position"], p.get("failure")] for p in s["passes"]],
            [[t["test"], t["checksums"], t["statements"], t["rows"]] for t in s["tests"]],
        ]
        for s in report["samples"]
    ],
}
for cell in facts["cells"]:  # command lines hold paths, which hold the work folder
    for suite in cell[5].values():
        suite.pop("server_argv", None)
        suite.pop("hardware_counters", None)  # and why there are none, which is the host's matter
json.dump(facts, sys.stdout, indent=1)
