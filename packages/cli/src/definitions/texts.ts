import { escaped } from '@sluice/server/interface/project-files/references'
import { memberPath } from '@sluice/server/platform/http/faults'
import { isObject, type Json, type Remark } from './defined.ts'

/** Part of a text: literal, or a variable. */
export type Piece = string | { variable: string }

/** Parsed text, or the reason why it cannot be converted. */
export type ParsedText = { pieces: Piece[]; remarks?: string[] } | { why: string }

const isVariable = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Reports whether a text of a project file contains a variable. */
export const hasVariable = (text: string): boolean => /(?<!\$)(?:\$\$)*\$\{env:\w+\}/.test(text)

/** Writes a text in the syntax of project files, in which `${env:NAME}` is a variable. */
function written(pieces: readonly Piece[]): string | undefined {
  let text = ''
  let literal = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      literal += piece
      continue
    }
    // A preceding dollar sign would escape the variable.
    if (literal.endsWith('$') || !isVariable.test(piece.variable)) return undefined
    text += `${escaped(literal)}\${env:${piece.variable}}`
    literal = ''
  }
  return text + escaped(literal)
}

/** Lists that are omitted as a whole if one item cannot be converted. */
const wholes = new Set(['command', 'entryPoint', 'entrypoint', 'test'])
/** Lists whose items can lack a member. */
const kept = new Set(['containerDefinitions', 'container_definitions'])

const nothing = Symbol('nothing')

/** Converts all texts of a value to the syntax of project files. Omits and reports those that cannot be converted. */
export function convertTexts(
  value: unknown,
  read: (text: string) => ParsedText,
): { value: unknown; remarks: Remark[] } {
  const remarks: Remark[] = []
  const found = visit(value, '$', '')
  return { value: found === nothing ? undefined : found, remarks }

  function visit(value: unknown, path: string, name: string): unknown {
    if (typeof value === 'string') return text(value, path)
    if (Array.isArray(value)) return list(value, path, name)
    return isObject(value) ? members(value, path).value : value
  }

  function text(value: string, path: string): unknown {
    const read_ = read(value)
    const say = (why: string) => remarks.push({ path, why })
    if ('pieces' in read_) {
      const text = written(read_.pieces)
      if (text !== undefined) {
        for (const why of read_.remarks ?? []) say(why)
        return text
      }
    }
    say('why' in read_ ? read_.why : 'a $ before a variable, or this variable name, is not supported')
    return nothing
  }

  function list(items: readonly unknown[], path: string, name: string): unknown {
    const found = items.map((item, index) => {
      const at = `${path}[${index}]`
      if (!isObject(item)) return visit(item, at, name)
      const { value, isComplete } = members(item, at)
      return isComplete || kept.has(name) ? value : nothing
    })
    if (wholes.has(name) && found.includes(nothing)) return nothing
    return found.filter((item) => item !== nothing)
  }

  function members(value: Json, path: string): { value: Json; isComplete: boolean } {
    const all = Object.entries(value).map(
      ([name, member]) => [name, visit(member, memberPath(path, name), name)] as const,
    )
    const some = all.filter(([, member]) => member !== nothing)
    return { value: Object.fromEntries(some), isComplete: some.length === all.length }
  }
}

/** Parses a text without any variables. */
export const parsePlainText = (text: string): ParsedText => ({ pieces: [text] })

/** Parses a text of a Compose file: `$NAME`, `${NAME}`, `${NAME:-default}`; `$$` is a dollar sign. */
export function parseComposeText(text: string): ParsedText {
  const pieces: Piece[] = []
  const remarks: string[] = []
  let from = 0
  for (const found of text.matchAll(/\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])([^{}$]*))?\}|)/g)) {
    const [all, dollar, short, long, sign, otherwise = ''] = found
    pieces.push(text.slice(from, found.index))
    from = found.index + all.length
    const variable = short ?? long
    if (dollar) pieces.push(dollar)
    else if (variable === undefined) return { why: 'unsupported text after the $' }
    else if (sign?.endsWith('+')) return { why: 'a value that depends on whether a variable is set is not supported' }
    else if (sign?.endsWith('-')) {
      pieces.push(otherwise)
      remarks.push(`${variable} is not required: the default is used`)
    } else pieces.push({ variable })
  }
  return { pieces: [...pieces, text.slice(from)], remarks }
}

/** Variables that replace ecspresso lookups, with the original calls. */
export type Lookups = Map<string, string>

const lookup = /^(?:\w+_)?(?:tfstatef?|ssm|secretsmanager_arn|cfn_output|cfn_export)\b/

/**
 * Returns a parser for ecspresso texts: `{{ must_env `NAME` }}` and `{{ env `NAME` `default` }}`. Other lookups, such
 * as `{{ tfstate `resource.attribute` }}`, become variables.
 */
export const ecspressoText =
  (lookups: Lookups) =>
  (text: string): ParsedText => {
    const pieces: Piece[] = []
    const remarks: string[] = []
    let from = 0
    for (const found of text.matchAll(/\{\{(.*?)\}\}/gs)) {
      const [all, inner = ''] = found
      pieces.push(text.slice(from, found.index))
      from = found.index + all.length
      const call = inner.replace(/^-|-$/g, '').trim()
      const [, name, quoted, otherwise] =
        /^(must_env|env)\s+[`"](\w+)[`"](?:\s+[`"]([^`"]*)[`"])?(?:\s*\|\s*json_escape)?$/.exec(call) ?? []
      if (lookup.test(call)) {
        const variable = variableOf(call, lookups)
        pieces.push({ variable })
        remarks.push(`ecspresso looks up {{ ${call} }}: set the variable ${variable} to its value`)
      } else if (name === undefined || quoted === undefined) {
        return { why: `the template {{ ${call} }} is not supported: run ecspresso render first` }
      } else if (name === 'must_env') pieces.push({ variable: quoted })
      else {
        pieces.push(otherwise ?? '')
        remarks.push(`${quoted} is not required: the default is used`)
      }
    }
    return { pieces: [...pieces, text.slice(from)], remarks }
  }

/** Returns the variable for a lookup. Lookups that differ only in punctuation get different names. */
function variableOf(call: string, lookups: Lookups): string {
  const name =
    call
      .toUpperCase()
      .match(/[A-Z0-9]+/g)
      ?.join('_')
      .slice(0, 100) ?? ''
  for (let count = 1; ; count += 1) {
    const variable = count === 1 ? name : `${name}_${count}`
    const known = lookups.get(variable)
    if (known !== undefined && known !== call) continue
    lookups.set(variable, call)
    return variable
  }
}
