import { processIo } from './surfaces/cli/cli-io.ts'
import { runCli } from './surfaces/cli/run-cli.ts'

// A copy: each look at the living environment is a call into the system.
process.exitCode = await runCli(process.argv.slice(2), { ...process.env }, processIo())
