import { SERVICES } from '../formats/service-names.ts'
import { foreignLevel } from './foreign-words.ts'
import { wordsOfName } from './name-words.ts'

/**
 * What the name of a value says about it: `password` and `secret` names hold secrets of any shape, a `weak`
 * name one that looks made by chance, a `public` one none; `plain` says nothing.
 */
export type KeyLevel = 'password' | 'secret' | 'weak' | 'plain' | 'public'

const PASSWORD_WORDS = words(
  'password passwords passwd passwort pwd passphrase passcode pgpassword mysqlpwd dbpass userpass authtok passowrd ' +
    'passwrd pswd psswd pswrd psword psswrd pssword paswd paswrd pasword ' +
    'contrasena contrase senha kennwort wachtwoord passe parola heslo salasana jelszo lozinka adgangskode haslo sifre ' +
    'losenord parool sandi passord contrasenya geslo slaptazodis pasahitza lykilord motdepasse',
)
/** Other words run on into it: `dockerpass`. */
const PASSWORD_WITHIN = /(?:password|passwd|passphrase|pwd|[a-z]{2}pass)$/
/** Names of libraries. */
const LIBRARIES = words('jsonwebtoken secretsmanager')
const NO_PASSWORDS = words(
  'bypass compass surpass trespass encompass overpass underpass subpass multipass renderpass lowpass highpass ' +
    'bandpass allpass firstpass onepass singlepass',
)
/** Too short to mean a password in the midst of a name. */
const PASSWORD_ENDINGS = words('pass pw psk')
const SECRET_WORDS = words(
  'secret secrets token apikey apitoken accesstoken authtoken secretkey accesskey privatekey clientsecret ' +
    'credential credentials creds cred jwt bearer masterkey signingkey encryptionkey authkey accesskeyid accessid ' +
    'licensekey accountkey sharedkey sessiontoken refreshtoken idtoken apisecret appsecret webhooksecret authorization ' +
    'secrete secreto segreto segredo',
)
const SECRET_ENDINGS =
  /(?:password|passwd|passphrase|secrets?|token|(?:api|secret|access|private|auth|shared|account|deploy|service|app)keys?(?:id)?|credentials|creds)$/
/** Before the word `key`, these make it a secret. */
const KEY_QUALIFIERS = words(
  'api access private secret signing sign encryption encrypt decryption auth license master account shared service ' +
    'subscription ssh hmac aes client app application admin root deploy webhook global server authorization jwt ' +
    'session crypto crypt storage write read sas cipher ibm sl cloud iam cos preshared priv consumer s',
)
/** Before the word `key`, these make it a name of something. */
const PLAIN_QUALIFIERS = words(
  'primary foreign form cache partition sort index map object lookup group composite unique row column routing ' +
    'idempotency registry query i18n translation host known hot short arrow enter escape tab function modifier row ' +
    'data item list table json dict hash bucket s3 config state store react child parent sub dedupe trace event metric ' +
    'migration setting settings natural candidate surrogate any each first last next prev current old new no not by',
)
const WEAK_WORDS = words(
  'key auth login session sid sessionid cookie csrf xsrf csrftoken sig signature otp pin seed mnemonic license serial ' +
    'dsn apitokens tokens verifier hmac sas webhook nonce salt csrfmiddlewaretoken passwordhash',
)
const PUBLIC_WORDS = words(
  'public pub pubkey publickey integrity checksum digest sha sha1 sha256 sha384 sha512 md5 crc crc32 etag commit rev revision oid ' +
    'fingerprint thumbprint hash hashes websocket blake2b blake3 narhash nar resolved cid shasum certificate cert sourcemap ' +
    'mappings buildid changeset cksum checksums sum ray accept socket sitekey verification x5t x5c boundary',
)
/** A name that ends so is about a secret, not one itself. */
const ABOUT_WORDS = words(
  'id ids hash hashes digest checksum fingerprint thumbprint name names url urls uri type types count counts length len size path paths file filename dir folder expiry expires ' +
    'expiration expire ttl at time timestamp date age version status error errors label text placeholder hint description ' +
    'title message msg field fields regex regexp pattern format policy rule rules min max limit limits usage used budget ' +
    'provider store manager service handler endpoint method mode kind class list map set index ref refs arn region issuer required ' +
    'enabled disabled valid verified present strength reset change changed history page form input host port user username ' +
    'email prefix suffix env variable var scope scopes algorithm alg header headers parameter param params prompt column ' +
    'table schema source target location uuid guid kid spec options config settings request response callback ' +
    'validator validation verify check checker test tests helper factory builder generator parser lexer stream stdin ' +
    'tgz zip gz tar bz2 xz iso whl jar deb rpm exe frequency interval duration timeout period lifetime delay rate',
)

const NO_KEYS = words('rekey monkey donkey turkey hockey jockey whiskey hotkey passkey lackey smokey mickey')

/** A token after one of these says where a list goes on. */
const PAGE_WORDS = words('next page continuation pagination cursor')

