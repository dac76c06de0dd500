import type { ProjectDocument } from '@sluice/contract'
import { memberPath } from '../../platform/http/faults.ts'
import type { IdPrefix } from '../../platform/ids.ts'
import { externalKinds, type Key } from './key.ts'

/** Kinds of records that texts of inputs, configs and values can refer to by `${Kind:name}`, which becomes an id. */
const referable = [
  'Environment',
  'ExecutionEnvironment',
  'ModuleInstance',
  'Pipeline',
  'Stack',
  ...externalKinds,
] as const

const shape = new RegExp(`\\$+\\{(env|${referable.join('|')}):([^{}]+)\\}`, 'g')

/** Reference in a document. */
export type Reference = { key: Key; path: string }

/** Replaces the references in a text; `$${…}` is an escaped `${…}`. */
function filledText(text: string, textFor: (kind: string, name: string) => string): string {
  return text.replaceAll(shape, (all: string, kind: string, name: string) =>
    all.startsWith('$$') ? all.slice(1) : textFor(kind, name),
  )
}

type Visit = (text: string, path: string) => string

function mapTexts(value: unknown, visit: Visit, path: string): unknown {
  if (typeof value === 'string') return visit(value, path)
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, visit, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, visit, memberPath(path, name))]),
  )
}

/** Fields of documents whose texts can contain references. */
const freeFields = ['input', 'config', 'inputs', 'pipelineInputs', 'value', 'url', 'routingKey'] as const
/** Fields that can contain secrets. Modules, pipelines and templates are visible to their readers. */
const secretFields: readonly string[] = ['input', 'value', 'url', 'routingKey']

function mapFree(document: ProjectDocument, visit: (text: string, path: string, field: string) => string) {
  const fields = freeFields.flatMap((field) => {
    const value: unknown = Reflect.get(document, field)
    return value === undefined ? [] : [[field, mapTexts(value, (text, path) => visit(text, path, field), `$.${field}`)]]
  })
  return { ...document, ...Object.fromEntries(fields) } as ProjectDocument
}

/** Returns the document with secrets from variables filled in. Reports missing variables with their path. */
export function withSecrets(
  document: ProjectDocument,
  env: NodeJS.ProcessEnv,
  missing: (name: string, path: string) => void,
): ProjectDocument {
  return mapFree(document, (text, path, field) => {
    return text.replaceAll(shape, (all: string, kind: string, name: string) => {
      if (kind !== 'env' || all.startsWith('$$')) return all
      if (!secretFields.includes(field)) return `$${all}`
      const value = env[name]
      if (value === undefined) missing(name, path)
      return escaped(value ?? '')
    })
  })
}

/** Reports whether a value as written contains a secret. */
export const namesSecret = (value: unknown): boolean =>
  [...JSON.stringify(value ?? null).matchAll(shape)].some(([all, kind]) => kind === 'env' && !all.startsWith('$$'))

/** Returns the references in the free texts of a document. */
export function referencesOf(document: ProjectDocument): Reference[] {
  const found: Reference[] = []
  mapFree(document, (text, path) =>
    filledText(text, (kind, name) => {
      found.push({ key: `${kind} ${name}`, path })
      return ''
    }),
  )
  return found
}

/** Replaces names by ids, as the service requires. */
export const withIds = <T>(value: T, idOf: (key: Key) => string): T =>
  mapTexts(value, (text) => filledText(text, (kind, name) => idOf(`${kind} ${name}`)), '$') as T

const idPrefixes: Readonly<Record<(typeof referable)[number], IdPrefix>> = {
  Environment: 'env',
  ExecutionEnvironment: 'ee',
  ModuleInstance: 'mi',
  Pipeline: 'pl',
  Stack: 'stk',
  CloudAccount: 'ca',
  CodeSource: 'cs',
}

/** Replaces names by example IDs of the right format, for checks without records. */
export const withExampleIds = <T>(value: T): T =>
  withIds(value, (key) => {
    const kind = referable.find((one) => key.startsWith(`${one} `))
    return kind === undefined ? '' : `${idPrefixes[kind]}_${'0'.repeat(26)}`
  })

/** Replaces known ids by names, as files have them. */
export const withNames = <T>(value: T, names: ReadonlyMap<string, Key>): T =>
  mapTexts(
    value,
    (text) =>
      escaped(text).replaceAll(/(?<![$\w-])[A-Za-z0-9_-]+/g, (word) => {
        const key = names.get(word)
        return key === undefined ? word : `\${${key.replace(' ', ':')}}`
      }),
    '$',
  ) as T

/** Escapes a text so that it contains no reference. */
export const escaped = (text: string): string => text.replaceAll(shape, (all: string) => `$${all}`)
