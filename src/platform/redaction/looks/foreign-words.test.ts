import { expect, it } from 'vitest'
import { findForeignWords } from './foreign-words.ts'

const WORDS = [
  'пароль пароля паролі парола лозинка κωδικός κωδικος סיסמה סיסמא كلمةالمرور المرور السر رمزعبور पासवर्ड รหัสผ่าน',
  '密码 密碼 口令 パスワード 暗証番号 비밀번호 암호 hasło lösenord şifre jelszó khẩu contraseña salasõna',
  'секрет токен 密钥 密鑰 秘钥 秘密 令牌 トークン シークレット 토큰 비밀키',
].flatMap((line) => line.split(' '))

it.each(WORDS)('finds %s, in capitals too and beside other signs', (word) => {
  expect(findForeignWords(`— ${word} = 1`)).toEqual([2])
  expect(findForeignWords(`€ ${word.toUpperCase()}`)).toEqual([2])
})

it('finds nothing in texts that have other letters or none', () => {
  for (const text of ['', 'password', '© — … “quoted” 😀', 'Grüße, naïve'])
    expect(findForeignWords(text)).toEqual([])
})
