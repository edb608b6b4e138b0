#!/usr/bin/env python3
"""Verifies a Candor journal by docs/journal.md alone.

    verify.py JOURNAL PUBLIC_KEY_HEX

Exit code 0 if every line is in its one form, on the chain and signed with the
key, and the records follow one another as they may; else 1. Either way one
sentence says so. Needs the Python standard library, and for the signatures the
`cryptography` package or the `openssl` program (3 or later). VERIFY_WITH=openssl
takes openssl even if the package is there.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

TRAILER = 139
MAX_LINE = 1 << 20
MAX_JOURNAL = 64 << 20
UUID7 = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
PREFIX = re.compile(
    (
        r'\{"v":1,"sid":"(?P<sid>' + UUID7 + r')","seq":(?P<seq>0|[1-9][0-9]*),'
        r'"prev":"(?P<prev>[0-9a-f]{64})","at":"' + TIME + r'","type":"(?P<type>[a-z_]+)","body":'
    ).encode()
)
SIGNATURE = re.compile(rb',"sig":"([0-9a-f]{128})"\}\n')

# The keys of each body in their order; "?" marks optional ones.
FIELDS = {
    "session_started": "app key_id cwd title? origin",
    "user_message": "turn text imported?",
    "model_response": "turn items protocol server? model? response_id? usage? duration_ms? "
    "instructions_sha256?",
    "approval": "turn call decision by rule? standing? operation fingerprint edited feedback?",
    "tool_started": "turn call dispatch operation fingerprint repeats?",
    "tool_result": "turn call dispatch? outcome evidence? exit_code? signal? output? output_bytes? "
    "output_sha256? truncated? output_lost? pipe_held? survivors? started_at? ended_at?",
    "turn_extended": "turn model_requests tool_calls by",
    "turn_ended": "turn status error?",
    "acknowledged": "statements by",
    "tail_moved": "offset bytes sha256",
    "session_renamed": "title",
}
OBSERVED = {"completed", "failed", "timed_out", "cancelled", "output_limit"}
OUTCOMES = OBSERVED | {"unknown", "denied", "invalid_arguments", "unknown_tool", "not_executed"}
STATEMENTS = {"may_have_run", "happened", "did_not_happen", "partly"}
STATUSES = {"completed", "failed", "cancelled", "interrupted", "unconfirmed_effects"}


class Bad(Exception):
    """What is wrong with a line."""


def need(condition, what):
    if not condition:
        raise Bad(what)


# --- signatures ---------------------------------------------------------------


def verifier(key):
    """A function that says whether a signature of a message is the key's."""
    if os.environ.get("VERIFY_WITH") != "openssl":
        try:
            from cryptography.exceptions import InvalidSignature
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        except ImportError:
            return with_openssl(key)
        public = Ed25519PublicKey.from_public_bytes(key)

        def verify(message, signature):
            try:
                public.verify(signature, message)
                return True
            except InvalidSignature:
                return False

        return verify
    return with_openssl(key)


def with_openssl(key):
    directory = tempfile.TemporaryDirectory()
    paths = [os.path.join(directory.name, name) for name in ("key", "message", "signature")]
    with open(paths[0], "wb") as file:
        file.write(bytes.fromhex("302a300506032b6570032100") + key)

    def verify(message, signature, _keep=directory):
        for path, content in zip(paths[1:], (message, signature)):
            with open(path, "wb") as file:
                file.write(content)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", paths[0], "-keyform", "DER"]
        command += ["-rawin", "-in", paths[1], "-sigfile", paths[2]]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return done.returncode == 0

    return verify


# --- JSON ---------------------------------------------------------------------


def once(pairs):
    keys = [key for key, _ in pairs]
    need(len(keys) == len(set(keys)), "a key comes twice")
    return dict(pairs)


def loosely(pairs):
    return dict(pairs)


def decode(text, hook):
    try:
        return json.JSONDecoder(object_pairs_hook=hook).decode(text)
    except (ValueError, RecursionError) as error:
        raise Bad(f"not readable: {error}") from None


def raw_fields(text):
    """The exact text of each value of an object, by key."""
    decoder = json.JSONDecoder(object_pairs_hook=loosely)
    space = re.compile(r"[ \t]*")
    fields, at = {}, space.match(text, 1).end()
    while text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        at = space.match(text, at).end()
        need(text[at] == ":", "not an object")
        at = space.match(text, at + 1).end()
        start = at
        _, at = decoder.raw_decode(text, at)
        need(key not in fields, "a key comes twice")
        fields[key] = text[start:at]
        at = space.match(text, at).end()
        if text[at] == ",":
            at = space.match(text, at + 1).end()
    return fields


