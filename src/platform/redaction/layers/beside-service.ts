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
const OTHER =
  /^(?:id|ids|uuid|guid|hash|sha\w*|md5|digest|checksum|commit|rev|revision|version|etag|build|image|tag|ref|trace|span|request|session|user|account|project|org|file|path|name|url|event|object|ray|cid|public|pub|fingerprint|integrity|resolved|node|block|tx|transaction|address|release|issue)$/

export function claimBesideService(line: string, claims: Claim[]): void {
  for (const { 0: key, index } of line.matchAll(KEY)) {
    if (!/\d/.test(key) || !/[a-f]/i.test(key) || shannon(key) < MIN_BITS) continue
    if (isBesideService(line, index, isDigest(key)))
      claims.push({ rule: 'keyword_value', start: index, end: index + key.length, rank: RANK.keyword })
  }
}

/** Whether the name of a service stands right before a place; no common word where the value may be a digest. */
export function isBesideService(line: string, at: number, canBeDigest: boolean): boolean {
  const before = BETWEEN.exec(line.slice(Math.max(0, at - BEFORE_CHARS), at))?.[1]
  return before !== undefined && namesService(before, canBeDigest)
}

/** A commit or a checksum, by its length. */
function isDigest(key: string): boolean {
  return key.length === 40 || key.length === 64
}

/** The last words of a text; one written with humps may be several of them. */
function namesService(text: string, canBeDigest: boolean): boolean {
  const words = wordsOfName(text).slice(-5)
  if (words.some((word) => OTHER.test(word))) return false
  if (!canBeDigest && words.some((word) => COMMON_SERVICES.has(word))) return true
  return words.some((word, at) => SERVICES.has(word) || SERVICES.has(word + (words[at + 1] ?? '')))
}