/** A name with one of these says itself that the value is none. */
const UNREAL_WORDS = words('non invalid wrong fake dummy mock bad bogus expired example sample')

/** What Bundler logs in to a host with is called after the host. */
const BUNDLER = /^BUNDLE_\w{2,60}__(?:COM|ORG|NET|IO|DEV)$/

/** No word for a secret is shorter: names of chance fall into short parts. */
const MIN_WORD_CHARS = 3
const NINE = 57

const CACHE_ENTRIES = 5_000
const cache = new Map<string, KeyLevel>()

/** Judges a name such as `DB_PASSWORD`, `clientSecret`, `x-api-key` or `sha256`. */
export function keyLevel(name: string): KeyLevel {
  const known = cache.get(name)
  if (known) return known
  const level = foreignLevel(name) ?? (BUNDLER.test(name) ? 'secret' : judgeName(name))
  // Names come from outside: the memory of them stays small.
  if (cache.size >= CACHE_ENTRIES) cache.clear()
  cache.set(name, level)
  return level
}

/** Whether a text is itself a word for a password or a secret, in one language or another. */
export function isSecretName(text: string): boolean {
  return PASSWORD_WORDS.has(text) || SECRET_WORDS.has(text)
}

/** The words of a name in lower case, trailing digits left out. */
export function splitName(name: string): string[] {
  const parts: string[] = []
  for (const word of wordsOfName(name)) {
    const own = PUBLIC_WORDS.has(word) ? word : withoutNumber(word)
    if (own !== '') parts.push(own)
  }
  return parts
}

function withoutNumber(word: string): string {
  let end = word.length
  while (end > 0 && word.charCodeAt(end - 1) <= NINE) end--
  return end === word.length ? word : word.slice(0, end)
}

function judgeName(name: string): KeyLevel {
  // What holds it may be made up for a test, and the value is still given.
  const parts = splitName(name)
  const dot = name.lastIndexOf('.')
  const own = dot < 0 ? parts : splitName(name.slice(dot + 1))
  return own.some((part) => UNREAL_WORDS.has(part)) ? 'public' : judge(parts)
}

function judge(parts: string[]): KeyLevel {
  const last = parts.at(-1)
  if (last === undefined) return 'plain'
  if (parts.includes('access') && last === 'id') return 'secret'
  if (last === 'token' && (PAGE_WORDS.has(parts.at(-2) ?? '') || isAssemblyKey(parts))) return 'public'
  if (parts.some((part) => PUBLIC_WORDS.has(part)) && !parts.some(isSecretWord) && !endsInSecretKey(parts))
    return 'public'
  if (last === 'key' && parts.at(-2) === 'public') return 'public'
  if (ABOUT_WORDS.has(last) && parts.length > 1) return IDENTIFYING.has(last) ? 'public' : 'plain'
  if (IDS.has(last)) return 'public'
  if (PASSWORD_ENDINGS.has(last) || (parts.at(-2) === 'pass' && parts.length <= 3)) return 'password'
  if (parts.some(isPasswordWord)) return 'password'
  if (parts.some(isSecretWord)) return 'secret'
  const key = parts.lastIndexOf('key')
  if (key > 0) return keyQualifier(parts[key - 1] as string)
  if (last.length >= 4 && last.endsWith('key') && !NO_KEYS.has(last)) return keyQualifier(last.slice(0, -3))
  return WEAK_WORDS.has(last) || key === 0 ? 'weak' : 'plain'
}

/** `PublicKeyToken` is a part of the name of a .NET assembly. */
function isAssemblyKey(parts: readonly string[]): boolean {
  return parts.slice(-3).join(' ') === 'public key token' || parts.at(-2) === 'publickey'
}

function isPasswordWord(part: string): boolean {
  if (part.length < MIN_WORD_CHARS) return false
  return PASSWORD_WORDS.has(part) || (PASSWORD_WITHIN.test(part) && !NO_PASSWORDS.has(part))
}

/** `cert_private_key` is no certificate. */
function endsInSecretKey(parts: readonly string[]): boolean {
  if (parts.includes('public') || parts.includes('pub')) return false
  return parts.at(-1) === 'key' && KEY_QUALIFIERS.has(parts.at(-2) ?? '')
}

function keyQualifier(before: string): KeyLevel {
  if (KEY_QUALIFIERS.has(before) || SERVICES.has(before)) return 'secret'
  return PLAIN_QUALIFIERS.has(before) ? 'plain' : 'weak'
}

function isSecretWord(part: string): boolean {
  if (part.length < MIN_WORD_CHARS || LIBRARIES.has(part)) return false
  return SECRET_WORDS.has(part) || PASSWORD_WORDS.has(part) || SECRET_ENDINGS.test(part)
}

const IDENTIFYING = words(
  'id ids uuid guid hash hashes digest checksum fingerprint thumbprint name names url urls uri path file filename version kid arn',
)

/** These name a thing even when they stand alone. */
const IDS = words('id ids uuid guid ulid cuid oid kid')

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}
