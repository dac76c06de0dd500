import type { Command } from 'commander'
import { type CompletionPoint, completionPointsOf, type Flag } from './places.ts'

/**
 * Completion scripts by shell. They contain all commands and read files written by `sluice get`, so completion starts
 * no process.
 */
export const scripts = {
  bash: (sluice: Command) => bash(completionPointsOf(sluice)),
  zsh: (sluice: Command) => zsh(completionPointsOf(sluice)),
  fish: (sluice: Command) => fish(completionPointsOf(sluice)),
} as const

/** Quotes text for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Returns a `case` pattern of the words that lead to further positions. */
const steps = (places: readonly CompletionPoint[]): string =>
  places
    .slice(1)
    .map(({ words }) => quoted(words))
    .join(' | ')

/** Returns the flags of a position that take a value, with the words before it. */
const valued = ({ words, flags }: CompletionPoint): { patterns: string; flag: Flag }[] =>
  flags
    .filter(({ takesValue }) => takesValue)
    .map((flag) => ({ flag, patterns: flag.names.map((name) => quoted(`${words} ${name}`)).join(' | ') }))

/** Falls back to file names, which many arguments are. */
const bash = (
  places: readonly CompletionPoint[],
): string => `# bash completion of sluice: source <(sluice completion bash)
_sluice() {
  local at=sluice word flags= names= lists= current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(places)}) at="$at $word" ;;
    esac
  done
  # --flag=value is three words here.
  if [[ $current == = ]]; then current=; elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  case $at in
${places.map(bashPlace).join('\n')}
  esac
  [[ $current != -* ]] || { names=$flags lists=; }
  case "$at $before" in
${places.flatMap(valued).map(bashValue).join('\n')}
  esac
  for word in $lists; do
    word=\${XDG_CACHE_HOME:-$HOME/.cache}/sluice/words/$word
    [[ ! -O $word ]] || names+=" $(<"$word")"
  done
  COMPREPLY=()
  [[ -z $names ]] || COMPREPLY=($(compgen -W "$names" -- "$current"))
}
complete -o default -F _sluice sluice
`

function bashPlace({ words, commands, flags, choices, lists }: CompletionPoint): string {
  const names = [...commands.map(({ name }) => name), ...choices]
  const all = flags.flatMap((flag) => flag.names)
  return `    ${quoted(words)}) names=${quoted(names.join(' '))} flags=${quoted(all.join(' '))} lists=${quoted(lists.join(' '))} ;;`
}

const bashValue = ({ patterns, flag }: { patterns: string; flag: Flag }): string =>
  `    ${patterns}) names=${quoted(flag.choices.join(' '))} lists=${quoted(flag.lists.join(' '))} ;;`

/** Returns a zsh completion entry. A colon separates name and description. */
const shown = (name: string, description: string): string => quoted(`${name.replaceAll(':', '\\:')}:${description}`)

const zsh = (places: readonly CompletionPoint[]): string => `#compdef sluice
# zsh completion of sluice: source <(sluice completion zsh), after compinit
_sluice_words() {
  local list
  for list; do
    list=\${XDG_CACHE_HOME:-$HOME/.cache}/sluice/words/$list
    [[ ! -O $list ]] || print -r -- "$(<$list)"
  done
}
_sluice() {
  local at=sluice word
  local -a names flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${steps(places)}) at="$at $word" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${places
  .flatMap(valued)
  .map(({ patterns, flag }) => {
    const answer =
      flag.choices.length > 0
        ? `compadd -- ${flag.choices.map(quoted).join(' ')}`
        : flag.lists.length > 0
          ? `compadd -- \${(f)"$(_sluice_words ${flag.lists.join(' ')})"}`
          : '_files'
    return `    (${patterns}) ${answer}; return ;;`
  })
  .join('\n')}
  esac
  case $at in
${places
  .map(({ words, commands, flags, choices, lists }) => {
    const names = [
      ...commands.map(({ name, description }) => shown(name, description)),
      ...choices.map((choice) => shown(choice, '')),
      ...(lists.length === 0 ? [] : [`\${(f)"$(_sluice_words ${lists.join(' ')})"}`]),
    ]
    const all = flags.flatMap((flag) => flag.names.map((name) => shown(name, flag.description)))
    return `    (${quoted(words)})\n      names=(${names.join(' ')})\n      flags=(${all.join(' ')}) ;;`
  })
  .join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o 'flag' flags
  elif (( $#names )); then
    _describe 'command' names
  else
    _files
  fi
}
if [[ $funcstack[1] == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi
`

/** Quotes text for fish. */
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (
  places: readonly CompletionPoint[],
): string => `# fish completion of sluice: sluice completion fish | source
function __sluice_at
  set -l at sluice
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${places
        .slice(1)
        .map(({ words }) => fishQuoted(words))
        .join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
function __sluice_words
  set -l cache $XDG_CACHE_HOME
  test -n "$cache"; or set cache ~/.cache
  for list in $argv
    test -O $cache/sluice/words/$list; and cat $cache/sluice/words/$list
  end
end
complete -c sluice -e
${places.flatMap(fishLines).join('\n')}
`

function fishLines({ words, commands, flags, choices, lists }: CompletionPoint): string[] {
  const here = `complete -c sluice -n ${fishQuoted(`__sluice_at ${words}`)}`
  return [
    ...commands.map((one) => `${here} -f -a ${fishQuoted(one.name)} -d ${fishQuoted(one.description)}`),
    ...(choices.length === 0 ? [] : [`${here} -f -a ${fishQuoted(choices.join(' '))}`]),
    ...(lists.length === 0 ? [] : [`${here} -f -a ${fishQuoted(wordsOf(lists))}`]),
    ...flags.map(({ names, description, takesValue, choices, lists }) => {
      const forms = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      const known = choices.length > 0 ? choices.join(' ') : lists.length > 0 ? wordsOf(lists) : undefined
      const value = known !== undefined ? ` -x -a ${fishQuoted(known)}` : takesValue ? ' -r' : ''
      return `${here} ${forms.join(' ')}${value} -d ${fishQuoted(description)}`
    }),
  ]
}

const wordsOf = (lists: readonly string[]): string => `(__sluice_words ${lists.join(' ')})`
