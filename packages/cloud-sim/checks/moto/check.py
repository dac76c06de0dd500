"""Sends an example of every simulated operation to the simulated cloud and to moto, both empty, and compares the answers.

check.py <url>   fails for each disagreement that disagreements.json does not explain, and for each that it explains in vain

An answer is `accepted` or the code of its error. Who is right, and which page of AWS says so, is in disagreements.json.
"""

import importlib.metadata
import json
import logging
import sys
from pathlib import Path

from moto.server import ThreadedMotoServer

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "botocore"))

from clients import ask, client_of, simulated  # noqa: E402
from examples import example  # noqa: E402

# The first waits in real time; examples of the others have a length that their body has not.
NOT_COMPARED = {"ReceiveMessage", "PutObject", "UploadPart"}
# How moto answers for an operation that it does not know.
UNKNOWN = {"404", "NotImplemented"}


def answer_of(client, operation, given):
    """The answer to a request: `accepted` or an error code; None where there is no answer of the service."""
    status, code = ask(client, operation, given) or (599, "")
    if status >= 500 or code in UNKNOWN:
        return None
    return "accepted" if status < 300 else code


def compare(ours, motos):
    """By service and operation the two answers, where both simulators know the operation."""
    answers = {}
    for service, operations in simulated():
        one, other = client_of(ours, service), client_of(motos, service)
        model = one.meta.service_model
        for operation in sorted(operations - NOT_COMPARED):
            if operation not in model.operation_names:
                continue
            shape = model.operation_model(operation).input_shape
            given = example(shape) if shape is not None else {}
            if given is None:
                continue
            own, foreign = answer_of(one, operation, given), answer_of(other, operation, given)
            if own is not None and foreign is not None:
                answers[f"{service} {operation}"] = (own, foreign)
    return answers


def main(url):
    for name in ("boto3", "botocore", "moto"):
        print(f"{name}=={importlib.metadata.version(name)}", file=sys.stderr)
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    answers = compare(url, f"http://{host}:{port}")
    server.stop()
    explained = {}
    for entry in json.loads((here / "disagreements.json").read_text()):
        for operation in entry["operations"]:
            explained[operation] = (entry["sluice"], entry["moto"])
    failed = 0
    for operation, (own, foreign) in answers.items():
        if own != foreign and explained.get(operation) != (own, foreign):
            failed += 1
            print(f"{operation}: sluice {own}, moto {foreign}: disagreements.json does not explain it")
    for operation, (own, foreign) in explained.items():
        if answers.get(operation, (None, None)) != (own, foreign):
            failed += 1
            print(f"{operation}: disagreements.json explains sluice {own}, moto {foreign}, which did not happen")
    print(f"{len(answers)} compared, {len(explained)} disagreements explained")
    print(f"{len(answers) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(sys.argv[1]))
