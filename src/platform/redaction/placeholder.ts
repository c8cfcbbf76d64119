import { surprise } from './randomness.ts'

/** Stands for a value that is filled in elsewhere. */
const REFERENCE =
  /^(?:\$\{[^}]*\}|\$\(.*\)|\$\{\{.*\}\}|\{\{.*\}\}|\{[\w.]*\}|\$[A-Za-z_]\w*|%[\w()]*%?|<[^<>]*>|<%.*%>|#\{.*\}|@\w+@|\[[^\]]*\]|`.*|!\w+ .*)$/
const FILLER = /^(?:[x*.#?_0-]+|[x*.•…-]{3,}.*|.*(?:x{5,}|X{5,}|\*{3,}|\.{3,}|…)\W*)$/i
const SAYS_SO =
  /example|sample|dummy|fake|placeholder|change.?me|(?:^|[^a-z])(?:your|my|some|the|insert|enter|replace|todo)(?:[^a-z]|$)|redacted|not.?real|foo.?bar|here$|lorem/i
const NO_VALUE = new Set(
  (
    'password passwd passphrase secret token null none nil undefined true false string str number boolean bool int ' +
    'object array any unknown void required optional default empty test testing admin root user username changeit ' +
    'apikey api_key bearer basic private public text hidden disabled enabled missing invalid expired optional ' +
    'username:password user:password user:pass username:token test:test admin:admin'
  ).split(' '),
)
/** A value as surprising and long as this is a secret even where it says `example`. */
const REAL_BITS = 5.5
const REAL_CHARS = 20

/** Whether a value only holds the place of a secret. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value) || NO_VALUE.has(value.toLowerCase())) return true
  if (FILLER.test(value) || hasFewCharacters(value)) return true
  return SAYS_SO.test(value) && !(value.length >= REAL_CHARS && surprise(value) >= REAL_BITS)
}

/** Whether a text is one or two characters over and over. */
export function hasFewCharacters(text: string): boolean {
  const distinct = new Set(text.slice(0, 64).toLowerCase()).size
  return distinct <= 2 || (text.length >= 24 && distinct <= 4)
}
