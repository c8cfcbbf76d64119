/** What makes a folder a service, beside lying in one of the folders for them. */
export const MANIFESTS: Readonly<Record<string, string | undefined>> = {
  'package.json': 'JavaScript',
  'deno.json': 'TypeScript',
  'pyproject.toml': 'Python',
  'setup.py': 'Python',
  'requirements.txt': 'Python',
  Pipfile: 'Python',
  'go.mod': 'Go',
  'Cargo.toml': 'Rust',
  'pom.xml': 'Java',
  'build.gradle': 'Java',
  'build.gradle.kts': 'Kotlin',
  'composer.json': 'PHP',
  Gemfile: 'Ruby',
  'mix.exs': 'Elixir',
  'Package.swift': 'Swift',
  'CMakeLists.txt': 'C++',
  'build.zig': 'Zig',
  'build.zig.zon': 'Zig',
  Dockerfile: undefined,
}

/** Projects for .NET and gems are called as they like: their manifests are known by the ending. */
const PROJECT = /\.(?:(?:cs|fs|vb)proj|gemspec)$/

/** Whether a file makes its folder a service. */
export function isManifest(name: string): boolean {
  return Object.hasOwn(MANIFESTS, name) || PROJECT.test(name)
}

/** What says beside a manifest that there are further ones below. */
const FRAME_FILES = new Set([
  'pnpm-workspace.yaml',
  'lerna.json',
  'go.work',
  'settings.gradle',
  'settings.gradle.kts',
])

/** Whether a file says that the folder holds several services together, as a solution for .NET does. */
export function isFrameFile(name: string): boolean {
  return FRAME_FILES.has(name) || /\.slnx?$/.test(name)
}

/** Every folder right in one of these is a service. */
export const SERVICE_FOLDERS = new Set(['services', 'apps', 'packages'])

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  mts: 'TypeScript',
  cts: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  py: 'Python',
  go: 'Go',
  rs: 'Rust',
  java: 'Java',
  kt: 'Kotlin',
  scala: 'Scala',
  rb: 'Ruby',
  php: 'PHP',
  cs: 'C#',
  fs: 'F#',
  vb: 'Visual Basic',
  zig: 'Zig',
  swift: 'Swift',
  c: 'C',
  cc: 'C++',
  cpp: 'C++',
  hpp: 'C++',
  ex: 'Elixir',
  sh: 'Shell',
  sql: 'SQL',
}

/** The language of a file, by its ending. */
export function findMapLanguage(path: string): string | undefined {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined
}

const INFRASTRUCTURE_FILES: readonly (readonly [RegExp, string])[] = [
  [/^(?:docker-)?compose(?:[.-][\w-]+)*\.ya?ml$/, 'docker-compose'],
  [/\.tf$/, 'terraform'],
  [/^Chart\.ya?ml$/, 'helm'],
  [/^kustomization\.ya?ml$/, 'kubernetes'],
  [/^\.gitlab-ci\.ya?ml$/, 'ci'],
  [/^(?:Jenkinsfile|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.travis\.ya?ml)$/, 'ci'],
  [/^(?:serverless\.ya?ml|Pulumi\.ya?ml|Vagrantfile|skaffold\.ya?ml|fly\.toml)$/, 'deployment'],
]
const INFRASTRUCTURE_FOLDERS: Readonly<Record<string, string>> = {
  terraform: 'terraform',
  k8s: 'kubernetes',
  kubernetes: 'kubernetes',
  helm: 'helm',
  charts: 'helm',
  ansible: 'deployment',
  infra: 'infrastructure',
  infrastructure: 'infrastructure',
  deploy: 'deployment',
  deployment: 'deployment',
  docker: 'docker',
  '.circleci': 'ci',
}

/** What a file of infrastructure is for. */
export function findInfrastructureFile(name: string): string | undefined {
  return INFRASTRUCTURE_FILES.find(([form]) => form.test(name))?.[1]
}

/** Below these is code, whatever its folders are called: charts of a page are none of Helm. */
export const CODE_FOLDERS = new Set(['src', 'lib', 'app', 'pkg', 'internal', 'components'])
const WORKFLOWS = /(?:^|\/)\.(?:github|gitea|forgejo)\/workflows$/

/** What a folder of infrastructure is for. */
export function findInfrastructureFolder(path: string): string | undefined {
  if (WORKFLOWS.test(path)) return 'ci'
  const folders = path.split('/')
  const name = folders.pop() as string
  if (folders.some((folder) => CODE_FOLDERS.has(folder))) return undefined
  return Object.hasOwn(INFRASTRUCTURE_FOLDERS, name) ? INFRASTRUCTURE_FOLDERS[name] : undefined
}

export const DOC_FOLDERS = new Set(['docs', 'doc', 'documentation', 'plans', 'specs', 'adr'])
export const TEST_FOLDERS = new Set([
  'test',
  'tests',
  '__tests__',
  'e2e',
  'spec',
  'integration-tests',
  'cypress',
])

/** Made by tools, or other people's: no part of the design. */
const PASSED_BY = new Set([
  'vendor',
  'dist',
  'build',
  'target',
  'out',
  'venv',
  '__pycache__',
  'fixtures',
  'testdata',
  'examples',
  '_examples',
])
const HIDDEN_BUT_OPEN = new Set(['.github', '.gitea', '.forgejo', '.circleci'])

/** Whether nothing of a map is looked for in a folder. */
export function isPassedBy(name: string): boolean {
  return PASSED_BY.has(name) || (name.startsWith('.') && !HIDDEN_BUT_OPEN.has(name))
}

const DOC_ORDER: readonly RegExp[] = [/^overview_.*\.md$/i, /^architecture_.*\.md$/i, /^readme\.md$/i]

/** The place of a document in the order in which they are to be read; undefined for one that need not be. */
export function findDocOrder(name: string): number | undefined {
  const order = DOC_ORDER.findIndex((form) => form.test(name))
  return order < 0 ? undefined : order
}

/** The name of a folder as people say it. */
export function humanName(folder: string): string {
  const words = folder.split(/[-_\s]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || folder
}
