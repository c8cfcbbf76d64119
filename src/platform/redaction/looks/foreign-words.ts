/** Words for a password and for a secret in other scripts than the Latin one without accents. */
const PASSWORDS =
  'пароль пароля паролі парола лозинка κωδικός κωδικος סיסמה סיסמא كلمةالمرور المرور السر رمزعبور पासवर्ड รหัสผ่าน ' +
  '密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 hasło lösenord şifre jelszó khẩu contraseña salasõna'
const SECRETS = 'секрет токен 密钥 密鑰 秘钥 秘密 令牌 トークン シークレット 토큰 비밀키'

/** All of them. */
const FOREIGN_WORDS: readonly string[] = `${PASSWORDS} ${SECRETS}`.split(' ')

const PASSWORD = new RegExp(PASSWORDS.split(' ').join('|'), 'iu')
const ANY = new RegExp(FOREIGN_WORDS.join('|'), 'giu')
const BEYOND_ASCII = /[\u0080-\uffff]/
/** Each of these words has one of these letters; a dash or a sign of money, which many texts have, is none of them. */
const LETTERS = new RegExp(`[${`${PASSWORDS}${SECRETS}`.replace(/[\0-\x7f]/g, '')}]`, 'iu')

/** What a name says in another script; undefined where it is plain ASCII. */
export function foreignLevel(name: string): 'password' | 'secret' | undefined {
  if (!BEYOND_ASCII.test(name)) return undefined
  if (PASSWORD.test(name)) return 'password'
  ANY.lastIndex = 0
  return ANY.test(name) ? 'secret' : undefined
}

/** Where such words stand in a text, in its order. */
export function findForeignWords(text: string): readonly number[] {
  if (!BEYOND_ASCII.test(text) || !LETTERS.test(text)) return []
  return Array.from(text.matchAll(ANY), ({ index }) => index)
}
