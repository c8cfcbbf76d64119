import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { createRedactor } from '../src/platform/redaction/redactor.ts'

const CORPUS = join(import.meta.dirname, '../../shared/corpora/secrets-open.jsonl.gz')
const LOG_BYTES = 20_000_000
const HOSTILE_CHARS = 400_000
const ROUNDS = 5

interface Row {
  label: 'secret' | 'benign'
  tier: string
  source: string
  text: string
  secret?: string
}

interface Bar {
  name: string
  measured: number
  unit: string
  atLeast?: number
  atMost?: number
}

function tell({ name, measured, unit, atLeast, atMost }: Bar): void {
  const isCleared =
    measured >= (atLeast ?? Number.NEGATIVE_INFINITY) && measured <= (atMost ?? Number.POSITIVE_INFINITY)
  const bar = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
  console.log(`${name}: ${measured.toFixed(2)} ${unit} (${bar}) ${isCleared ? 'PASS' : 'FAIL'}`)
  if (!isCleared) process.exitCode = 1
}

/** Processor time of this process: what else runs on the machine does not count. */
function cpuMillis(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const redactor = createRedactor()

function isGone({ text, secret }: Row): boolean {
  const shown = redactor.redact(text)
  return secret === undefined ? shown !== text : !shown.includes(secret)
}

function share(rows: readonly Row[], holds: (row: Row) => boolean): number {
  return (100 * rows.filter(holds).length) / Math.max(1, rows.length)
}

function judgeCorpus(rows: readonly Row[]): void {
  const of = (label: Row['label'], ...tiers: string[]) =>
    rows.filter((row) => row.label === label && tiers.includes(row.tier))
  const isTouched = ({ text }: Row) => redactor.redact(text) !== text
  for (const tier of ['core', 'entropy', 'hard']) {
    console.log(`  recall on ${tier}: ${share(of('secret', tier), isGone).toFixed(1)} %`)
  }
  for (const tier of ['clean', 'high_entropy_benign', 'lockfile']) {
    console.log(`  false positives on ${tier}: ${share(of('benign', tier), isTouched).toFixed(1)} %`)
  }
  const known = share(of('secret', 'core', 'entropy', 'hard'), isGone)
  tell({ name: 'recall on core, entropy and hard rows', measured: known, unit: '%', atLeast: 96 })
  const keyword = share(of('secret', 'keyword'), isGone)
  tell({ name: 'recall on keyword rows', measured: keyword, unit: '%', atLeast: 60 })
  const benign = share(of('benign', 'clean', 'high_entropy_benign'), isTouched)
  tell({ name: 'false positives on clean and high-entropy rows', measured: benign, unit: '%', atMost: 1.5 })
  const real = of('benign', 'clean', 'high_entropy_benign', 'lockfile').filter(({ source }) =>
    source.startsWith('repo-lines'),
  )
  tell({
    name: 'false positives on lock files and repository lines',
    measured: share(real, isTouched),
    unit: '%',
    atMost: 0,
  })
}

/** Lines as servers write them; the same ones in every run. */
function ordinaryLog(): string {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return (seed >>> 8) % below
  }
  const hex = (length: number) =>
    (random(0x7fffffff).toString(16) + random(0x7fffffff).toString(16)).padStart(length, '0').slice(0, length)
  const paths = [
    '/api/v1/flows/flow_research_brief',
    '/srv/app/src/audit/audit-log.ts',
    '/healthz',
    '/data/base/16384/2619',
  ]
  const kinds: ((time: string) => string)[] = [
    (time) =>
      `${time} INFO  done method=GET path=${paths[random(4)]} status=200 ms=${random(900)} id=${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    (time) =>
      `${time} DEBUG [worker-${random(9)}] cache miss for key user:${random(1e6)}, loading from the database`,
    (time) =>
      `${time} WARN  slow query (${random(5_000)} ms): SELECT id, name FROM flows WHERE vault_id = $1 ORDER BY created_at LIMIT 50`,
    () =>
      `{"level":30,"time":17000${random(1e8)},"pid":${random(9_999)},"hostname":"hub-1","msg":"operation finished","caller":"agent-${random(9)}"}`,
    () => '    at processTicksAndRejections (node:internal/process/task_queues:105:5)',
    (time) => `${time} INFO  checked out ${hex(14)}${hex(14)}${hex(12)} on branch main`,
    () =>
      `10.0.1.${random(255)} - - [12/Mar/2026:12:00:01 +0000] "GET ${paths[random(4)]} HTTP/1.1" 200 ${random(9_999)} "-" "Mozilla/5.0 (X11; Linux x86_64)"`,
    (time) => `${time} INFO  session opened for agent, token count ${random(9_000)}, auth mode bearer`,
  ]
  const lines: string[] = []
  for (let bytes = 0; bytes < LOG_BYTES; ) {
    const time = `2026-03-${10 + random(20)}T12:${10 + random(50)}:07.${100 + random(900)}Z`
    const line = kinds[random(kinds.length)]?.(time) ?? ''
    lines.push(line)
    bytes += line.length + 1
  }
  return lines.join('\n')
}

/** Megabytes a second, the best of a few rounds. */
function speedOf(text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const begun = cpuMillis()
    redactor.redact(text)
    best = Math.min(best, Math.max(0.05, cpuMillis() - begun))
  }
  return text.length / 1_000 / best
}

/** Letters and digits as chance has them; the same ones in every run. */
function chance(length: number, seed = 1): string {
  const signs = 'ABCDEFGHJKMNPQRSTVWXZabcdefghjkmnpqrstvwxz23456789'
  let [text, at] = ['', seed]
  for (; text.length < length; at = (at * 1_103_515_245 + 12_345) & 0x7fffffff)
    text += signs[(at >>> 8) % signs.length]
  return text
}

/** So many of a piece, each with other letters and digits of chance. */
function varied(count: number, piece: (letters: string) => string): string {
  return Array.from({ length: count }, (_, seed) => piece(chance(54, seed + 1))).join('')
}

const HOSTILE: Record<string, string> = {
  'repeated prefix ghp_': 'ghp_',
  'repeated prefix sk-': 'sk-',
  'repeated halves of a JWT': 'eyJaaaaaaaa.',
  'repeated password:': 'password:',
  'repeated password= on lines': 'password=\n',
  'repeated open quotes': 'password="',
  'repeated open brackets': 'token=(((((',
  'repeated user info': 'https://a:b@',
  'repeated headers': 'authorization: bearer ',
  'repeated marks': '[REDACTED:jwt]',
  'repeated secrets': 'token: "a1b2c3d4e5f6g7h8" ',
  'one line of base64': 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVowMTIz',
  'one line of one letter': 'A',
  'minified code': 'function a(b,c){return b.key=c,d.token=e(f),g}',
  'endless PEM openings': '-----BEGIN RSA PRIVATE KEY-----\n',
  'repeated beginnings of password hashes': '$6$a1',
  'repeated ports of logins': ':5432:abcd1234efgh',
  'repeated ports alone': ':5432:',
  'repeated names of a header': 'authorization:',
  'halves of JWTs joined by lines': 'eyJaa-',
  'pairs within pairs': 'key:a:b:',
  'repeated calls': 'auth(',
  'words of another script': 'пароль:',
  'quotes written for web pages': '&quot;password&quot;:',
  'PEM openings on one line': '-----BEGIN RSA PRIVATE KEY-----',
  'repeated colours': '\u001b[31mpassword=',
  'repeated fallbacks': 'key || "',
  'calls in calls': 'key=Buffer.from(',
  'lists of passwords': 'passwords:\n- a1b2c3d4\n',
  'comments of a signature': '-----BEGIN PGP SIGNATURE-----Comment: a ',
  'mail addresses as users': 'https://a@b:',
  'words given to a password': 'identified by a1b2c3 ',
  'dots behind a token': `${chance(64)}${'.'.repeat(1_200)}a `,
  'one letter behind a token': `${chance(256)}${'x'.repeat(8_000)}a `,
  'lines behind a token': `${chance(256)}${'-'.repeat(14_000)}a `,
  'a number and a long word': `12${chance(14_000).replaceAll(/\d/g, 'q')}-a `,
  'stars in quotes': `password="${'*'.repeat(150)}a" `,
  'stars in a header': `authorization:${'*'.repeat(90)}a `,
  'a name, spaces and a sign': `key:${' '.repeat(190)}=\n`,
  'a long name and a sign': `key${'a'.repeat(196)}|\n`,
  'a value and spaces': `password:\nabcdef${' '.repeat(14_000)}x\n`,
  'a quoted value and spaces': `password:\n"a1b2c3d4"${' '.repeat(14_000)},\n`,
  'a key that is none': `-----BEGIN RSA PRIVATE KEY-----\n${'n'.repeat(15_000)}!\n`,
  'a certificate that is none': `-----BEGIN CERTIFICATE-----\n${'n'.repeat(15_000)}!\n`,
  'a version and spaces': `apiVersion: v1${' '.repeat(14_000)}x\n`,
  'data and spaces': `apiVersion: v1\ndata:${' '.repeat(14_000)}x\n`,
  'an entry and spaces': `apiVersion: v1\ndata:\n  a:${' '.repeat(14_000)}"x"x\n`,
  'data of dots': `apiVersion: v1\nkind: Secret\ndata:\n  a: ${'.'.repeat(1_000)}a\n`,
  'spaces and flags': `${' '.repeat(6_000)}${' -u:'.repeat(2_500)}\n`,
  'phrases as passwords': 'passwd = "correct horse battery staple" ',
  'users of databases': '=a:@tcp(',
  'words before their name': `${'a'.repeat(190)}( is the password.`,
  'names of chance': varied(5_000, (letters) => `k${letters.slice(0, 4)},`),
  'tokens of chance': varied(5_000, (letters) => `${letters.slice(0, 17)} `),
  'secrets on lines': 'pw=a1b2c3\n',
  'secrets on one line': 'pw=a1b2c3 ',
  'quoted secrets on one line': 'password="a1b2c3",',
  'members of chance': varied(5_000, (letters) => `"x":"${letters.slice(0, 40)}",`),
  'keys in quotes': varied(5_000, (letters) => `key="${letters.slice(0, 20)}" `),
  'ids and bars': '1|',
  'signs that part': 'password=a&b',
  'rows of passwords': '| password | a1!b2c3 |\n',
  'one row of passwords': '| password | a1!b2c3 ',
  'a name and wide gaps': `password${' '.repeat(3_000)}x!\n`,
  'names of columns': `password${',key'.repeat(900)}\n`,
  'escaped headers': 'authorization:\\ bearer\\ ',
  'members of settings': 'okta: "authorization", value=',
  'signs beside passwords': 'password x!a1b2c3 ',
  'letters beside passwords': `password ${'a'.repeat(58)}@1 `,
  'words beside passwords': `password ${'aB-c'.repeat(15)}#1 `,
  'tokens beside services': varied(5_000, (letters) => `okta ${letters.slice(0, 20)} `),
  'columns of a dump': `COPY u (${'password,'.repeat(200)}a) FROM stdin;\n`,
  'lines in base64': Buffer.from('password=a1b2c3!d4\n').toString('base64'),
  'printed quotes that stay open': 'password: “',
  'maps of passwords': 'passwords:\n  a: b1!c2d3\n',
  'verdicts of tests': 'PASS: a1!b2c3\n',
  'two bytes a character': 'p\0w\0=\0a\0!\x001\0',
  'a long list of passwords': `passwords:\n${'- a1b2c3d4\n'.repeat(40)}`,
}

if (!existsSync(CORPUS)) {
  console.log('the corpus of labelled lines is not beside this checkout: nothing to measure recall on')
  process.exitCode = 1
} else {
  const lines = gunzipSync(readFileSync(CORPUS)).toString().trim().split('\n')
  judgeCorpus(lines.map((line) => JSON.parse(line) as Row))
}
const log = ordinaryLog()
tell({ name: 'ordinary log of 20 MB', measured: speedOf(log), unit: 'MB/s', atLeast: 40 })
for (const [name, piece] of Object.entries(HOSTILE)) {
  const text = piece.repeat(Math.ceil(HOSTILE_CHARS / piece.length))
  const speed = speedOf(text)
  const growth = speedOf(text.slice(0, text.length / 2)) / speed
  console.log(`  ${name}: twice the text takes ${(2 * growth).toFixed(2)} times as long`)
  tell({ name, measured: speed, unit: 'MB/s', atLeast: 2 })
}
