import type { CompletionTable } from './completion-table.ts'

type Rows = readonly (readonly [string, readonly string[]])[]

const ABOUT =
  '# Made by `knowtation completion` from the commands of this version. Make it again after an upgrade.'

/** A function of bash and zsh alike: it prints what a place has, and fails for a place that is none. */
function shellCase(name: string, rows: Rows): string {
  const lines = rows.map(([place, found]) => `    '${place}') echo '${found.join(' ')}' ;;`)
  return `${name}() {\n  case "$1" in\n${lines.join('\n')}\n    *) return 1 ;;\n  esac\n}`
}

/** The walk along the line: $1 is what is being typed, the rest what stands before it. Prints what may stand there. */
const SHELL_WALK = `_knowtation_offer() {
  local cur="$1" at='' longer='' before='' waits='' ended='' word
  shift
  for word in "$@"; do
    if [ -n "$waits" ]; then waits=''; continue; fi
    before="$word"
    case "$word" in
      -*)
        if _knowtation_everywhere "$word" >/dev/null || _knowtation_values "$at $word" >/dev/null; then waits=1; fi ;;
      *)
        longer="\${at:+$at }$word"
        if [ -n "$ended" ]; then continue; fi
        if _knowtation_words "$longer" >/dev/null || _knowtation_flags "$longer" >/dev/null; then at="$longer"
        else ended=1; fi ;;
    esac
  done
  if [ -n "$waits" ]; then _knowtation_values "$at $before"; return; fi
  case "$cur" in
    -*) _knowtation_flags "$at"; _knowtation_globals ;;
    *) [ -n "$ended" ] || _knowtation_words "$at" ;;
  esac
}`

function shellParts({ words, flags, values, global_flags, global_values }: CompletionTable): string {
  return [
    shellCase('_knowtation_words', words),
    shellCase('_knowtation_flags', flags),
    shellCase('_knowtation_values', values),
    shellCase(
      '_knowtation_everywhere',
      global_values.map((flag) => [flag, []]),
    ),
    `_knowtation_globals() { echo '${global_flags.join(' ')}'; }`,
    SHELL_WALK,
  ].join('\n')
}

/** Where nothing is known, bash goes on with the names of files. It breaks words at = and :, so those are left to it. */
function renderBash(table: CompletionTable): string {
  return `${ABOUT}
${shellParts(table)}
_knowtation() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:$COMP_POINT}" cur='' typed
  read -r -a typed <<<"$line"
  case "$line" in
    *[[:space:]]) ;;
    *) cur="\${typed[\${#typed[@]}-1]}"; typed=("\${typed[@]:0:\${#typed[@]}-1}") ;;
  esac
  COMPREPLY=()
  case "$cur" in *[=:]*) return ;; esac
  COMPREPLY=($(compgen -W "$(_knowtation_offer "$cur" "\${typed[@]:1}")" -- "$cur"))
}
complete -o default -F _knowtation knowtation`
}

/** Works read in by a shell's start file, and lying in its folder of functions. */
function renderZsh(table: CompletionTable): string {
  return `#compdef knowtation
${ABOUT}
${shellParts(table)}
_knowtation() {
  local -a found
  found=(\${=$(_knowtation_offer "\${words[CURRENT]}" "\${(@)words[2,CURRENT-1]}")})
  if (( $#found )); then compadd -- $found; else _files; fi
}
if [ "$funcstack[1]" = _knowtation ]; then _knowtation "$@"; else compdef _knowtation knowtation; fi`
}

function fishCase(name: string, rows: Rows): string {
  const lines = rows.map(([place, found]) => {
    const told = found.length > 0 ? `string split ' ' -- '${found.join(' ')}'` : 'true'
    return `    case '${place}'\n      ${told}`
  })
  return `function ${name}\n  switch "$argv[1]"\n${lines.join('\n')}\n    case '*'\n      return 1\n  end\nend`
}

const FISH_WALK = `function __knowtation_offer
  set -l typed (commandline -opc)
  set -l at ''
  set -l before ''
  set -l waits ''
  set -l ended ''
  set -e typed[1]
  for word in $typed
    if test -n "$waits"
      set waits ''
      continue
    end
    set before $word
    switch $word
      case '-*'
        if __knowtation_everywhere $word >/dev/null; or __knowtation_values "$at $word" >/dev/null
          set waits 1
        end
      case '*'
        set -l longer (string trim -- "$at $word")
        if test -n "$ended"
          continue
        else if __knowtation_words $longer >/dev/null; or __knowtation_flags $longer >/dev/null
          set at $longer
        else
          set ended 1
        end
    end
  end
  if test -n "$waits"
    __knowtation_values "$at $before"
    return
  end
  if string match -q -- '-*' (commandline -ct)
    __knowtation_flags $at
    __knowtation_globals
  else if test -z "$ended"
    __knowtation_words "$at"
  end
end`

function renderFish({ words, flags, values, global_flags, global_values }: CompletionTable): string {
  return [
    ABOUT,
    fishCase('__knowtation_words', words),
    fishCase('__knowtation_flags', flags),
    fishCase('__knowtation_values', values),
    fishCase(
      '__knowtation_everywhere',
      global_values.map((flag) => [flag, []]),
    ),
    `function __knowtation_globals\n  string split ' ' -- '${global_flags.join(' ')}'\nend`,
    FISH_WALK,
    `complete -c knowtation -f -n 'count (__knowtation_offer) >/dev/null' -a '(__knowtation_offer)'`,
  ].join('\n')
}

/** The shells that a script can be printed for. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, (table: CompletionTable) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
}
