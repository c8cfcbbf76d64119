/** Short words people type for the ones the commands have. */
const WORD_ALIASES: Readonly<Record<string, string>> = { ls: 'list', rm: 'revoke' }

/** The word a command has for what was typed. */
export function fullWord(word: string): string {
  return (Object.hasOwn(WORD_ALIASES, word) ? WORD_ALIASES[word] : undefined) ?? word
}
