import { type Claim, RANK } from '../finding.ts'
import { hasSignAndDigit } from '../looks/chosen-password.ts'
import { foreignLevel } from '../looks/foreign-words.ts'
import { looksChosen } from '../looks/looks.ts'
import { hasFewCharacters, isPlaceholder } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'
import { isCode, isHex } from '../looks/value-shapes.ts'
import { findBearer, findHeader } from './header-credentials.ts'
import { WRITTEN_FORMS } from './written-secrets.ts'

/** A place where the form of a text says that a secret follows. */
export interface Structure {
  rule: string
  anchors: readonly string[]
  /** Finds the secret at an anchor that begins at `at`, as a span of the line. */
  find(line: string, at: number): readonly [start: number, end: number] | undefined
}

/** The user may be called by an address of mail. */
const USERINFO = /:\/\/([^\s/:@"'`<>\\?#]{0,128}(?:@[\w.-]{1,64})?):([^\s/"'`<>\\]{1,256})@(?=[\w[$%{.-])/y
const DATABASE_USERINFO =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|mssql|oracle|sqlserver|clickhouse|ldaps?|smtps?|ftps?|sftp)(?:\+\w{1,20})?:\/\/([^\s/:@"'`<>\\]{0,128}):([^\s"'`<>\\]{1,256})@(?=[\w[.-]{1,255}(?:[:/?,"'`\s]|$))/y
const USER_ONLY = /:\/\/([A-Za-z0-9_+=-]{16,256})@(?=[\w[.-])/y
const AUTHORIZATION =
  /authorization(?:["'`\]\\]{0,4})(?:\s{0,4}(?:=>|[:=]|,(?=\s{0,4}["'`\\]))\s{0,4})["'`\\]{0,3}(?:(?:basic|bearer|token|apikey|api-key|api-token|digest|negotiate|key|aws4-hmac-sha256|[A-Za-z]{2,12}-?(?:token|key|auth))[ :]{1,3})?((?!authorization)[^\s"'`\\,;<]{6,100})/iy
const SCHEME = /(?:bearer|basic)\s{1,3}([A-Za-z0-9_.~+/=:%|-]{8,100})/iy
/** The beginning of a value is enough to judge it by; this is the rest of one that is taken. */
const REST = /[^\s"'`\\,;<]{0,4096}/y
const USER_FLAG =
  /(?:--user|--proxy-user|-u)(?:\s{1,3}|=)?["']?([^\s"':$<]{0,128})["']?:["']?([^\s"']{0,256})/y
const NETRC = /password\s{1,3}([^\s:=]\S{3,255})/y
/** A string of a program, or the type of a column. */
const NO_PASSWORD = /^(?:[{'"]|n?(?:var)?char|varbinary|text\b|string\b)/i
const IDENTIFIED =
  /identified (?:with ['"`]?\w{3,40}['"`]? )?(?:by|as) (?:password )?(['"])([^'"\s]{4,128})\1/iy
const IDENTIFIED_PLAIN = /identified by ([A-Za-z0-9_#$!@]{6,64})(?=[\s;\\"')]|$)/iy
const SPOKEN =
  /(?:token|secret|api[ _-]?key|access[ _-]?key)\s{1,2}(?:is\s)?["'`]?([0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9A-Za-z-])/iy
const TELEGRAM = /:AA[\w-]{32,35}(?![\w-])/y
/** Nothing follows that makes it the password hash or the token service. */
const NAMED =
  / (?:is (?:the|my)|as(?: (?:the|my|your|its|an?|(?:the )?\w{2,12}))?) (?:pass(?:word|phrase|code)?|secret|token|api key)\s{0,3}(?:$|[.,;:!)"']|(?:for|to|of|in|and|on)\b)/iy
/** What follows is read from its end, so that only one place is tried. */
const NAMED_VALUE = /$(?<=([^\s"'`#|/<>()][^\s"'`|/<>()]{5,189})["'`]?)/
const DSN = /$(?<=(?:^|[\s"'`=/])[\w.$-]{1,64}:([^\s"'`]{2,128}))/
const HOST_WORD = /[A-Z_]{3,255}(?![\w.])/y
const SSHPASS = /sshpass\s{1,3}-p\s{0,2}["']?([^\s"']{4,128})/y

/** Secrets that stand in a place made for them: web addresses, headers, command lines, files of logins. */
export const STRUCTURES: readonly Structure[] = [
  { rule: 'url_password', anchors: ['://'], find: findUserinfo },
  {
    rule: 'auth_header',
    anchors: [
      'authorization',
      'auth_header',
      'auth header',
      'auth-header',
      '-token',
      '-key',
      'apikey',
      '-secret',
      'art-api',
    ],
    find: (line, at) => findHeader(line, at) ?? findAuthorization(line, at),
  },
  {
    rule: 'auth_header',
    anchors: ['bearer '],
    find: (line, at) => findBearer(line, at) ?? findScheme(line, at),
  },
  { rule: 'auth_header', anchors: ['basic '], find: findScheme },
  { rule: 'login_flag', anchors: ['--user', '--proxy-user', ' -u'], find: findUserFlag },
  { rule: 'netrc_password', anchors: ['password '], find: findNetrc },
  { rule: 'login_flag', anchors: ['sshpass '], find: (line, at) => findAt(SSHPASS, 1, line, at) },
  { rule: 'sql_password', anchors: ['identified by ', 'identified with '], find: findIdentified },
  {
    rule: 'spoken_secret',
    anchors: ['token ', 'secret ', 'apikey ', 'api key ', 'api_key ', 'access key '],
    find: (line, at) => findAt(SPOKEN, 1, line, at),
  },
  { rule: 'telegram_token', anchors: [':aa'], find: findTelegram },
  { rule: 'url_password', anchors: ['@tcp(', '@unix('], find: findDsnPassword },
  {
    rule: 'spoken_secret',
    anchors: [' is the ', ' is my ', ' as the ', ' as your ', ' as my ', ' as a ', ' as pass'],
    find: findNamedAfter,
  },
  ...WRITTEN_FORMS,
]

/** Claims what a structure finds at its anchor. */
export function claimStructure(structure: Structure, line: string, at: number, claims: Claim[]): void {
  const [start, end] = structure.find(line, at) ?? []
  if (start === undefined || end === undefined) return
  claims.push({ rule: structure.rule, start, end, rank: RANK.structure })
}

function runAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(line)
}

function spanOf(found: RegExpExecArray, value: string): readonly [number, number] {
  const end = found.index + found[0].lastIndexOf(value) + value.length
  return [end - value.length, end]
}

function findUserinfo(line: string, at: number) {
  const scheme = /[a-z+]{2,30}$/i.exec(line.slice(Math.max(0, at - 30), at))?.[0] ?? ''
  const found = runAt(DATABASE_USERINFO, line, at - scheme.length) ?? runAt(USERINFO, line, at)
  const password = found?.[2]
  if (found && password && !isReference(password) && !/^\d{1,5}[/?#]/.test(password))
    return isPattern(found, line) ? undefined : spanOf(found, password)
  const alone = runAt(USER_ONLY, line, at)
  if (!alone?.[1] || !(isHex(alone[1]) || (/\d/.test(alone[1]) && surprise(alone[1]) >= 5))) return undefined
  return spanOf(alone, alone[1])
}

/** `scheme://USER:PASS@HOST`: all of it says what is to be filled in. */
function isPattern({ 0: whole, 1: user = '', 2: password = '', index }: RegExpExecArray, line: string) {
  return (
    [user, password].every((part) => /^[A-Z_]{2,}$/.test(part)) &&
    runAt(HOST_WORD, line, index + whole.length) !== null
  )
}

/** A password in an address is taken for one, be it ever so plain, unless it stands for another text. */
function isReference(password: string): boolean {
  if (/^\$\w/.test(password) && hasSignAndDigit(password.slice(1))) return false
  return (
    /^(?:[$<[(].*|%(?![0-9A-F]{2}).*|\*.*\*|[#@]\{.*|\{[A-Za-z_. ]*\}|\{\{.*|x{3,}|\.{2,}|\*+)$/i.test(
      password,
    ) || /^[A-Z_]*\$\{/.test(password)
  )
}

function findAuthorization(line: string, at: number) {
  if (!/authorization/iy.test(line.slice(at, at + 13))) return undefined
  const found = runAt(AUTHORIZATION, line, at)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || !isCredential(value)) return undefined
  return wholeValue(line, found.index + found[0].length, value)
}

function wholeValue(line: string, end: number, value: string): readonly [number, number] {
  return [end - value.length, end + (runAt(REST, line, end)?.[0].length ?? 0)]
}

function findScheme(line: string, at: number) {
  const found = runAt(SCHEME, line, at)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || !isCredential(value)) return undefined
  if (/^basic/i.test(found[0]) && !isLogin(value)) return undefined
  return wholeValue(line, found.index + found[0].length, value)
}

/** Base64 of `user:password`. */
function isLogin(value: string): boolean {
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(value) && Buffer.from(value, 'base64').includes(':')
}

/** Not a word of prose, a variable or a call. */
function isCredential(value: string): boolean {
  if (value.length < 8 || /[({[]|:\/\//.test(value)) return false
  if (/\d/.test(value)) return surprise(value) >= 4.4 || isHex(value)
  return value.length >= 16 && !isCode(value) && surprise(value) >= 5.5
}

function findUserFlag(line: string, at: number) {
  const from = line[at] === ' ' ? at + 1 : at
  const found = runAt(USER_FLAG, line, from)
  if (!found) return undefined
  const [whole, user = '', password = ''] = found
  if (line.startsWith('-u', from) && !/\bcurl\b/.test(line.slice(Math.max(0, at - 300), at))) {
    // A command that goes on from the line before begins with a flag.
    if (line.slice(Math.max(0, from - 300), from).trim() !== '' || !looksChosen(password)) return undefined
  }
  if (password === '') return user.length >= 10 && /\d/.test(user) ? spanOf(found, user) : undefined
  if (isReference(password) || isPlaceholder(password) || isPlaceholder(`${user}:${password}`))
    return undefined
  if (password.length < 4 || /^\d{1,6}$|^\/\//.test(password)) return undefined
  return [found.index + whole.length - password.length, found.index + whole.length] as const
}

function findNetrc(line: string, at: number) {
  const isAlone = /^\s*password\s+\S+\s*$/.test(line.slice(0, 300))
  if (
    !isAlone &&
    !/\blogin\s+(?!(?:and|or)\s)\S+\s+(?:\w+\s+\S+\s+)?$/.test(line.slice(Math.max(0, at - 200), at))
  )
    return undefined
  const found = runAt(NETRC, line, at)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || isReference(value) || NO_PASSWORD.test(value))
    return undefined
  if (isAlone && !(/\d/.test(value) && /[A-Za-z]{2}/.test(value) && value.length >= 8)) return undefined
  return spanOf(found, value)
}

/** The number before the colon belongs to the token. */
function findTelegram(line: string, at: number) {
  const id = /(?<!\d)\d{8,10}$/.exec(line.slice(Math.max(0, at - 11), at))?.[0]
  const found = id && runAt(TELEGRAM, line, at)
  return found ? ([at - id.length, at + found[0].length] as const) : undefined
}

/** `user:password@tcp(host)` */
function findDsnPassword(line: string, at: number) {
  const found = DSN.exec(line.slice(Math.max(0, at - 200), at))
  const password = found?.[1]
  return password && !isReference(password) ? ([at - password.length, at] as const) : undefined
}

/** `… is the password`: what stands before. */
function findNamedAfter(line: string, at: number) {
  if (!runAt(NAMED, line, at)) return undefined
  const before = line.slice(Math.max(0, at - 200), at)
  const value = NAMED_VALUE.exec(before)?.[1]
  if (!value || isPlaceholder(value) || !looksChosen(value)) return undefined
  const start = at - before.length + before.lastIndexOf(value)
  return [start, start + value.length] as const
}

/** `identified by 'password'`; without quotes it has to look like one. */
function findIdentified(line: string, at: number) {
  const quoted = findAt(IDENTIFIED, 2, line, at)
  if (quoted) return foreignLevel(line.slice(...quoted)) === undefined ? quoted : undefined
  const found = runAt(IDENTIFIED_PLAIN, line, at)
  const value = found?.[1]
  return found && value && !isPlaceholder(value) && looksChosen(value) ? spanOf(found, value) : undefined
}

function findAt(pattern: RegExp, group: number, line: string, at: number) {
  const found = runAt(pattern, line, at)
  const value = found?.[group]
  return found && value && !isReference(value) && /[\d\W_]/.test(value) && !hasFewCharacters(value)
    ? spanOf(found, value)
    : undefined
}
