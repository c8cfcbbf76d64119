/** Paths out of the service, none of which may be told apart from the others. */
export const CLIMBING = `
  ../other/secret.txt ../nobody/secret.txt .. ../.. ../../readme.txt ../../.flow/config.json
  ../../../../../../../../../../../../etc/passwd src/../../other/secret.txt nothing/../../other/secret.txt
  readme.md/../../other/secret.txt readme.md/x/../../../other/secret.txt src/../.. src/deep/../../../other/
  link-folder/../../other/secret.txt src//..//..//other/secret.txt ./src/./.././../other/./secret.txt
  ../svc/../other/secret.txt ../../shared/../readme.txt shared/../readme.txt ../other/../other/secret.txt
  ../other/link-in ../svc-evil ../svc-evil/x ../sv/x ../svc. ../SVC/readme.md ../svcx .././../services
  nothing/../../svc-evil/x nothing/../../svc-evil/none readme.md/../../svc-evil/x nothing/../../svc-evil
  nothing/../../../shared-evil/x shared/none/../../shared-evil/x
`
  .trim()
  .split(/\s+/)

/** Absolute paths outside the service. */
export const ABSOLUTE = `
  / /etc/passwd /etc/no-such-file /etc /no-such-folder/x //etc/passwd /.. /../etc/passwd /etc/../etc/shadow
  /proc/self/root/etc/passwd /proc/self/cwd/package.json /proc/self/environ /proc/self/fd/0 /proc/self/fd
  /proc/thread-self/root/etc /proc/self/mem /proc/1/root/etc/passwd /dev/fd/0 /dev/stdin /dev/zero /sys/kernel
`
  .trim()
  .split(/\s+/)

/** Links of the service that lead out of it, and paths through them. */
export const LINKS_OUT = `
  link-out link-etc link-etc-missing link-evil link-out-new link-chain-1 link-out-folder
  link-out-folder/secret.txt link-out-folder/missing/new/file.txt link-out-folder/../svc-evil/x
  link-proc-root link-proc-root/etc/passwd link-proc-cwd/x link-proc-fd/0 link-folder/../link-out
  link-folder/link-chain-3 link-out-folder/deep/../secret.txt
`
  .trim()
  .split(/\s+/)

/** Links of the service that lead to closed zones, and paths through them. */
export const CLOSED_ALIASES = `
  link-env link-env-chain link-git link-git/config link-git/new/x link-flow/config.json link-lock
  link-folder/../.env link-git/../readme.md
`
  .trim()
  .split(/\s+/)

/** Paths into closed zones, some of which exist. */
export const CLOSED = `
  .env sub/.env .env.local .env.production.bak .git .git/config .git/hooks/new secrets secrets/k secrets/new/x
  node_modules node_modules/p/i.js deep/node_modules/x shared/.env ../../shared/.env src/../.git/config ./.git/
  missing/.git/x readme.md/.env .git/../readme.md shared/missing/secrets/x
`
  .trim()
  .split(/\s+/)

/** Names that some file system, or some program that reads the service later, takes for a closed one. */
export const SPELLINGS = [
  ...'.ENV .Env .GIT/config .gIt SECRETS/k Node_Modules/p/i.js .FLOW/config.json'.split(' '),
  ...'.env.|.env |.env . .|.git.|.git /config|secrets. |node_modules...'.split('|'),
  ...'.ｅｎｖ ．env .gⅰt \u017fecrets/k node\uff3fmodules .g\u0131t .\ufb02ow/config.json \u2024git'.split(
    ' ',
  ),
  ...'.g\u200cit .g\u200dit/config .\u00adenv \ufeff.git .git\u2060 .e\u034fnv .env\u00a0'.split(' '),
  ...'git~1 GIT~1/config GIT~2 NODE_M~1 SECRET~1 ENV~1 ENV~1.LOC FLOW~1/config.json'.split(' '),
  ...'.git::$INDEX_ALLOCATION .git:x .env::$DATA .git\\config .git\uff0fconfig secrets:k'.split(' '),
]

/** Names of locks and of the guard's own files. */
export const LOCKS = `
  .lock.main.ts .lock.new src/.lock.main.ts .LOCK.main.ts .lock.d/x .guard-tmp.left .Guard-Tmp.x src/.guard-tmp.1
`
  .trim()
  .split(/\s+/)

/** Names that are open although they look like closed ones. */
export const OPEN_LOOKALIKES =
  '.envrc .gitignore .github/x xsecrets git~ env node_modules2 lock.x .lock'.split(' ')

/** Texts that are no paths. */
export const NO_PATHS =
  '|\0|a\0b|readme.md\0.png|a\nb|a\rb|\x1b[2J|a\x7f|a\u0085b|a\u2028b|a\ud800|\udc00'.split('|')

/** Each character of these stands for itself. */
export const LITERAL = [
  ...'%2e%2e/other/secret.txt ..%2fother%2fsecret.txt %2e%2e%2fother ..%c0%afother %72eadme.md'.split(' '),
  ...'~/x ~root/.profile "readme.md" \'readme.md\' $HOME/x `x` * {a,b} re*.md readme.m? [r]eadme.md'.split(
    ' ',
  ),
  ...' readme.md|readme.md |..\\other\\secret.txt|C:\\Windows|\\\\server\\share|file:///etc/passwd'.split(
    '|',
  ),
  ...'\u2025/other/secret.txt ..\uff0fother ．．/other/secret.txt ... .../x'.split(' '),
]

/** Paths that no file system takes, or that are deeper than the guard goes. */
export const TOO_LONG = [
  'a'.repeat(256),
  'é'.repeat(128),
  `${'a/'.repeat(3_000)}x`,
  'a'.repeat(5_000),
  'a/'.repeat(200),
  '\u{1f600}'.repeat(1_100),
]
