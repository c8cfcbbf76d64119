/** Where one of these stands, the line may name a secret. */
export const WORDS: readonly string[] = (
  'pass pwd psw pssw pasw psk pw contrase senha kennwort wachtw parola heslo salasana jelsz lozink adgangsk haslo sifre ' +
  'losenord parool sandi secret token cred jwt segret segred bundle_ key auth login session sid csrf sig'
).split(' ')
