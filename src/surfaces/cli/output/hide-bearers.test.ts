import { expect } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const part = (words: object) => Buffer.from(JSON.stringify(words)).toString('base64url')

verifies(
  'GATE-054',
  'a line that is not understood repeats no bearer that stands where it does not belong',
  async () => {
    const hex = '0123456789abcdef'
    const bearers = [`fgrnt_bearer_${hex.repeat(4)}`, 'fgrnt_bearer_short!x', `khub_${hex.repeat(4)}`]
    const jwt = `${part({ alg: 'HS256' })}.${part({ sub: 'somebody' })}.${part(bearers)}`
    for (const bearer of [...bearers, `ktok_${hex}_${hex.repeat(4)}`, jwt])
      for (const line of [
        bearer,
        `flow grant ${bearer}`,
        `flow list ${bearer}`,
        `flow list --${bearer}`,
        `flow list --limit ${bearer}`,
        `flow list --url ${bearer}`,
      ])
        for (const more of ['', ' --json']) {
          const { exit, stdout, stderr } = await cliAt(temporaryFolder())(line + more)
          expect([line, exit, (stdout + stderr).includes(bearer)]).toEqual([line, 2, false])
        }
  },
)