def read_body(kind, text):
    need(kind in FIELDS, f"unknown type {kind}")
    need(text.startswith("{"), "the body is no object")
    fields = raw_fields(text)
    allowed = [name.rstrip("?") for name in FIELDS[kind].split()]
    for name in FIELDS[kind].split():
        need(name.endswith("?") or name in fields, f"{kind} lacks {name}")
    for name in fields:
        need(name in allowed or name == "ext", f"unknown key {name} in {kind}")
    # What is inside items, operations and extensions is kept as it came.
    body = {
        name: decode(raw, loosely if name in ("items", "ext") else once) for name, raw in fields.items()
    }
    need(all(value is not None for value in body.values()), "null")
    need(isinstance(body.get("ext", {}), dict), "ext is no object")
    return body, fields


# --- order --------------------------------------------------------------------


class Call:
    def __init__(self):
        self.approval = self.start = self.outcome = None


class Turn:
    def __init__(self, name, imported, copied):
        self.name, self.imported, self.copied = name, imported, copied
        self.calls, self.seen = {}, set()
        self.answered = self.may_join = self.unknown = False

    def open_call(self):
        return next((name for name, call in self.calls.items() if call.outcome is None), None)


class Session:
    def __init__(self):
        self.origin, self.turn, self.turns = None, None, {}
        self.dispatches, self.inherited, self.unknown, self.stated = set(), [], [], set()
        self.standing = {}

    def take(self, seq, kind, body, raw):
        need((seq == 0) == (kind == "session_started"), "session_started is the first record, and only that")
        getattr(self, kind)(seq, body, raw)

    def gating(self, copied):
        effects = ([] if copied else self.inherited) + self.unknown
        return [dispatch for dispatch in effects if dispatch not in self.stated]

    def current(self, body):
        need(self.turn is not None and self.turn.name == body["turn"], "not of the open turn")
        return self.turn

    def at_call(self, body):
        turn = self.current(body)
        need(turn.open_call() == body["call"], "not about the first open call")
        return turn, turn.calls[body["call"]]

    def session_started(self, _seq, body, _raw):
        self.origin = body["origin"]["kind"]
        need(self.origin in ("new", "imported", "forked"), "unknown origin")
        if self.origin == "forked":
            self.inherited = [effect["dispatch"] for effect in body["origin"]["unknown"]]

    def user_message(self, _seq, body, _raw):
        text, imported = body["text"], body.get("imported", False)
        need(text.strip() and "\0" not in text and len(text.encode()) <= 256 << 10, "not a message")
        if self.turn is None:
            need(body["turn"] not in self.turns, "the turn's id was used before")
            last = next(reversed(self.turns.values()), None)
            copied = (
                self.origin == "forked"
                and "at" in body.get("ext", {})
                and (last is None or last.imported or last.copied)
            )
            if imported:
                need(self.origin != "new" and (last is None or last.imported), "an imported turn here")
            else:
                need(not self.gating(copied), "the gate is closed")
            self.turn = self.turns[body["turn"]] = Turn(body["turn"], imported, copied)
        else:
            turn = self.current(body)
            need(turn.may_join and turn.open_call() is None and turn.imported == imported, "cannot join")
            need(turn.imported or not self.gating(turn.copied), "the gate is closed")
            turn.may_join = False

    def model_response(self, _seq, body, _raw):
        turn = self.current(body)
        need(turn.open_call() is None, "a call is open")
        need(not turn.answered and (turn.imported or not turn.unknown), "nothing more is asked in this turn")
        need(
            turn.imported or {"server", "model", "duration_ms", "instructions_sha256"} <= body.keys(),
            "the response lacks a key",
        )
        names = [item["call_id"] for item in body["items"] if item["type"] == "function_call"]
        need(len(set(names)) == len(names) and not turn.seen & set(names), "a call's id comes twice")
        turn.seen |= set(names)
        turn.calls = {name: Call() for name in names}
        turn.answered, turn.may_join = not names, bool(names)

    def approval(self, seq, body, raw):
        turn, call = self.at_call(body)
        need(not turn.imported and not turn.unknown and call.approval is None, "no approval is due")
        fingerprint = hashlib.sha256(raw["operation"].encode()).hexdigest()
        need(body["fingerprint"] == fingerprint, "the fingerprint is not the operation's")
        need(body["decision"] in ("approved", "denied"), "unknown decision")
        if body["by"] == "rule":
            need(self.standing.get(body.get("rule")) == fingerprint, "no such rule stands")
            need(body["decision"] == "approved" and "standing" not in body, "not a rule's decision")
        else:
            need(body["by"] == "user" and "rule" not in body, "not a person's decision")
        if body.get("standing"):
            need(body["decision"] == "approved", "a standing denial")
            self.standing[seq] = fingerprint
        call.approval = body

    def tool_started(self, _seq, body, raw):
        turn, call = self.at_call(body)
        need(call.start is None and (turn.imported or not turn.unknown), "no start is due")
        fingerprint = hashlib.sha256(raw["operation"].encode()).hexdigest()
        need(body["fingerprint"] == fingerprint, "the fingerprint is not the operation's")
        approved = call.approval is not None and call.approval["decision"] == "approved"
        need(
            turn.imported or (approved and call.approval["fingerprint"] == fingerprint),
            "the operation was not approved as it stands",
        )
        self.new_dispatch(body["dispatch"])
        need(body.get("repeats") in [None] + self.unknown + self.inherited, "it repeats nothing unknown")
        call.start = body

    def new_dispatch(self, dispatch):
        need(re.fullmatch(UUID7, dispatch), "not an id")
        need(dispatch not in self.dispatches and dispatch not in self.inherited, "an id of an execution comes twice")
        self.dispatches.add(dispatch)

    def tool_result(self, _seq, body, _raw):
        turn, call = self.at_call(body)
        outcome, dispatch = body["outcome"], body.get("dispatch")
        need(outcome in OUTCOMES, "unknown outcome")
        need(turn.imported or not turn.unknown or outcome == "not_executed", "the turn can only be closed")
        if call.start is not None:
            need(dispatch == call.start["dispatch"], "not the started execution")
            need(outcome in OBSERVED | {"unknown", "not_executed"}, "a refusal of what was started")
        elif dispatch is not None:
            need(outcome == "unknown" or (turn.imported and outcome in OBSERVED), "an execution without a start")
            self.new_dispatch(dispatch)
        else:
            need(outcome != "unknown" and (turn.imported or outcome not in OBSERVED), "an outcome without a start")
        if not turn.imported:
            denied = call.approval is not None and call.approval["decision"] == "denied"
            need(denied == (outcome == "denied"), "the outcome contradicts the decision")
        need(self.evidence_fits(turn, call, body), "the outcome cannot rest on this evidence")
        self.check_values(turn, body)
        if outcome == "unknown":
            turn.unknown = True
            self.unknown.append(dispatch)
            self.standing.clear()
        call.outcome = outcome

    @staticmethod
    def evidence_fits(turn, call, body):
        evidence, outcome = body.get("evidence"), body["outcome"]
        if turn.imported:
            return evidence == "imported"
        if outcome in OBSERVED:
            return evidence in ("live", "receipt")
        if outcome == "unknown":
            return evidence == "none"
        if outcome == "not_executed" and call.start is not None:
            return evidence in ("live", "receipt", "not_launched")
        return evidence is None

    @staticmethod
    def check_values(turn, body):
        code, signal, outcome = body.get("exit_code"), body.get("signal"), body["outcome"]
        need(code is None or signal is None, "exit code and signal")
        need(outcome in OBSERVED or (code is None and signal is None), "an end of what did not end")
        if not turn.imported:
            need(outcome != "completed" or code == 0, "completed without exit code 0")
            need(outcome != "failed" or code not in (0, None) or signal is not None, "failed without a failure")
        output = {"output", "output_bytes", "output_sha256"} & body.keys()
        need(len(output) == (3 if "dispatch" in body else 0), "an output exactly with an execution")
        for name in ("truncated", "output_lost", "pipe_held"):
            need(body.get(name, True) is True, f"{name} is written only when true")

    def turn_extended(self, _seq, body, _raw):
        turn = self.current(body)
        need(not turn.imported and not turn.unknown and body["by"] == "user", "no extension is due")

    def turn_ended(self, _seq, body, _raw):
        turn, status = self.current(body), body["status"]
        need(turn.open_call() is None, "a call is open")
        need(status in STATUSES, "unknown status")
        need(turn.answered or status != "completed", "completed without an answer")
        need(turn.imported or not turn.answered or status == "completed", "an answer that is not complete")
        unconfirmed = turn.unknown and not turn.imported
        need(status != "unconfirmed_effects" or unconfirmed, "nothing is unconfirmed")
        need(not unconfirmed or status in ("unconfirmed_effects", "interrupted"), "an unknown effect")
        self.turn = None

    def acknowledged(self, _seq, body, _raw):
        need(self.turn is None and body["statements"], "no statement is due")
        need(body["by"] in ("user", "imported"), "not somebody's word")
        gating = self.gating(False)
        places = []
        for said in body["statements"]:
            need(said["statement"] in STATEMENTS, "unknown statement")
            need(said["dispatch"] in gating, "a statement about what needs none")
            places.append(gating.index(said["dispatch"]))
        need(places == sorted(set(places)), "statements out of order")
        self.stated |= {said["dispatch"] for said in body["statements"]}

    def tail_moved(self, _seq, body, _raw):
        need(re.fullmatch("[0-9a-f]{64}", body["sha256"]), "not a hash")

    def session_renamed(self, _seq, body, _raw):
        need(len(body["title"].encode()) <= 1024, "the title is too long")


