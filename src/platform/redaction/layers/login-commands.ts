import type { WrittenForm } from './written-form.ts'

const VALUE = `["']?([^\\s"'|;&<>]{4,128})`
const UP_TO = '(?:[^|;]{0,120}?\\s)?'

function command(anchors: string, program: string, flag: string): WrittenForm {
  return { rule: 'login_flag', anchors, pattern: new RegExp(`${program}\\s${UP_TO}${flag}${VALUE}`, 'iy') }
}

/** Programs whose flags have one letter that differs in case from another one. */
function exact(anchors: string, program: string, flag: string): WrittenForm {
  return {
    rule: 'login_flag',
    anchors,
    pattern: new RegExp(`${program}\\s${UP_TO}${flag}${VALUE}`, 'y'),
    looks: 'chosen',
  }
}

/** Programs whose `-p` is a port, a parent, a path or a package. */
const OTHER_P =
  'mkdir|install|cp|ps|kill|nmap|rsync|tar|patch|ssh|scp|cargo|npm|npx|pnpm|tox|pytest|python3?|perl|make|docker run|podman run|nc|ping|lsof|top'

const SHORT_P = ` -p ${VALUE}(?![\\w./:])`

/** Passwords on the command lines of common programs. */
export const COMMANDS: readonly WrittenForm[] = [
  {
    rule: 'login_flag',
    anchors: ' -p ',
    // What follows is tried first: it is read faster than what stands before.
    pattern: new RegExp(`(?=${SHORT_P})(?<!(?:^|[\\s;|&/])(?:${OTHER_P})(?: [^|;&]{0,80})?)${SHORT_P}`, 'y'),
    looks: 'strong',
  },
  {
    rule: 'login_flag',
    anchors: 'mysql ,mysqldump ,mysqladmin ,mariadb ',
    // `-P` is the port.
    pattern: new RegExp(`(?:mysql(?:dump|admin)?|mariadb)\\s${UP_TO}-p${VALUE}`, 'y'),
  },
  command(
    'docker login,podman login,az login,mongo ,mongosh ,mongodump ,mongorestore ',
    '\\w+(?: login)?',
    '-p[ =](?!\\d{1,5}(?::\\d{1,5})?(?:\\s|$))',
  ),
  command('redis-cli ', 'redis-cli', '-a '),
  command('ldapsearch ,ldapadd ,ldapmodify ,ldapwhoami ', 'ldap[a-z]{3,6}', '-w '),
  command('openssl ', 'openssl', '-pass(?:in|out)? pass:'),
  command('smbclient ', 'smbclient', '-U [\\w.\\\\-]{1,40}%'),
  exact(
    'sqlcmd ,bcp ,mosquitto_pub ,mosquitto_sub ,zip ,ipmitool ',
    '(?:sqlcmd|bcp|mosquitto_[ps]ub|zip|ipmitool)',
    '-P ?',
  ),
  exact('ssh-keygen ', 'ssh-keygen', '-N '),
  exact('openssl enc ', 'openssl enc', '-k '),
  exact('lftp ', 'lftp', '-u [\\w.@-]{1,64},'),
  exact('unzip ', 'unzip', '-P ?'),
  exact('7z ,7za ,rar ,unrar ', '(?:7za?|(?:un)?rar)', '-h?p'),
  exact('http ,https ', 'https?', '(?:-a|--auth)[ =][\\w.@-]{1,64}:'),
  exact('xfreerdp ,rdesktop ', '(?:xfreerdp|rdesktop)', '(?:/p:|-p )'),
  exact('net use ', 'net use', '\\\\\\\\\\S{1,120} (?:/user:\\S{1,60} )?'),
  {
    rule: 'login_flag',
    anchors: 'vault login ',
    pattern: /vault login (?:-\S{1,60} ){0,3}(?:token=)?([\w.-]{16,200})\s{0,3}$/y,
    looks: 'chosen',
  },
  {
    rule: 'login_flag',
    anchors: 'sqlplus ,exp ,imp ',
    pattern: /(?:sqlplus|exp|imp) (?:-\w{1,6} ){0,3}["']?[\w$#]{1,30}\/([^\s@"'/]{4,128})@/iy,
  },
  {
    rule: 'login_flag',
    anchors: 'htpasswd -',
    pattern: /htpasswd -\w{0,4}b\w{0,3} (?:\S{1,200} )?[\w.@-]{1,60} ([^\s"';|]{4,128})/y,
  },
  {
    rule: 'login_flag',
    anchors: 'net user ',
    pattern: /net user [\w.\\-]{1,60} ([^\s"'*/]{6,128})/iy,
    looks: 'chosen',
  },
  {
    rule: 'login_flag',
    anchors: 'echo ',
    pattern: /echo (?:-\w )?["']?[\w.-]{1,40}:([^\s"'|]{4,128})["']?\s{0,3}\|\s{0,3}(?:sudo )?chpasswd/iy,
  },
  {
    rule: 'login_flag',
    anchors: 'echo ',
    pattern:
      /echo (?:-\w )?["']?([^\s"'|]{6,128})["']?\s{0,3}\|\s{0,3}(?:sudo \S{0,4}-\w{0,3}S|\w{3,10} login |cryptsetup |passwd )/y,
    looks: 'chosen',
  },
  {
    rule: 'login_flag',
    anchors: 'securestring ',
    pattern: /SecureString (?:-String )?["']([^"'$][^"']{3,127})["']/iy,
  },
]
