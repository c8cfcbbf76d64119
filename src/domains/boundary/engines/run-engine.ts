import type { Hub } from '../../../operations/hub.ts'
import type { EnginePolicy } from '../../../platform/policy/engine-policy.ts'
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts'
import type { CredentialSource } from '../../../platform/upstream/credentials.ts'
import type { Agents } from '../../../platform/upstream/http/guarded-agent.ts'
import type { EngineCall, EngineEnd } from './engine-end.ts'

/** Calls engines. What a kind of engine needs is loaded with the first one of it. */
export interface EngineRoom {
  run(engine: EnginePolicy, message_id: string, call: EngineCall): Promise<EngineEnd>
  close(): Promise<void>
}

async function loadSandbox(): Promise<Sandbox> {
  return (await import('../../../platform/sandbox/open-sandbox.ts')).openSandbox()
}

/** Opens the place where engines are called from. The hub keeps all it has out of their reach. */
export function openEngineRoom({ env, log, home, system }: Hub): EngineRoom {
  let sandbox: Promise<Sandbox> | undefined
  let web: Promise<{ agents: Agents; credentials: CredentialSource }> | undefined
  const loadWeb = async () => {
    const { guardedAgents } = await import('../../../platform/upstream/http/guarded-agent.ts')
    const { credentialSource } = await import('../../../platform/upstream/credentials.ts')
    return { agents: guardedAgents(), credentials: credentialSource(env, log) }
  }
  return {
    async run(engine, message_id, call) {
      if (engine.kind === 'command') {
        const { runCommandEngine } = await import('./run-command-engine.ts')
        sandbox ??= loadSandbox()
        return runCommandEngine(engine, { sandbox: await sandbox, env, log, home_folder: home.folder }, call)
      }
      const { runHttpEngine } = await import('./run-http-engine.ts')
      const ready = await (web ??= loadWeb())
      return runHttpEngine(engine, { ...ready, now: system.now, message_id }, call)
    },
    close: async () => (await web)?.agents.close(),
  }
}
