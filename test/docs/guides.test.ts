import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')

/** The commands of a guide as a person would type them: its plain blocks without what the program answered. */
function commandsOf(guide: string): string {
  const blocks = [...readFileSync(join(ROOT, guide), 'utf8').matchAll(/^```\n([\s\S]*?)^```$/gm)]
  return blocks.map(([, block = '']) => typedLines(block)).join('\n')
}

function typedLines(block: string): string {
  if (!/^\$ /m.test(block)) return block
  const typed = block.split('\n').filter((line) => line.startsWith('$ '))
  return typed.map((line) => line.slice(2)).join('\n')
}

async function runGuide(guide: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-guide-'))
  try {
    const script = `exec 2>&1\n${commandsOf(guide).replaceAll('/tmp/knowtation-guide', join(folder, 'home'))}`
    const env = { ...process.env, KNOWTATION_HOME: join(folder, 'home') }
    return (await promisify(execFile)('bash', ['-c', script], { cwd: ROOT, env })).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('the guide to external agents runs as written', async () => {
  const output = await runGuide('docs/external-agents.md')
  const told = [
    'status    proposed',
    'status      approved',
    'knowtation.agent_bundle/v0',
    'Echo: hello',
    'The call would be let through',
    'revoked 2',
  ]
  for (const text of [...told, 'Error (FLOW_EXTERNAL_GRANT_REVOKED)', 'The audit log is intact']) {
    expect(output).toContain(text)
  }
  expect(output.match(/^Error/gm)).toHaveLength(1)
}, 120_000)
