import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../store/temporary-folder.ts'

/** The contract's own example of a policy file, to the letter. */
export const CONTRACT_EXAMPLE = `{
  "scope": {
     "service_isolation": "STRICT",
     "shared_paths": ["shared_contracts/", "docs/policies/"],
     "block_patterns": [".env", "secrets/"]
  },
  "tools": {
     "allow_legacy_run_command": false,
     "whitelisted_binaries": ["pytest", "npm", "cargo"]
  },
  "secrets": {
     "redact_patterns": ["sk-...", "ghp-..."]
  }
}
`

/** A project of the running test's own, with this policy file if one is given. */
export function projectWith(config?: string | object): string {
  const root = temporaryFolder()
  if (config !== undefined) writeConfig(root, config)
  return root
}

/** Writes the policy file of a project. */
export function writeConfig(root: string, config: string | object): void {
  mkdirSync(join(root, '.flow'), { recursive: true })
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  writeFileSync(join(root, '.flow/config.json'), text)
}