# --- the file -----------------------------------------------------------------


def check_line(line, seq, sid, prev, verify):
    need(line.endswith(b"\n"), "it has no newline")
    need(len(line) <= MAX_LINE, "it is longer than 1 MiB")
    need(b"\r" not in line, "it has a carriage return")
    need(len(line) > TRAILER, "it has no trailer")
    unsigned, trailer = line[:-TRAILER], line[-TRAILER:]
    prefix, signature = PREFIX.match(unsigned), SIGNATURE.fullmatch(trailer)
    need(prefix and signature, "it is not in its one form")
    need(int(prefix["seq"]) == seq, f"its number is {prefix['seq'].decode()}, not {seq}")
    need(prefix["prev"].decode() == prev, "it does not follow the line before it")
    need(sid in (None, prefix["sid"]), "it belongs to another session")
    message = b"candor-journal:1\n" + unsigned
    need(verify(message, bytes.fromhex(signature[1].decode())), "its signature does not verify")
    try:
        text = unsigned[prefix.end() :].decode("utf-8")
    except UnicodeDecodeError:
        raise Bad("it is not UTF-8") from None
    need(text == text.strip(), "white space around the body")
    return prefix["sid"], prefix["type"].decode(), text


def verify_journal(data, key):
    need(len(data) <= MAX_JOURNAL, "the journal is longer than 64 MiB")
    need(data, "the journal is empty")
    verify, session = verifier(key), Session()
    sid, prev, seq = None, "0" * 64, -1
    for seq, line in enumerate(split_lines(data)):
        try:
            sid, kind, text = check_line(line, seq, sid, prev, verify)
            body, raw = read_body(kind, text)
            if seq == 0 and kind == "session_started":
                named = hashlib.sha256(key).hexdigest()[:16]
                need(body["key_id"] == named, "it names another key")
            session.take(seq, kind, body, raw)
        except (Bad, KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            reason = error if isinstance(error, Bad) else f"its body is not one of its type ({error!r})"
            raise Bad(f"line {seq + 1}: {reason}") from None
        prev = hashlib.sha256(line).hexdigest()
    return sid.decode(), seq + 1, prev


def split_lines(data):
    """Lines end with a line feed and with nothing else."""
    lines = data.split(b"\n")
    rest = lines.pop()
    return [line + b"\n" for line in lines] + ([rest] if rest else [])


def main(arguments):
    if len(arguments) != 2:
        print("usage: verify.py JOURNAL PUBLIC_KEY_HEX", file=sys.stderr)
        return 64
    try:
        need(re.fullmatch("[0-9a-f]{64}", arguments[1]), "the key is not 64 hexadecimal digits")
        with open(arguments[0], "rb") as file:
            data = file.read(MAX_JOURNAL + 1)
        sid, records, head = verify_journal(data, bytes.fromhex(arguments[1]))
    except (Bad, OSError) as error:
        print(f"The journal does not verify: {error}.")
        return 1
    print(f"Session {sid} verifies: {records} records, head {head}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
