import { escaped } from '@sluice/server/interface/project-files/references'
import { memberPath } from '@sluice/server/platform/http/faults'
import { isObject, type Json, type Remark } from './defined.ts'

/** A part of a text: as it stands, or a variable of where it is filled in. */
export type Piece = string | { variable: string }

/** What a text says in the words of the program that it was written for; or why that cannot be said here. */
export type Pieces = { pieces: Piece[]; remarks?: string[] } | { why: string }

const isVariable = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Whether a text of a file of a project has a variable. */
export const hasVariable = (text: string): boolean => /(?<!\$)(?:\$\$)*\$\{env:\w+\}/.test(text)

/** A text as files of projects have it, where `${env:NAME}` is a variable. */
function written(pieces: readonly Piece[]): string | undefined {
  let text = ''
  let literal = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      literal += piece
      continue
    }
    // A dollar before a variable would make it a text.
    if (literal.endsWith('$') || !isVariable.test(piece.variable)) return undefined
    text += `${escaped(literal)}\${env:${piece.variable}}`
    literal = ''
  }
  return text + escaped(literal)
}

/** Lists in which no word can do without the others. */
const wholes = new Set(['command', 'entryPoint', 'entrypoint', 'test'])
/** Lists whose items do without a member. */
const kept = new Set(['containerDefinitions', 'container_definitions'])

const nothing = Symbol('nothing')

/** Every text of a value as files of projects have it. What cannot be written so is left out, and named. */
export function withTexts(value: unknown, read: (text: string) => Pieces): { value: unknown; remarks: Remark[] } {
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
    say('why' in read_ ? read_.why : 'a $ before a variable, or a variable of such a name, cannot be written here')
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

/** A text that is only that. */
export const plain = (text: string): Pieces => ({ pieces: [text] })

/** What a text of a Compose file says: `$NAME`, `${NAME}`, `${NAME:-otherwise}`; `$$` is a dollar. */
export function composeText(text: string): Pieces {
  const pieces: Piece[] = []
  const remarks: string[] = []
  let from = 0
  for (const found of text.matchAll(/\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-?+])([^{}$]*))?\}|)/g)) {
    const [all, dollar, short, long, sign, otherwise = ''] = found
    pieces.push(text.slice(from, found.index))
    from = found.index + all.length
    const variable = short ?? long
    if (dollar) pieces.push(dollar)
    else if (variable === undefined) return { why: 'what stands behind the $ is none of the forms that are read here' }
    else if (sign?.endsWith('+')) return { why: 'what is said only where a variable is set cannot be written here' }
    else if (sign?.endsWith('-')) {
      pieces.push(otherwise)
      remarks.push(`${variable} is not asked for: it is what stands there without it`)
    } else pieces.push({ variable })
  }
  return { pieces: [...pieces, text.slice(from)], remarks }
}

/** The variables that stand for what ecspresso looks up, each with the one call that it stands for. */
export type Lookups = Map<string, string>

const lookup = /^(?:\w+_)?(?:tfstatef?|ssm|secretsmanager_arn|cfn_output|cfn_export)\b/

/**
 * What a text of a definition of ecspresso says: `{{ must_env `NAME` }}` and `{{ env `NAME` `otherwise` }}`. What
 * ecspresso looks up elsewhere, such as `{{ tfstate `resource.attribute` }}`, becomes a variable.
 */
export const ecspressoText =
  (lookups: Lookups) =>
  (text: string): Pieces => {
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
        return { why: `ecspresso fills in {{ ${call} }}, which is not known here: ecspresso render writes it out` }
      } else if (name === 'must_env') pieces.push({ variable: quoted })
      else {
        pieces.push(otherwise ?? '')
        remarks.push(`${quoted} is not asked for: it is what stands there without it`)
      }
    }
    return { pieces: [...pieces, text.slice(from)], remarks }
  }

/** Returns the variable of a lookup. Two lookups that differ only in signs have different ones. */
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
