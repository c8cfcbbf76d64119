import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PYTHON = '/usr/bin/python3'

/** What every script begins with: the input, and a way to answer it. */
const START = `
import json, os, socket, sys, time
given = json.load(sys.stdin)
def answer(payload):
    artifact = {"type": given["allowedArtifactTypes"][0], "payload": payload,
        "dependsOnLedgerIds": given["allowedLineage"]["dependsOnLedgerIds"][:1],
        "metadata": {"generatedAt": "2025-01-19T10:05:00Z"}}
    json.dump({"ok": True, "executionId": given["executionId"], "status": "succeeded", "artifacts": [artifact]}, sys.stdout)
    sys.stdout.flush()
`

/** Tries everything that an engine must not be able to do, and answers what came of each try. */
const THIEF = `
got = {}
def attempt(name, act):
    try:
        got[name] = str(act())[:2000]
    except BaseException as error:
        got[name] = "REFUSED " + type(error).__name__
def connect(host, port):
    with socket.create_connection((host, port), timeout=3) as s:
        s.sendall(b"GET /healthz HTTP/1.0\\r\\n\\r\\n")
        return "CONNECTED " + s.recv(100).decode("latin1")
def write(path):
    with open(path, "w") as file:
        file.write("THEFT")
    return "WROTE"
wanted = given["constraints"]
attempt("environment", lambda: json.dumps(dict(os.environ)))
for path in wanted["files"]:
    attempt("read " + path, lambda: "READ " + open(path, "rb").read(200).decode("latin1"))
for path in wanted["folders"]:
    attempt("list " + path, lambda: "LISTED " + ",".join(os.listdir(path)))
for path in wanted["writes"]:
    attempt("write " + path, lambda: write(path))
for host, port in wanted["hosts"]:
    attempt("connect %s:%s" % (host, port), lambda: connect(host, port))
attempt("resolve", lambda: "RESOLVED " + socket.gethostbyname("example.com"))
attempt("parent", lambda: open("/proc/%d/environ" % os.getppid(), "rb").read().decode("latin1"))
attempt("processes", lambda: ",".join(sorted(p for p in os.listdir("/proc") if p.isdigit())))
attempt("scratch", lambda: write("/tmp/notes"))
attempt("scratch was empty", lambda: ",".join(name for name in os.listdir("/tmp") if name != "notes"))
attempt("descriptors", lambda: ",".join(sorted(os.listdir("/proc/self/fd"))))
answer(got)
`

const SCRIPTS = {
  good: 'answer({"plan": "A plan."})',
  thief: THIEF,
  hung: 'time.sleep(600)',
  deaf: 'import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nanswer({})\ntime.sleep(600)',
  crashed: 'answer({})\nos._exit(3)',
  killed: 'os.kill(os.getpid(), 9)',
  silent: 'pass',
  chatty: 'print("hello")\nanswer({})',
  flooding: 'while True: sys.stdout.write("x" * 65536)',
  shouting: 'while True: sys.stderr.write("y" * 65536)',
  hungry: 'hoard = []\nwhile True: hoard.append(bytearray(8 * 1024 * 1024))',
  sharing:
    'import mmap\nhoard = mmap.mmap(-1, 400 << 20)\nfor at in range(0, 400 << 20, 4096): hoard[at] = 1\ntime.sleep(600)',
  forking: 'while True:\n    if os.fork() == 0: time.sleep(600)',
  lying: 'given["executionId"] = "exec-other"\nanswer({"plan": "x"})',
  slow: `
for share in range(1, 9):
    print(json.dumps({"progress": share / 10, "note": "step %d" % share}), file=sys.stderr, flush=True)
    time.sleep(0.4)
print("not a report " + json.dumps(given["intelligenceSnapshot"]), file=sys.stderr, flush=True)
time.sleep(given["constraints"].get("rest", 0))
answer({"plan": "slow"})`,
} as const

export type ScriptName = keyof typeof SCRIPTS

/** Engines in Python, in a folder of their own. */
export interface EngineScripts extends Disposable {
  readonly folder: string
  /** The policies of all of them, by name. */
  readonly engines: Readonly<Record<ScriptName, object>>
}

/** Writes the scripts; each may use little, so that a test does not wait long for what goes too far. */
export function writeEngineScripts(): EngineScripts {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-engines-'))
  const engines = Object.entries(SCRIPTS).map(([name, text]) => {
    const file = join(folder, `${name}.py`)
    writeFileSync(file, `${START}\n${text}\n`)
    const limits = { timeout_seconds: 20, memory_mb: 128, max_output_bytes: 20_000 }
    const short = ['hung', 'deaf'].includes(name) ? { timeout_seconds: 1 } : {}
    return [name, { kind: 'command', command: [PYTHON, file], ...limits, ...short }]
  })
  return {
    folder,
    engines: Object.fromEntries(engines) as EngineScripts['engines'],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
