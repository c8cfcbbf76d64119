"""A sample engine: groups keywords into clusters. One JSON document in on stdin, one out on stdout."""

import json
import re
import sys
from collections import Counter
from datetime import datetime, timezone

SMALL_WORDS = {"a", "an", "and", "for", "how", "in", "is", "of", "on", "or", "the", "to", "what", "with"}
DEFAULT_CLUSTERS = 10


def progress(share, note):
    """Tells the host how far we are: a line of JSON on stderr."""
    print(json.dumps({"progress": share, "note": note}), file=sys.stderr, flush=True)


def words_of(keyword):
    return [word for word in re.findall(r"\w+", keyword.lower()) if word not in SMALL_WORDS]


def cluster(keywords, limit):
    """Puts each keyword to the most common of its words. Replace this with your own work."""
    counts = Counter(word for keyword in keywords for word in set(words_of(keyword)))
    clusters = {}
    for keyword in keywords:
        words = words_of(keyword) or [keyword]
        head = max(words, key=lambda word: (counts[word], word))
        clusters.setdefault(head, []).append(keyword)
    ranked = sorted(clusters.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"topic": topic, "keywords": found} for topic, found in ranked[:limit]]


def artifact(given, kind, payload):
    return {
        "type": kind,
        "payload": payload,
        # Only ids that were handed over may be named here.
        "dependsOnLedgerIds": given["allowedLineage"]["dependsOnLedgerIds"],
        "metadata": {
            "generatedAt": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
            "model": "sample-clusterer",
        },
    }


def answer(given):
    """What goes back to the host. It checks every part and keeps nothing that does not fit."""
    result = {"ok": False, "executionId": given["executionId"], "status": "failed"}
    if "seo_cluster" not in given["allowedArtifactTypes"]:
        message = "This engine makes keyword clusters only."
        return result | {"error": {"code": "VALIDATION_ERROR", "message": message, "retryable": False}}
    keywords = [str(word) for word in given["intelligenceSnapshot"].get("keywords", [])]
    progress(0.3, f"{len(keywords)} keywords read")
    clusters = cluster(keywords, int(given["constraints"].get("maxClusters", DEFAULT_CLUSTERS)))
    progress(0.9, f"{len(clusters)} clusters found")
    artifacts = [artifact(given, "seo_cluster", {"clusters": clusters})]
    return {"ok": True, "executionId": given["executionId"], "status": "succeeded", "artifacts": artifacts}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
