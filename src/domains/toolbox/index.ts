import { installDependencies } from './commands/install-dependencies.ts'
import { runLint } from './commands/run-lint.ts'
import { runTest } from './commands/run-test.ts'
import { defineTool } from './define-tool.ts'
import { deleteFile } from './files/delete-file.ts'
import { editFile } from './files/edit-file.ts'
import { listFiles } from './files/list-files.ts'
import { readFile } from './files/read-file.ts'
import { writeFile } from './files/write-file.ts'
import { gitAdd } from './git/git-add.ts'
import { gitCheckout } from './git/git-checkout.ts'
import { gitCommit } from './git/git-commit.ts'
import { gitDiff } from './git/git-diff.ts'
import { gitPush } from './git/git-push.ts'
import { gitStatus } from './git/git-status.ts'
import { findUsage } from './knowledge/find-usage.ts'
import { getRelatedTests } from './knowledge/get-related-tests.ts'
import { getSystemMap } from './knowledge/get-system-map.ts'
import { getTaskContext } from './knowledge/get-task-context.ts'
import { knowledgeChores, knowledgeOperations } from './knowledge/knowledge-operations.ts'
import { searchKnowledge } from './knowledge/search-knowledge.ts'
import { toolList } from './offered-tools.ts'
import { countMatches } from './search/count-matches.ts'
import { searchFile } from './search/search-file.ts'
import { toolSessionCreate } from './sessions/tool-session-create.ts'
import { toolSessionList } from './sessions/tool-session-list.ts'
import { toolSessionPreview } from './sessions/tool-session-preview.ts'
import { toolSessionRevoke } from './sessions/tool-session-revoke.ts'
import { systemTools } from './system/index.ts'
import { watchChores, watchOperations } from './watch/index.ts'

const [installPackage, verifyBinary, systemCtl, migrateConfig] = systemTools()

/** The tools of the contract, each an operation like any other. */
export const toolOperations = [
  defineTool(readFile),
  defineTool(writeFile),
  defineTool(editFile),
  defineTool(searchFile),
  defineTool(countMatches),
  defineTool(listFiles),
  defineTool(deleteFile),
  defineTool(runTest),
  defineTool(runLint),
  defineTool(gitStatus),
  defineTool(gitDiff),
  defineTool(gitAdd),
  defineTool(gitCommit),
  defineTool(gitPush),
  defineTool(gitCheckout),
  defineTool(installDependencies),
  defineTool(searchKnowledge),
  defineTool(findUsage),
  defineTool(getRelatedTests),
  defineTool(getSystemMap),
  defineTool(getTaskContext),
  defineTool(installPackage),
  defineTool(verifyBinary),
  defineTool(systemCtl),
  defineTool(migrateConfig),
]

/** What the toolbox can do: the agents' tools, their seats, and how the owner watches and stops them. */
export const toolboxOperations = [
  ...toolOperations,
  toolList(toolOperations),
  toolSessionCreate,
  toolSessionPreview(toolOperations),
  toolSessionList,
  toolSessionRevoke,
  ...knowledgeOperations,
  ...watchOperations,
]

export const toolboxChores = [...watchChores, ...knowledgeChores]
