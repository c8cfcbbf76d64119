import { hasSignAndDigit } from '../looks/chosen-password.ts'
import { LOOKS } from '../looks/looks.ts'
import { isPlaceholder } from '../looks/placeholder.ts'
import { isHex, isUuid } from '../looks/value-shapes.ts'
import { COMMANDS } from './login-commands.ts'
import { SPOKEN } from './spoken-secrets.ts'
import type { WrittenForm } from './written-form.ts'

/** Anchors are parted by `,`, since some hold a space. */
const FORMS: readonly WrittenForm[] = [
  ...COMMANDS,
  ...SPOKEN,
  {
    // A token that is told with the number of its row: `12|…`.
    rule: 'high_entropy',
    anchors: '0|,1|,2|,3|,4|,5|,6|,7|,8|,9|,%7c',
    pattern: /(?<=(?<![\w|.%-])\d{0,9})(?:\d\||(?<=\d)%7c)((?:[a-z]{2,16}_)?[A-Za-z0-9]{20,256})(?![\w|])/iy,
    looks: 'chosen',
    allowsInside: true,
  },
  {
    // `new AuthenticationHeaderValue("Bearer", "…")`
    rule: 'auth_header',
    anchors: 'headervalue(',
    pattern: /headervalue\(\s{0,3}"[a-z-]{3,20}",\s{0,3}"([^"\s]{4,4096})"/iy,
    allowsInside: true,
  },
  {
    rule: 'auth_header',
    anchors: '"bearer",',
    pattern: /"bearer",\s{0,3}"([^"\s]{6,4096})"/iy,
    looks: 'carried',
    allowsInside: true,
  },
  {
    rule: 'auth_header',
    anchors: 'bearer_auth(,bearerauth(,bearertoken(,withtoken(',
    pattern: /(?:bearer_?auth|bearertoken|withtoken)\(\s{0,3}["'`]([^"'`\s]{6,4096})["'`]/iy,
    looks: 'carried',
    allowsInside: true,
  },
  {
    rule: 'login_call',
    anchors: 'networkcredential(',
    pattern: /NetworkCredential\(\s{0,3}[^,()]{1,200},\s{0,3}["']([^"'\s]{4,128})["']/iy,
  },
  {
    rule: 'login_call',
    anchors:
      'getconnection(,mysqli_connect(,new mysqli(,new pdo(,dbi->connect(,ldap_bind(,pymysql.connect(,directoryentry(',
    pattern:
      /[\w>.-]{3,20}(?: \w{3,6})?\((?:\s{0,3}[^,()]{1,200},){2}\s{0,3}["']([^"'\s]{4,128})["']\s{0,3}[,)]/iy,
  },
  {
    rule: 'login_call',
    anchors: 'connect(',
    pattern: /connect\((?:\s{0,3}[^,()]{1,200},){2}\s{0,3}["']([^"'\s]{6,128})["']\s{0,3}[,)]/iy,
    looks: 'strong',
    allowsInside: true,
  },
  {
    // What a script types at a prompt.
    rule: 'login_call',
    anchors: 'send ',
    pattern: /send (?:-- )?"([^"\s\\$]{6,128})\\r/y,
    looks: 'chosen',
  },
  {
    rule: 'login_call',
    anchors: 'auth(,auth=(,auth ,credentials(,credentials.basic(,.login(,_login(',
    pattern:
      /(?:auth(?:=\(|\(| )|credentials(?:\.basic)?\(|[._]login\()\s{0,3}["'`][^"'`\s]{1,100}["'`],\s{0,3}["'`]([^"'`\s]{6,128})["'`]/iy,
    looks: 'withDigits',
    allowsInside: true,
  },
  {
    rule: 'login_call',
    anchors: 'authenticate(,login(,sign_in(,signin(',
    pattern:
      /(?:authenticate|login|sign_?in)\(\s{0,3}["'`][^"'`\s]{1,100}["'`],\s{0,3}["'`]([^"'`\s]{6,128})["'`]/iy,
    looks: 'strong',
    allowsInside: true,
  },
  {
    // What an option of a program has where it is not given.
    rule: 'keyword_value',
    anchors: 'default=,default =',
    pattern:
      /(?<=["'`]--?[\w-]{0,40}(?:pass|pwd|secret|token|key)[\w-]{0,8}["'`],.{0,120})default ?= ?["']([^"'\s]{4,128})["']/iy,
    looks: 'withDigits',
  },
  {
    rule: 'keyword_value',
    anchors: 'default(',
    pattern: /(?<=(?:pass|pwd|secret|token|key)\w{0,8} ?\| ?)default\(\s{0,3}["']([^"'\s]{4,128})["']/iy,
    looks: 'withDigits',
  },
  {
    rule: 'keyword_value',
    anchors: '<input ',
    pattern: /<input\b(?=[^>]{0,400}type=["']?password)[^>]{0,400}?\svalue=["']([^"'\s]{4,128})["']/iy,
    looks: 'withDigits',
  },
  {
    rule: 'url_password',
    anchors: '%3a%2f%2f',
    pattern: /%3a%2f%2f[^%\s]{0,64}%3a((?:[^\s"'<>%&]|%(?!40)[0-9a-f]{2}){2,256})%40/iy,
    allowsInside: true,
  },
  {
    // What a test types into a field.
    rule: 'login_call',
    anchors: '.type(,.fill(,sendkeys(,send_keys(,setvalue(',
    pattern: /(?<=pass[^;]{0,80})\.?(?:type|fill|send_?keys|setvalue)\(\s{0,3}["'`]([^"'`\s]{6,128})["'`]/iy,
    looks: 'withDigits',
    allowsInside: true,
  },
  {
    rule: 'login_call',
    anchors: 'jwt.sign(,jwt.verify(,jwt.encode(,jwt.decode(',
    pattern: /jwt\.\w{4,6}\([^,()]{1,200},\s{0,3}["']([^"'\s]{6,256})["']/iy,
    looks: 'chosen',
  },
  {
    rule: 'login_directive',
    anchors: 'requirepass ,masterauth ,bindpw ,rootpw ,radius-server key ,tacacs-server key ',
    pattern: /[a-z]{6,11}(?:-server key)?\s{1,16}["']?([^\s"'<>{}]{6,128})["']?\s{0,9}$/iy,
    looks: 'chosen',
  },
  {
    rule: 'login_directive',
    anchors: 'password 7 ,secret 5 ,secret 8 ,secret 9 ,key 7 ,enable secret ',
    pattern: /(?:[a-z]{3,8} [5789]|enable secret) (\S{8,128})/iy,
    looks: 'chosen',
  },
  {
    rule: 'login_directive',
    anchors: 'snmp-server community ',
    pattern: /snmp-server community (\S{6,64})/iy,
    looks: 'chosen',
  },
  { rule: 'login_directive', anchors: ': psk ,: eap ', pattern: /: (?:PSK|EAP) ["']([^"'\s]{6,128})["']/iy },
  {
    rule: 'login_directive',
    anchors: 'isakmp key ',
    pattern: /isakmp key (?:[06] )?(\S{6,128}) (?:address|hostname) /iy,
  },
  {
    rule: 'login_directive',
    anchors: ':5432:,:5433:,:6432:,:*:*:,:3306:',
    // A line of a file of logins: nothing stands before the host, and nothing after the password.
    pattern: /(?<=^[\w.*-]{1,120}):[\d*]{1,5}:(?:[\w*-]{1,63}:){1,2}([^\s:"']{6,128})\s{0,3}$/y,
    looks: 'chosen',
  },
  {
    rule: 'url_password',
    anchors: 'oracle:thin:',
    pattern: /oracle:thin:[\w$#]{1,30}\/([^\s@"'/]{4,128})@/iy,
  },
  {
    rule: 'sql_password',
    anchors: 'with password,encrypted password,set password',
    pattern:
      /(?:with|encrypted|set) (?:encrypted )?password(?!_)[^'"]{0,9}(?:for '[^']{1,64}'(?:@'[^']{1,64}')?)?[^'"]{0,16}'([^'\s]{4,128})'/iy,
  },
  {
    rule: 'sql_password',
    anchors: 'alter user ,alter role ,create role ,create user ,alter login ,create login ',
    pattern:
      /(?:alter|create) (?:user|role|login) [^;'"]{1,120}\bpassword\s{0,3}=?\s{0,3}'([^'\s]{4,128})'/iy,
  },
  {
    rule: 'sql_password',
    anchors: 'alter user ,alter role ,create role ,create user ',
    pattern:
      /(?:alter|create) (?:user|role) [^;'"]{1,120}\bpassword\s{1,3}([A-Za-z0-9_#$!@]{6,64})\s{0,3}(?:;|$)/iy,
    looks: 'chosen',
  },
  {
    rule: 'recovery_phrase',
    anchors: 'mnemonic,seed phrase,seed_phrase,seedphrase,recovery phrase',
    pattern:
      /(?:mnemonic|(?:seed|recovery)[ _-]?phrase)\w{0,10}["'\]]{0,2}\s{0,3}[:=]\s{0,3}["'`]?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})/iy,
  },
  {
    rule: 'session_cookie',
    anchors: 'cookie: ,cookie":',
    pattern:
      /cookie["']?:\s{0,3}["']?[^:\n]{0,200}?(?:sess|sid|auth|token)[\w.-]{0,40}=(?!;)([\w.%+/=~!*-]{16,4096})/iy,
    looks: 'chosen',
  },
]

/** A text that stands for another one, or the beginning of an expression. */
const REFERENCE = /^(?:[<{[(]|\$[{(]|%[\w(]*%?$)/

function isReference(value: string): boolean {
  return REFERENCE.test(value) || (value.startsWith('$') && !hasSignAndDigit(value.slice(1)))
}

/** The forms as structures: the secret of one as a span of the line. */
export const WRITTEN_FORMS = FORMS.map((form) => ({
  rule: form.rule,
  anchors: form.anchors.split(','),
  find: (line: string, at: number) => findWritten(form, line, at),
}))

function findWritten(form: WrittenForm, line: string, at: number) {
  // In the midst of a word it is another one.
  if (!form.allowsInside && /[A-Za-z0-9]{2}/.test(line.slice(Math.max(0, at - 1), at + 1))) return undefined
  form.pattern.lastIndex = at
  const found = form.pattern.exec(line)
  const value = found?.at(-1)
  if (!found || !value || isPlaceholder(value) || isReference(value)) return undefined
  if (form.looks && !LOOKS[form.looks](value)) return undefined
  // A key may be that of a message or of a signature, and these are known by such names.
  if ((isHex(value) || isUuid(value)) && /^(?:with |using )?key /i.test(found[0])) return undefined
  const start = found.index + found[0].lastIndexOf(value)
  return [start, start + value.length] as const
}
