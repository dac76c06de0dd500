import { freeMaps } from '@sluice/contract'
import { memberPath } from '../../../platform/http/faults.ts'

type Json = Record<string, unknown>

/** What the cloud answers of a task definition beside what it was asked for, without case and underscores. */
const itsOwn = new Set([
  ...['taskdefinitionarn', 'revision', 'status', 'requiresattributes', 'compatibilities', 'registeredat'],
  ...['registeredby', 'deregisteredat', 'deleterequestedat'],
])

/**
 * What is wrong with a task definition that was pasted from what the cloud, or a template of it, has. The rest of a
 * task definition is handed on as it is, so that nothing else would say that a part of it counts for nothing.
 */
export function* pastedFaults(taskDefinition: unknown, path: string): Generator<string> {
  if (!isObject(taskDefinition)) return
  for (const [name, value] of Object.entries(taskDefinition)) {
    const at = memberPath(path, name)
    if (itsOwn.has(spelled(name))) yield `${at}: the cloud says it of a revision that is there: leave it out`
    if (spelled(name) === 'taskdefinition' && isObject(value)) {
      yield `${at}: the task definition is what stands in it: write that here instead`
    }
  }
  yield* spellingFaults(taskDefinition, path)
}

function* spellingFaults(value: unknown, path: string): Generator<string> {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* spellingFaults(item, `${path}[${index}]`)
  if (!isObject(value)) return
  const known = new Map<string, string>()
  for (const [name, member] of Object.entries(value)) {
    const at = memberPath(path, name)
    const twin = known.get(spelled(name))
    if (twin !== undefined) yield `${at}: it stands there as ${twin} already: keep one of them`
    else if (/^[A-Z]/.test(name)) yield `${at}: it is written ${snakeCase(name)}`
    known.set(spelled(name), name)
    if (!freeMaps.has(name)) yield* spellingFaults(member, at)
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const spelled = (name: string): string => name.replaceAll('_', '').toLowerCase()

const snakeCase = (name: string): string => name.replaceAll(/(?<!^)([A-Z])/g, '_$1').toLowerCase()
