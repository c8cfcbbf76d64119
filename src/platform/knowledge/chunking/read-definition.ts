import type { Language } from './code-languages.ts'

/** What a line begins to define. */
export interface Definition {
  readonly name: string
  /** A function ends there; a group has members; a value is one where it goes over several lines. */
  readonly shape: 'function' | 'group' | 'value'
}

/** Where a line stands: at the top of a file, among the members of a group, or inside a function. */
export type Place = 'top' | 'group' | 'function'

const HEAD_LIMIT = 300
/** A remark in the midst of a head. */
const REMARK = /\/\*[^*]{0,100}\*\/\s*/g

const MODIFIER_WORDS =
  'export|default|declare|public|private|protected|internal|static|final|abstract|async|override|open|' +
  'sealed|non-sealed|strictfp|data|inline|suspend|virtual|readonly|unsafe|extern|pub|partial|' +
  'local|synchronized|native|const|constexpr|friend|explicit|mutating|required|convenience|fileprivate|' +
  'tailrec|operator|infix|external|expect|actual|inner|companion|implicit|accessor|noinline|crossinline'
const FUNCTION_WORDS = 'function|func|fun|fn|def|defp|defmacro|sub|proc|macro'
const GROUP_WORDS =
  'class|@?interface|struct|enum|trait|mod|module|namespace|object|protocol|extension|record|union|' +
  'message|service|defmodule|contract|library|actor|type'
const TEST_WORDS = 'describe|context|suite|it|test|specify'
const VALUE_WORDS = 'const|let|var|val'
/** Whatever is defined by a word begins with one of these; most lines do not. */
const DEFINING = new RegExp(
  `^(?:${MODIFIER_WORDS}|${FUNCTION_WORDS}|${GROUP_WORDS}|${TEST_WORDS}|${VALUE_WORDS}|impl|macro_rules|RSpec|feature|scenario|shared_\\w+|[A-Z]+(?:_[A-Z]+)*_?TEST\\w*|TEST\\w*|SCENARIO)\\b`,
)

