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

const MODIFIERS =
  '(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|override|open|' +
  'sealed|data|inline|suspend|virtual|readonly|unsafe|extern(?: "[^"]{0,20}")?|pub(?:\\([^)]{0,40}\\))?|partial|' +
  'local|synchronized|native|const|constexpr|friend|explicit|mutating|required|convenience|fileprivate|' +
  'tailrec|operator|infix|external|expect|actual|inner|companion|implicit|accessor|noinline|crossinline|final)\\s+)*'
const ANNOTATION = /^(?:@[\w.]+(?:\([^()]{0,200}\))?\s+|\[[^\]]{1,200}\]\s+|#\[[^\]]{1,200}\]\s*)+/

const FUNCTION = new RegExp(
  `^${MODIFIERS}(?:function|func|fun|fn|def|defp|defmacro|sub|proc|macro_rules!|macro)\\b\\s*\\*?(.*)$`,
)
const NAMED_CALL = /([\w$]+[?!]?)\s*(?:<[^()]{0,200}>|\[[^()]{0,200}\])?\s*\(/
const RECEIVER = /^\s*\(\s*\w*\s*[*&]?\s*(?:\[\])?([\w.]+)[^)]{0,100}\)/
const GROUP = new RegExp(
  `^${MODIFIERS}(?:class|interface|struct|enum|trait|mod|module|namespace|object|protocol|extension|record|union|` +
    'message|service|defmodule|contract|library|actor|type)\\s+(?:class\\s+|struct\\s+)?([A-Za-z_$](?:[\\w$.]|::)*)',
)
const IMPL =
  /^(?:unsafe\s+)?impl\b(?:<.{0,200}?>)?\s+(?:.{0,200}\bfor\s+)?&?(?:'\w+\s+)?(?:dyn\s+)?(\w+(?:::\w+)*)/
const TEST =
  /^(describe|context|suite|it|test|specify)(?:\.[\w.]+)?(?:\(.{0,100}?\))?\s*\(?\s*(['"`])(.{1,200}?)\2/
const VALUE = new RegExp(`^${MODIFIERS}(?:const|let|var|val|static)\\s+(?:mut\\s+)?([\\w$]+)(.*)$`)
const FUNCTION_VALUE = /=>|=\s*(?:async\s*)?(?:function\b|\($)|=\s*\w+\(.*(?:function\b|=>)/
const ASSIGNED =
  /^(?:module\.exports\.|exports\.)?([\w$.]+)\s*=\s*(?:async\s*)?(function\b|\(.{0,200}=>|\($|[\w$]+\s*=>|\{$|class\b)/
const MEMBER = new RegExp(
  `^${MODIFIERS}(?:get\\s+|set\\s+)?[*#]?([\\w$]+)[?!]?\\s*(?:<[^()]{0,200}>)?\\s*\\(`,
)
const FIELD_FUNCTION = new RegExp(
  `^${MODIFIERS}['"#]?([\\w$]+)['"]?[?!]?\\s*(?::[^=]{0,200})?[=:]\\s*(?:async\\s*)?(?:\\(.{0,200}=>|\\($|[\\w$]+\\s*=>|function\\b)`,
)
const BARE = /^([\w$<>[\],.:*&?~@ ]{0,200}[\s*&>\]])?(~?[\w$]+(?:::~?[\w$]+)*)\s*\(/
const CONTROL =
  /^(?:if|for|foreach|while|switch|catch|return|else|do|try|with|new|await|typeof|throw|yield|super|this|using|lock|when|case|assert|delete|not|and|or|elif|until|unless|import|from|package|require|include|static_assert|defined|sizeof)\b/

/** Finds what a line defines, if it begins a definition where it stands. */
export function findDefinition(line: string, language: Language, place: Place): Definition | undefined {
  const head = line.trim().slice(0, HEAD_LIMIT).replace(ANNOTATION, '')
  if (CONTROL.test(head)) return undefined
  return (
    readFunction(head) ??
    readGroup(head) ??
    readTest(head) ??
    (language.has_constants ? readValue(head) : undefined) ??
    (language.has_bare_functions && place !== 'function' ? readBare(head, language, place) : undefined)
  )
}

function readFunction(head: string): Definition | undefined {
  const rest = FUNCTION.exec(head)?.[1]
  if (rest === undefined) return undefined
  const receiver = RECEIVER.exec(rest)
  const after = receiver ? rest.slice(receiver[0].length) : rest
  const name = NAMED_CALL.exec(after)?.[1] ?? /[\w$.]+[?!]?/.exec(after)?.[0]
  if (name === undefined) return undefined
  return { name: receiver ? `${receiver[1]}.${name}` : name, shape: 'function' }
}

function readGroup(head: string): Definition | undefined {
  const name = (GROUP.exec(head) ?? IMPL.exec(head))?.[1]
  return name === undefined ? undefined : { name, shape: 'group' }
}

function readTest(head: string): Definition | undefined {
  const [, word = '', , title] = TEST.exec(head) ?? []
  if (title === undefined) return undefined
  return { name: title, shape: /^(?:describe|context|suite)$/.test(word) ? 'group' : 'function' }
}

function readValue(head: string): Definition | undefined {
  const [, name, rest = ''] = VALUE.exec(head) ?? []
  if (name !== undefined) return { name, shape: FUNCTION_VALUE.test(rest) ? 'function' : 'value' }
  const [, assigned, what] = ASSIGNED.exec(head) ?? []
  if (assigned === undefined) return undefined
  return { name: assigned, shape: what === '{' || what === 'class' ? 'group' : 'function' }
}

function readBare(head: string, language: Language, place: Place): Definition | undefined {
  if (language.has_constants) return place === 'group' ? readMember(head) : undefined
  const [whole = '', before = '', name] = BARE.exec(head) ?? []
  if (name === undefined || whole.includes('=') || /;\s*$/.test(head)) return undefined
  if (before.trim() === '' && place === 'top' && !/\{\s*$/.test(head)) return undefined
  return { name, shape: 'function' }
}

function readMember(head: string): Definition | undefined {
  const name = (MEMBER.exec(head) ?? FIELD_FUNCTION.exec(head))?.[1]
  return name === undefined ? undefined : { name, shape: 'function' }
}
