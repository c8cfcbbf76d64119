"""Checks a copy of the audit log without the hub: a second implementation of docs/storage.md, "Check a copy elsewhere".

Reads lines of any of the three forms from stdin, drops what came twice, and says whether each record has the hash that
follows from its place, its values and the record before it. Exits with 1 where one has not, or one is missing.
"""
import hashlib
import json
import sys

BASIC = ["at", "vault_id", "surface", "caller_kind", "caller_id", "client", "operation", "target_kind", "target_id",
         "outcome", "code", "duration_us", "policy_revision", "repeats"]
REFERENCES = ["grant_id", "flow_id", "flow_version", "seat_id", "request_id"]


def own_form(line):
    document = json.loads(line)
    if "raw_data" in document:
        return json.loads(document["raw_data"])
    if "original" in document.get("event", {}):
        return json.loads(document["event"]["original"])
    return document


def hash_of(record):
    values = [record["previous_hash"], record["seq"], *(record[name] for name in BASIC)]
    references = [record[name] for name in REFERENCES]
    if any(value is not None for value in references):
        values += references
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def main():
    records = {}
    for line in sys.stdin:
        try:
            record = own_form(line)
        except ValueError:
            continue  # a line that was torn when the hub was killed: it is told once more
        records.setdefault(record["seq"], record)
    previous = None
    for seq in sorted(records):
        record = records[seq]
        if hash_of(record) != record["hash"]:
            sys.exit(f"Record {seq} is not as it was written.")
        if previous is not None and (previous["seq"] + 1 != seq or previous["hash"] != record["previous_hash"]):
            sys.exit(f"Something is missing before record {seq}.")
        previous = record
    print(f"{len(records)} records, {min(records)} to {max(records)}")


main()