const MODIFIERS = `(?:(?:${MODIFIER_WORDS}|extern "[^"]{0,20}"|pub\\([^)]{0,40}\\))\\s+)*`
const FUNCTION = new RegExp(`^${MODIFIERS}(?:${FUNCTION_WORDS})\\b\\s*\\*?(.*)$`)
const MACRO = /^macro_rules!\s*(\w+)/
const NAMED_CALL = /([\w$]+[?!]?)\s*(?:<[^()]{0,200}>|\[[^()]{0,200}\])?\s*\(/
/** In Kotlin any words may be a name. */
const QUOTED_NAME = /^\s*`([^`]{1,200})`\s*\(/
const RECEIVER = /^\s*\(\s*\w*\s*[*&]?\s*(?:\[\])?([\w.]+)[^)]{0,100}\)/
const GROUP = new RegExp(
  `^${MODIFIERS}(?:${GROUP_WORDS})\\s+(?:class\\s+|struct\\s+)?([A-Za-z_$](?:[\\w$.]|::)*)`,
)
/** In C a function that gives a structure begins as the structure itself does. */
const ANSWERS_STRUCT = /^(?:\w+\s+){0,4}(?:struct|enum|union)\s+(?!class\b|struct\b)\w+[\s*]+\w+\s*\(/
const IMPL =
  /^(?:unsafe\s+)?impl\b(?:<.{0,200}?>)?\s+(?:.{0,200}\bfor\s+)?&?(?:'\w+\s+)?(?:mut\s+)?(?:dyn\s+)?(\w+(?:::\w+)*)/
const TEST = new RegExp(
  `^(${TEST_WORDS})(?:\\.[\\w.]+)?(?:\\(.{0,100}?\\))?\\s*\\(?\\s*(['"\`])(.{1,200}?)\\2`,
)
/** In Ruby a test may be of a class or a symbol, and is a block. */
const BLOCK_TEST =
  /^(?:RSpec\.)?(describe|context|feature|shared_examples(?:_for)?|shared_context|it|specify|scenario|test)[ (]+(\S.{0,200}?)\)?\s+do(?:\s*\|[^|]{0,100}\|)?$/
/** In C++ a macro begins a test. */
const MACRO_TEST =
  /^(?:TEST(?:_CASE|_F|_P)?|TYPED_TEST|TEMPLATE_TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)\s*\(\s*(?:"([^"]{1,200})".{0,100}|(\w{1,100})\s*,\s*(\w{1,100})|(\w{1,100}))\s*\)\s*\{?$/
/** In Zig a test may be called as what it tests, or have no name. */
const BARE_TEST = /^test(?:\s+[\w.]{1,100})?\s*\{$/
/** After `static` a name is a value only where a type or a value follows: it may be a method as well. */
const VALUE = new RegExp(
  `^${MODIFIERS}(?:(?:${VALUE_WORDS})\\s+(?:mut\\s+)?([\\w$]+)|static\\s+(?:mut\\s+|ref\\s+)?([\\w$]+)(?=\\s*[:=;?!]))(.*)$`,
)
const FUNCTION_VALUE = /=>|=\s*(?:async\s*)?(?:function\b|\($)|=\s*\w+\(.*(?:function\b|=>)/
const ASSIGNED =
  /^(?:module\.exports\.|exports\.)?([\w$.]+)\s*=\s*(?:async\s*)?(function\b|\(.{0,200}=>|\($|[\w$]+\s*=>|\{$|class\b)/
const MEMBER = new RegExp(
  `^${MODIFIERS}(?:get\\s+|set\\s+)?[*#]?([\\w$]+)[?!]?\\s*(?:<[^()]{0,200}>)?\\s*\\(`,
)
/** The kinds of its values are on the lines below. */
const OPEN_MEMBER = new RegExp(`^${MODIFIERS}[*#]?([\\w$]+)<$`)
const FIELD_FUNCTION = new RegExp(
  `^${MODIFIERS}['"#]?([\\w$]+)['"]?[?!]?\\s*(?::[^=]{0,200})?[=:]\\s*(?:async\\s*)?(?:\\(.{0,200}=>|\\($|[\\w$]+\\s*=>|function\\b)`,
)
const FUNCTION_FOLLOWS = /=>|function|\($/
/** `public static final Kind<Of> NAME =`, or what goes on after that, on the lines below. */
const OPEN_FIELD = new RegExp(
  `^${MODIFIERS}[A-Za-z_][\\w$.<>[\\],?@ ]{0,200}\\s([\\w$]+)\\s*=(?:\\s*|\\s.{0,200}[{(\\[,>])$`,
)
const BARE = /^([\w$<>[\],.:*&?~@ ]{0,280}[\s*&>\]])?(~?[\w$]+(?:::~?[\w$]+)*)\s*\(/
const CONTROL =
  /^(?:if|for|foreach|while|switch|catch|return|else|do|try|with|new|await|typeof|throw|yield|super|this|using|lock|when|case|assert|delete|not|and|or|elif|until|unless|import|from|package|require|include|static_assert|defined|sizeof)\b/

/** Members of a class may be called by words that other languages begin statements with. */
const NAMED_SO =
  /^(?:delete|or|and|not|with|from|when|include|require|assert|lock|using|import|package|new)\b(?:<.{0,200}>)?(?:\((?!.*=>).*\)[^()]{0,200}\{|<)$/

/** Finds what a line defines, if it begins a definition where it stands. */
export function findDefinition(line: string, language: Language, place: Place): Definition | undefined {
  const plain = line.trim().slice(0, HEAD_LIMIT)
  const start = plain.includes('/*') ? plain.replace(REMARK, ' ') : plain
  if (!FOREIGN.test(start)) return readHead(start, language, place)
  const found = readHead(start.replace(FOREIGN_LETTERS, spellLetter), language, place)
  return found && { ...found, name: found.name.replace(SPELT, readLetter) }
}

const FOREIGN = /[^\0-\x7f]/
const FOREIGN_LETTERS = /[^\P{L}\0-\x7f]|[^\P{N}\0-\x7f]|[^\P{M}\0-\x7f]/gu
const SPELT = /__x([0-9a-f]{5})__/g

/** Letters of other scripts are spelt out while a line is read: the forms above know only those of English. */
function spellLetter(letter: string): string {
  return `__x${(letter.codePointAt(0) as number).toString(16).padStart(5, '0')}__`
}

function readLetter(_: string, code: string): string {
  return String.fromCodePoint(Number.parseInt(code, 16))
}

function readHead(start: string, language: Language, place: Place): Definition | undefined {
  const head = withoutAnnotations(start)
  const is_script = language.has_constants && language.has_bare_functions
  if (CONTROL.test(head) && !(is_script && place === 'group' && NAMED_SO.test(head))) return undefined
  const named = DEFINING.test(head) ? readNamed(head, language) : undefined
  return (
    named ??
    (language.has_constants ? readAssigned(head) : undefined) ??
    (language.has_bare_functions && place !== 'function' ? readBare(head, language, place) : undefined)
  )
}

/** What is defined by a word before its name. */
function readNamed(head: string, language: Language): Definition | undefined {
  return (
    readFunction(head) ??
    readGroup(head, language) ??
    readTest(head) ??
    (language.has_constants ? readValue(head) : undefined)
  )
}

function readFunction(head: string): Definition | undefined {
  const macro = MACRO.exec(head)?.[1]
  if (macro !== undefined) return { name: macro, shape: 'function' }
  const rest = FUNCTION.exec(head)?.[1]
  if (rest === undefined) return undefined
  const receiver = RECEIVER.exec(rest)
  const after = receiver ? rest.slice(receiver[0].length) : rest
  const plain = withoutKinds(after)
  const quoted = QUOTED_NAME.exec(plain)?.[1]
  if (quoted !== undefined) return { name: quoted, shape: 'function' }
  const name = NAMED_CALL.exec(plain)?.[1] ?? /[\w$.]+[?!]?/.exec(plain)?.[0]
  if (name === undefined) return undefined
  return { name: receiver ? `${receiver[1]}.${name}` : name, shape: 'function' }
}

/** Without what stands in angle brackets, where a bracket may come before that of the function. */
function withoutKinds(text: string): string {
  let [depth, kept] = [0, '']
  for (let at = 0; at < text.length; at++) {
    const is_arrow = text[at] === '>' && /[-=]/.test(text[at - 1] ?? '')
    if (text[at] === '(' && depth === 0) return kept + text.slice(at)
    if (text[at] === '<') depth++
    else if (text[at] === '>' && !is_arrow && depth > 0) depth--
    else if (depth === 0) kept += text[at]
  }
  return kept.trim() === '' ? text : kept
}

function readGroup(head: string, language: Language): Definition | undefined {
  if (language.has_bare_functions && !language.has_constants && ANSWERS_STRUCT.test(head)) return undefined
  const name = (GROUP.exec(head) ?? IMPL.exec(head))?.[1]
  return name === undefined ? undefined : { name, shape: 'group' }
}

function readTest(head: string): Definition | undefined {
  const [, word = '', , title] = TEST.exec(head) ?? []
  if (title === undefined) return readBareTest(head)
  return { name: title, shape: /^(?:describe|context|suite)$/.test(word) ? 'group' : 'function' }
}

function readBareTest(head: string): Definition | undefined {
  const [macro, quoted, suite, part, only] = MACRO_TEST.exec(head) ?? []
  if (macro !== undefined) return { name: quoted ?? only ?? `${suite}.${part}`, shape: 'function' }
  const [, word = '', title] = BLOCK_TEST.exec(head) ?? []
  if (title === undefined)
    return BARE_TEST.test(head) ? { name: head.slice(0, -1).trim(), shape: 'function' } : undefined
  const is_one = /^(?:it|specify|scenario|test)$/.test(word)
  return { name: title.replace(/['"]/g, ''), shape: is_one ? 'function' : 'group' }
}

/** A loop, or a group of tests without a title of its own, may stand around tests, each of which is one by itself. */
export function isLoop(line: string): boolean {
  return LOOP.test(line)
}

const LOOP =
  /^\s*(?:for\b.*\{|(?:describe|context|suite)\s*\(.*\{|[^#/]*\.(?:each\w*|times|forEach)\b.*(?:\{|do(?:\s*\|[^|]*\|)?))\s*$/

function readValue(head: string): Definition | undefined {
  const [, plain, fixed, rest = ''] = VALUE.exec(head) ?? []
  const name = plain ?? fixed
  return name === undefined ? undefined : { name, shape: FUNCTION_VALUE.test(rest) ? 'function' : 'value' }
}

function readAssigned(head: string): Definition | undefined {
  if (!head.includes('=')) return undefined
  const [, assigned, what] = ASSIGNED.exec(head) ?? []
  if (assigned === undefined) return undefined
  return { name: assigned, shape: what === '{' || what === 'class' ? 'group' : 'function' }
}

function readBare(head: string, language: Language, place: Place): Definition | undefined {
  if (language.has_constants) return place === 'group' ? readMember(head) : undefined
  const field = place === 'group' && language.has_kinds_first ? OPEN_FIELD.exec(head)?.[1] : undefined
  if (field !== undefined) return { name: field, shape: 'value' }
  const [whole = '', before = '', name] = BARE.exec(head) ?? []
  if (name === undefined || whole.includes('=') || /;\s*$/.test(head)) return undefined
  if (before.trim() === '' && place === 'top' && !/\{\s*$/.test(head)) return undefined
  return { name, shape: 'function' }
}

function readMember(head: string): Definition | undefined {
  // What none of these forms could fit is told sooner than by trying them.
  const member = head.includes('(') ? MEMBER.exec(head) : null
  const found =
    member ?? OPEN_MEMBER.exec(head) ?? (FUNCTION_FOLLOWS.test(head) ? FIELD_FUNCTION.exec(head) : null)
  const name = found?.[1]
  return name === undefined ? undefined : { name, shape: 'function' }
}

const NAME = /@(?!interface\b)[\w.:]+/y
const RUST = /#!?(?=\[)/y
/** Brackets are values in other languages, so only a list that something follows counts. */
const LISTED = /\[[^\]]{1,200}\](?=\s)/y
const LISTED_ALONE = /^\[[A-Z][\w.]*(?:\(.*)?\]$/
const ONLY_REMARK = /^(?:\/\/|# |\/\*(?:(?!\*\/).)*\*\/$)/

/** What an annotation may begin with. */
const BEGINNINGS = '@#['
const OPENING = '([{'
const CLOSING = ')]}'

/** What a line has behind the annotations, decorators or attributes that it begins with. */
function withoutAnnotations(line: string): string {
  if (!BEGINNINGS.includes(line.charAt(0))) return line
  return line.slice(skipAll(line))
}

/** Whether a line has annotations and nothing else, and whether the last of them goes on below. */
export function findAnnotations(line: string): 'closed' | 'open' | undefined {
  const plain = line.trim()
  if (LISTED_ALONE.test(plain)) return 'closed'
  const at = skipAll(plain)
  if (at > plain.length) return 'open'
  const rest = plain.slice(at)
  return at > 0 && (rest === '' || ONLY_REMARK.test(rest)) ? 'closed' : undefined
}

/** Where the annotations end; beyond the end of the line if they go on below. */
function skipAll(line: string): number {
  let at = 0
  for (let end = findEnd(line, at); end !== undefined; end = findEnd(line, at)) {
    at = end
    while (line[at] === ' ' || line[at] === '\t') at++
  }
  return at
}

/** Where the annotation at a place ends; undefined where there is none. */
function findEnd(line: string, at: number): number | undefined {
  const named = matchEnd(NAME, line, at)
  if (named === undefined) return skipAttribute(line, at)
  const end = line[named] === '(' ? findClose(line, named) : named
  return end >= line.length || /\s/.test(line[end] as string) ? end : undefined
}

function skipAttribute(line: string, at: number): number | undefined {
  const bracket = matchEnd(RUST, line, at)
  return bracket === undefined ? matchEnd(LISTED, line, at) : findClose(line, bracket)
}

function matchEnd(form: RegExp, line: string, at: number): number | undefined {
  form.lastIndex = at
  return form.test(line) ? form.lastIndex : undefined
}

/** Behind the bracket that closes the one at a place; beyond the end of the line if none does. */
function findClose(line: string, start: number): number {
  let depth = 0
  for (let at = start; at < line.length; at++) {
    const letter = line[at] as string
    if (letter === '"' || letter === "'") at = skipText(line, at)
    else if (OPENING.includes(letter)) depth++
    else if (CLOSING.includes(letter) && --depth === 0) return at + 1
  }
  return line.length + 1
}

function skipText(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === line[start]) return at
  }
  return start
}
