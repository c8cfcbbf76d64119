import type { WrittenForm } from './written-form.ts'

const QUOTE = `["'\`“„‘«]?`
/** A password in a sentence: the signs that end a sentence are not taken for its end. */
const SAID = `${QUOTE}([^\\s"'\`|<>(){}“”«»]{5,64}[^\\s"'\`|<>(){}“”«».,:;])`
const WHOSE = '(?: (?:for|of|to) (?:the )?[\\w.@:-]{1,40}(?: [\\w.@-]{1,30})?)'
const IS = '(?: (?:is|was|will be|has been|now|are|(?:set|changed|reset|updated) to|to)){1,3}:?'

/** What people write and programs log of secrets, in whole sentences. */
export const SPOKEN: readonly WrittenForm[] = [
  {
    rule: 'spoken_secret',
    anchors:
      'using password ,with password ,and password ,use password ,with the password ,use the password ',
    pattern: new RegExp(`(?:using|with|and|use) (?:the )?password ${SAID}`, 'iy'),
    looks: 'said',
  },
  {
    rule: 'spoken_secret',
    anchors: 'password ,passwd ,pwd ,pw ,passphrase ,passcode ',
    pattern: new RegExp(
      // The short words are parts of names too: only a verb makes a sentence of them.
      `(?:(?:passwd|pwd|pw)${WHOSE}?${IS}|pass(?:word|phrase|code)(?:${WHOSE}?${IS}|${WHOSE}:| \\\\|))\\s{1,4}${SAID}`,
      'iy',
    ),
    looks: 'said',
  },
  {
    rule: 'spoken_secret',
    anchors: 'credentials: ,creds: ,login: ,credentials are ,creds are ,credentials = ',
    pattern:
      /(?:credentials|creds|login)(?::| are| =)\s{1,3}["'`]?[\w.@-]{2,64}["'`]?\s{0,2}[/:|]\s{0,2}["'`]?([^\s"'`<>(){}]{6,64})/iy,
    looks: 'said',
  },
  {
    // `user/pass: bob/…`
    rule: 'spoken_secret',
    anchors: '/pass,/ pass',
    pattern:
      /(?<=(?:user(?:name)?|login) ?)\/ ?pass(?:word)?(?::| =) ["'`]?[\w.@-]{2,64}["'`]? ?[/:] ?["'`]?([^\s"'`<>(){}]{6,64})/iy,
    looks: 'said',
    allowsInside: true,
  },
  {
    rule: 'spoken_secret',
    anchors: 'credentials ',
    pattern: /credentials ["'`]?[\w.@-]{2,64}["'`]? [/|] ["'`]?([^\s"'`<>(){}]{6,64})/iy,
    looks: 'chosen',
  },
  {
    rule: 'spoken_secret',
    anchors: 'token is ,key is ,secret is ,token `,key `,secret `,token - ,key - ,secret - ',
    pattern: /(?:token|key|secret) (?:is:? |- )?["'`]?([\w+/=.~-]{12,256})/iy,
    looks: 'chosen',
  },
  {
    rule: 'spoken_secret',
    anchors: 'with key ,with token ,with api key ,using key ',
    pattern: /(?:with|using) (?:api )?(?:key|token) ["'`]?([\w+/=~-]{16,256})(?![\w.:/])/iy,
    looks: 'chosen',
  },
]
