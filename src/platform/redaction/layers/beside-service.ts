import { type Claim, RANK } from '../finding.ts'
import { COMMON_SERVICES, SERVICES } from '../formats/service-names.ts'
import { wordsOfName } from '../looks/name-words.ts'
import { shannon } from '../looks/randomness.ts'

/**
 * Hexadecimal digits and UUIDs say nothing by themselves: most are digests and ids. Right behind the name of a
 * service that gives out keys they are such a key, if no word between them says what else they are.
 */
const KEY =
  /(?<![\w./@#%-])(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24,128})(?![\w-])/gi
/** Digits that repeat themselves hold a place. */
const MIN_BITS = 2.6
const BEFORE_CHARS = 60
/** What may stand between the two: the rest of a name, and what gives a value to it. */
const BETWEEN =
  /([A-Za-z][\w. -]{2,58}?)(?:["'`\])*\\]{0,8}\s{0,3}(?::=|=>|[:=(,|>]|\s|"\svalue=)\s{0,3}){1,2}[\\"'`*]{0,8}$/
/** What so many hexadecimal digits may be instead. */
type Digest = 'commit' | 'checksum' | undefined
const DIGESTS: ReadonlyMap<number, Digest> = new Map([
  [40, 'commit'],
  [64, 'checksum'],
])
/** Of these there are commits and packages, which the same digits name. */
const CODE = /github|gitlab|docker|npm|nuget|pypi|vagrant/i
const OTHER =
  /^(?:id|ids|uuid|guid|hash|sha\w*|md5|digest|checksum|commit|rev|revision|version|etag|build|image|tag|ref|trace|span|request|session|user|account|project|org|file|path|name|url|event|object|ray|cid|public|pub|fingerprint|integrity|resolved|node|block|tx|transaction|address|release|issue)$/

export function claimBesideService(line: string, claims: Claim[]): void {
  for (const { 0: key, index } of line.matchAll(KEY)) {
    if (!/\d/.test(key) || !/[a-f]/i.test(key) || shannon(key) < MIN_BITS) continue
    if (isBesideService(line, index, DIGESTS.get(key.length)))
      claims.push({ rule: 'keyword_value', start: index, end: index + key.length, rank: RANK.keyword })
  }
}

/** Whether the name of a service stands right before a place; a commit may be that of a branch which is called so. */
export function isBesideService(line: string, at: number, digest: Digest): boolean {
  const near = line.slice(Math.max(0, at - BEFORE_CHARS), at)
  // Words are read faster than what is between them.
  if (!hasService(wordsOfName(near))) return false
  const [between, before] = BETWEEN.exec(near) ?? []
  if (before === undefined || between === undefined) return false
  const isGiven = /[^\w\s.-]/.test(between.slice(before.length))
  return namesService(
    before,
    digest === 'checksum' || (digest === 'commit' && (!isGiven || CODE.test(before))),
  )
}

function hasService(words: readonly string[], isCommon = true): boolean {
  return (
    (isCommon && words.some((word) => COMMON_SERVICES.has(word))) ||
    words.some((word, at) => SERVICES.has(word) || SERVICES.has(word + (words[at + 1] ?? '')))
  )
}

/** The last words of a text; one written with humps may be several of them. */
function namesService(text: string, canBeDigest: boolean): boolean {
  const words = wordsOfName(text).slice(-5)
  if (words.some((word) => OTHER.test(word))) return false
  return hasService(words, !canBeDigest)
}
