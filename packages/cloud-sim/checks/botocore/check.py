"""Sends requests that botocore's models forbid to the simulated cloud, and every operation that it does not simulate.

check.py <url>   prints what was sent and refused by kind of fault, and each answer that is certainly wrong
"""

import collections
import json
import sys
import urllib.request

import botocore.exceptions
from botocore import xform_name

import wire
from clients import NOT_SENT, ask, client_of, simulated
from examples import example
from faults import apply, faults

# What refuses an operation by its name.
UNKNOWN = {"NotImplemented", "501", "UnknownOperationException", "InvalidAction"}
# Served at endpoints of their own, which the simulated cloud has not.
ELSEWHERE = {"ListDirectoryBuckets", "WriteGetObjectResponse", "StartLiveTail"}
# Answers with a new token each time.
CHANGING = {"GetAuthorizationToken"}


class Tally:
    def __init__(self):
        self.sent = collections.Counter()
        self.refused = collections.Counter()
        self.wrong = []
        self.errors = []

    def note(self, kind, what, status, is_wrong):
        self.sent[kind] += 1
        self.refused[kind] += 400 <= status < 500 or status == 501
        if status >= 500 and status != 501:
            self.errors.append(f"{kind}: {what}: {status}")
        elif is_wrong:
            self.wrong.append(f"{kind}: {what}: {status}")

    def report(self):
        for line in [*self.errors, *self.wrong]:
            print(line)
        for kind in sorted(self.sent):
            print(f"{kind}: sent {self.sent[kind]}, refused {self.refused[kind]}")
        total, wrong, errors = sum(self.sent.values()), len(self.wrong), len(self.errors)
        print(f"sent {total}, refused {sum(self.refused.values())}, certainly wrong {wrong}, server errors {errors}")
        print(f"{total - wrong - errors} passed, {wrong + errors} failed")
        return 0 if wrong + errors == 0 else 1


def seen(client, service, operations, tally):
    """All that the operations of a service show: everything, or what the examples made."""
    model = client.meta.service_model
    shown = {}
    for operation in sorted(operations):
        shape = model.operation_model(operation).input_shape
        required = shape.required_members if shape is not None else []
        given = {name: example(shape.members[name]) for name in required}
        is_reading = operation.startswith(("List", "Describe", "Get", "Head")) and operation not in CHANGING
        if not is_reading or None in given.values():
            continue
        try:
            answer = getattr(client, xform_name(operation))(**given)
        except NOT_SENT:
            continue
        except botocore.exceptions.ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            tally.note("shown", f"{service} {operation}", status, False)
            answer = {"error": error.response["Error"]["Code"]}
        answer.pop("ResponseMetadata", None)
        # Some of what is shown are moments of the present, such as when an agent was last heard of.
        shown[operation] = json.dumps(answer, default=shown_as, sort_keys=True)
    return shown


def shown_as(value):
    return value.read().hex() if hasattr(value, "read") else ""


def make_examples(client, operations):
    """Makes what can be made of examples, in two rounds since some need others, so that faulty requests find it."""
    model = client.meta.service_model
    for operation in sorted(operations) * 2:
        shape = model.operation_model(operation).input_shape
        given = example(shape) if shape is not None else None
        if given is not None and operation.startswith(("Create", "Put", "Register", "Request", "Publish", "Send")):
            ask(client, operation, given)


def advance(url, seconds):
    """Lets cloud time pass, so that nothing that was made is still on its way."""
    body = json.dumps({"seconds": seconds}).encode()
    urllib.request.urlopen(urllib.request.Request(f"{url}/_sim/clock/advance", data=body, method="POST")).read()


def check_faults(client, service, operations, tally):
    model = client.meta.service_model
    for operation in sorted(operations):
        shape = model.operation_model(operation).input_shape
        given = example(shape) if shape is not None else None
        if given is None:
            continue
        before, accepted = seen(client, service, operations, tally), False
        for fault in faults(shape, given):
            answer = ask(client, operation, apply(given, fault))
            if answer is None:
                continue
            status, code = answer
            accepted = accepted or status < 300
            what = f"{service} {operation} {'.'.join(map(str, fault.path))}"
            tally.note(fault.kind, what, status, fault.is_certain and status < 300)
        if not accepted:
            after = seen(client, service, operations, tally)
            changed = [name for name in before if after.get(name) != before[name]]
            tally.note("left behind", f"{service} {operation}: {', '.join(changed)}", 400, after != before)


def check_unknown(client, service, operations, tally):
    model = client.meta.service_model
    for operation in model.operation_names:
        described = model.operation_model(operation)
        is_signed = described.auth_type != "none"
        if operation in operations or operation in ELSEWHERE or described.deprecated or not is_signed:
            continue
        shape = described.input_shape
        answer = ask(client, operation, (example(shape) if shape is not None else None) or {})
        if answer is not None:
            status, code = answer
            tally.note("not simulated", f"{service} {operation} {code}", status, code not in UNKNOWN)


def main(url):
    tally = Tally()
    for service, operations in simulated():
        client = client_of(url, service)
        check_unknown(client, service, operations, tally)
        make_examples(client, operations)
        advance(url, 3600)
        check_faults(client, service, operations, tally)
    wire.check(url, tally)
    return tally.report()


sys.exit(main(sys.argv[1]))
