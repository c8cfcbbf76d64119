import { COMMANDS } from './login-commands.ts'
import { isOddLetters } from './named-things.ts'
import { isPlaceholder } from './placeholder.ts'
import { surprise } from './randomness.ts'
import { isHex, isUuid } from './value-shapes.ts'
import type { WrittenForm } from './written-form.ts'

/** Anchors are parted by `,`, since some hold a space. */
const FORMS: readonly WrittenForm[] = [
  ...COMMANDS,
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
    anchors: 'auth(,auth=(,auth ,credentials(,credentials.basic(,.login(,_login(',
    pattern:
      /(?:auth(?:=\(|\(| )|credentials(?:\.basic)?\(|[._]login\()\s{0,3}["'`][^"'`\s]{1,100}["'`],\s{0,3}["'`]([^"'`\s]{6,128})["'`]/iy,
    isChosen: 'has digits',
    allowsInside: true,
    needs: 'chance',
  },
  {
    rule: 'login_call',
    anchors: 'jwt.sign(,jwt.verify(,jwt.encode(,jwt.decode(',
    pattern: /jwt\.\w{4,6}\([^,()]{1,200},\s{0,3}["']([^"'\s]{6,256})["']/iy,
    isChosen: true,
  },
  {
    rule: 'login_directive',
    anchors: 'requirepass ,masterauth ,bindpw ,rootpw ,radius-server key ,tacacs-server key ',
    pattern: /[a-z]{6,11}(?:-server key)?\s{1,16}["']?([^\s"'<>{}]{6,128})["']?\s{0,9}$/iy,
    isChosen: true,
  },
  {
    rule: 'login_directive',
    anchors: 'password 7 ,secret 5 ,secret 8 ,secret 9 ,key 7 ',
    pattern: /[a-z]{3,8} [5789] (\S{8,128})/iy,
    isChosen: true,
  },
  {
    rule: 'login_directive',
    anchors: 'snmp-server community ',
    pattern: /snmp-server community (\S{6,64})/iy,
    isChosen: true,
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
    isChosen: true,
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
    isChosen: true,
  },
  {
    rule: 'spoken_secret',
    anchors: 'using password ,with password ,and password ',
    pattern: /(?:using|with|and) password ["'`]?([^\s"'`<>(){}]{6,64}[^\s"'`<>(){}.,:?])/iy,
    isChosen: true,
  },
  {
    rule: 'spoken_secret',
    anchors: 'credentials: ,creds: ,login: ,credentials are ,credentials = ',
    pattern:
      /(?:credentials|creds|login)(?::| are| =)\s{1,3}["'`]?[\w.@-]{2,64}["'`]?\s{0,2}[/:|]\s{0,2}["'`]?([^\s"'`<>(){}]{6,64})/iy,
    isChosen: true,
  },
  {
    rule: 'spoken_secret',
    anchors: 'password is ,passphrase is ,password | ',
    pattern: /(?:password|passphrase) (?:is:?|\|)\s{1,9}["'`]?([^\s"'`|<>(){}]{6,64}[^\s"'`|<>(){}.,:?])/iy,
    isChosen: true,
  },
  {
    rule: 'spoken_secret',
    anchors: 'token is ,key is ,secret is ,token `,key `,secret `',
    pattern: /(?:token|key|secret) (?:is:? )?["'`]?([\w+/=.~-]{12,256})/iy,
    isChosen: true,
    needs: 'chance',
  },
  {
    rule: 'spoken_secret',
    anchors: 'with key ,with token ,with api key ,using key ',
    pattern: /(?:with|using) (?:api )?(?:key|token) ["'`]?([\w+/=~-]{16,256})(?![\w.:/])/iy,
    isChosen: true,
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
    isChosen: true,
  },
]

/** The forms as structures: the secret of one as a span of the line. */
export const WRITTEN_FORMS = FORMS.map((form) => ({
  rule: form.rule,
  anchors: form.anchors.split(','),
  needs: form.needs,
  find: (line: string, at: number) => findWritten(form, line, at),
}))

function findWritten(form: WrittenForm, line: string, at: number) {
  // In the midst of a word it is another one.
  if (!form.allowsInside && /[A-Za-z0-9]{2}/.test(line.slice(Math.max(0, at - 1), at + 1))) return undefined
  form.pattern.lastIndex = at
  const found = form.pattern.exec(line)
  const value = found?.at(-1)
  if (!found || !value || isPlaceholder(value) || /^[$<{%[(]/.test(value)) return undefined
  const isEnough = form.isChosen === 'has digits' && /\d/.test(value) && /[A-Za-z]/.test(value)
  if (form.isChosen && !isEnough && !looksChosen(value)) return undefined
  // A key may be that of a message or of a signature, and these are known by such names.
  if ((isHex(value) || isUuid(value)) && /^(?:with |using )?key /i.test(found[0])) return undefined
  const start = found.index + found[0].lastIndexOf(value)
  return [start, start + value.length] as const
}

/** Letters and digits, or letters and signs, that no name of a thing has. */
export function looksChosen(value: string): boolean {
  if (isUuid(value) || (isHex(value) && /\d/.test(value) && value.length >= 16)) return true
  if (isOddLetters(value)) return true
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[\w-]+[./][\w./-]+$/.test(value)) return false
  if (/^[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{1,2}$/.test(value)) return surprise(value) >= 5.2
  return surprise(value) >= 4.4 || (/[!@#$%^&*?~]/.test(value) && !/:/.test(value))
}
