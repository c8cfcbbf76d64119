import { processIo } from './surfaces/cli/cli-io.ts'
import { runCli } from './surfaces/cli/run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), process.env, processIo())
