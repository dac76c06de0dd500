import { CloudError } from '../errors.ts'
import { parseJson } from '../wire/json.ts'

/** Whether an event is one that a rule's pattern lets through. */
export type EventFilter = (event: object) => boolean

/** Reads an event pattern ("Event patterns" in the EventBridge user guide, read 2026-11). */
export function compilePattern(pattern: string): EventFilter {
  const compiled = ofObject(parseJson(pattern))
  return (event) => compiled(event)
}

type Match = (value: unknown) => boolean

const invalid = (message: string) =>
  new CloudError('InvalidEventPatternException', `Event pattern is not valid. ${message}`)

function ofObject(pattern: object): Match {
  const members = Object.entries(pattern).map(([name, inner]) => ({
    name,
    matches: Array.isArray(inner) ? ofList(inner) : inside(name, inner),
  }))
  return (value) =>
    members.every(({ name, matches }) => matches((value as Record<string, unknown> | undefined)?.[name]))
}

function inside(name: string, pattern: unknown): Match {
  if (typeof pattern !== 'object' || pattern === null) throw invalid(`Match value of ${name} must be from an array`)
  return ofObject(pattern)
}

/** Any of the list; where the event has a list itself, any of both. */
function ofList(list: unknown[]): Match {
  const any = list.map(matcher)
  return (value) => {
    const values = Array.isArray(value) ? value : [value]
    return values.some((one) => any.some((matches) => matches(one)))
  }
}

function matcher(wanted: unknown): Match {
  if (typeof wanted !== 'object' || wanted === null) return (value) => value === wanted
  const [kind = '', operand] = Object.entries(wanted)[0] ?? []
  switch (kind) {
    case 'prefix':
      return (value) => typeof value === 'string' && value.startsWith(String(operand))
    case 'suffix':
      return (value) => typeof value === 'string' && value.endsWith(String(operand))
    case 'exists':
      return (value) => (value !== undefined) === operand
    case 'anything-but':
      return (value) => value !== undefined && ![operand].flat().includes(value)
    default:
      throw invalid(`The simulated cloud knows no match type ${kind}.`)
  }
}
