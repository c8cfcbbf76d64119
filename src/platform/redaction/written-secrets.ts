import { isPlaceholder } from './placeholder.ts'
import { surprise } from './randomness.ts'
import { isHex, isUuid } from './value-shapes.ts'

/** A form of words, a command or a directive that a secret belongs to: the last group of the pattern. */
interface WrittenForm {
  rule: string
  anchors: string
  /** Tried at the anchor. What may stand between is bounded, so that a failed try is cheap. */
  pattern: RegExp
  /** The form alone does not tell a secret from a word: it must look like one. */
  isChosen?: true
}

const VALUE = `["']?([^\\s"'|;&<>]{4,128})`
const UP_TO = '[^|;]{0,120}?\\s'

function command(anchors: string, program: string, flag: string): WrittenForm {
  return { rule: 'login_flag', anchors, pattern: new RegExp(`${program}\\s${UP_TO}${flag}${VALUE}`, 'iy') }
}

/** Anchors are parted by `,`, since some hold a space. */
const FORMS: readonly WrittenForm[] = [
  command('mysql ,mysqldump ,mysqladmin ,mariadb ', '(?:mysql(?:dump|admin)?|mariadb)', '-p(?=\\S)'),
  command(
    'docker login,podman login,az login,mongosh ,mongodump ,mongorestore ',
    '\\w+(?: login)?',
    '-p[ =]',
  ),
  command('redis-cli ', 'redis-cli', '-a '),
  command('ldapsearch ,ldapadd ,ldapmodify ,ldapwhoami ', 'ldap[a-z]{3,6}', '-w '),
  command('openssl ', 'openssl', '-pass(?:in|out)? pass:'),
  command('smbclient ', 'smbclient', '-U [\\w.\\\\-]{1,40}%'),
  {
    rule: 'login_flag',
    anchors: 'htpasswd -',
    pattern: /htpasswd -\w{0,4}b\w{0,3} (?:\S{1,200} )?[\w.@-]{1,60} ([^\s"';|]{4,128})/y,
  },
  {
    rule: 'login_flag',
    anchors: 'net user ',
    pattern: /net user [\w.\\-]{1,60} ([^\s"'*/]{6,128})/iy,
    isChosen: true,
  },
  {
    rule: 'login_flag',
    anchors: 'echo ',
    pattern: /echo (?:-\w )?["']?[\w.-]{1,40}:([^\s"'|]{4,128})["']?\s{0,3}\|\s{0,3}(?:sudo )?chpasswd/iy,
  },
  {
    rule: 'login_flag',
    anchors: 'securestring ',
    pattern: /SecureString (?:-String )?["']([^"'$]{4,128})["']/iy,
  },
  {
    rule: 'login_call',
    anchors: 'networkcredential(',
    pattern: /NetworkCredential\(\s{0,3}[^,()]{1,200},\s{0,3}["']([^"'\s]{4,128})["']/iy,
  },
  {
    rule: 'login_call',
    anchors: 'getconnection(,mysqli_connect(,new mysqli(,new pdo(,dbi->connect(',
    pattern:
      /[\w>-]{3,20}(?: \w{3,6})?\((?:\s{0,3}[^,()]{1,200},){2}\s{0,3}["']([^"'\s]{4,128})["']\s{0,3}[,)]/iy,
  },
  {
    rule: 'login_call',
    anchors: 'jwt.sign(,jwt.verify(,jwt.encode(,jwt.decode(',
    pattern: /jwt\.\w{4,6}\([^,()]{1,200},\s{0,3}["']([^"'\s]{6,256})["']/iy,
    isChosen: true,
  },
  {
    rule: 'login_directive',
    anchors: 'requirepass ,masterauth ,bindpw ,rootpw ',
    pattern: /[a-z]{6,11}\s{1,16}["']?([^\s"'<>{}]{6,128})["']?\s{0,9}$/iy,
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
  { rule: 'login_directive', anchors: ': psk ', pattern: /: PSK ["']([^"'\s]{6,128})["']/iy },
  {
    rule: 'login_directive',
    anchors: ':5432:,:*:*:,:3306:',
    pattern: /:[\d*]{1,5}:(?:[\w*-]{1,63}:){1,2}([^\s:"']{6,128})\s{0,3}$/iy,
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
      /(?:with|encrypted|set) (?:encrypted )?password[^'"]{0,9}(?:for '[^']{1,64}'(?:@'[^']{1,64}')?)?[^'"]{0,16}'([^'\s]{4,128})'/iy,
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
  find: (line: string, at: number) => findWritten(form, line, at),
}))

function findWritten(form: WrittenForm, line: string, at: number) {
  // In the midst of a word it is another one.
  if (/[A-Za-z0-9]{2}/.test(line.slice(Math.max(0, at - 1), at + 1))) return undefined
  form.pattern.lastIndex = at
  const found = form.pattern.exec(line)
  const value = found?.at(-1)
  if (!found || !value || isPlaceholder(value) || /^[$<{%[(]/.test(value)) return undefined
  if (form.isChosen && !looksChosen(value)) return undefined
  // A key may be that of a message or of a signature, and these are known by such names.
  if ((isHex(value) || isUuid(value)) && /^(?:with |using )?key /i.test(found[0])) return undefined
  const start = found.index + found[0].lastIndexOf(value)
  return [start, start + value.length] as const
}

/** Letters and digits, or letters and signs, that no name of a thing has. */
function looksChosen(value: string): boolean {
  if (isUuid(value) || (isHex(value) && /\d/.test(value) && value.length >= 16)) return true
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || /^[\w-]+[./][\w./-]+$/.test(value)) return false
  if (/^[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{1,2}$/.test(value)) return surprise(value) >= 5.2
  return surprise(value) >= 4.4 || (/[!@#$%^&*?~]/.test(value) && !/:/.test(value))
}
