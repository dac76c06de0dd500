import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseEnv } from 'node:util'
import { applyPatch } from 'rfc6902'
import { parse, parseAllDocuments } from 'yaml'

// Renders the kustomizations of deploy/kubernetes like `kubectl kustomize`. Supports only the fields in use; any other
// field is an error, so that nothing is ignored unnoticed.

/** Kubernetes object, as far as rendering needs its fields. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  data?: Record<string, string>
  spec?: unknown
}

type Generator = { name: string; behavior?: 'merge'; envs?: string[]; files?: string[]; literals?: string[] }

type Kustomization = {
  apiVersion: string
  kind: string
  namespace?: string
  resources: string[]
  configMapGenerator?: Generator[]
  labels?: { pairs: Record<string, string>; includeSelectors: false }[]
  images?: { name: string; newName: string; newTag: string }[]
  patches?: { target: { kind: string; name?: string }; patch: string }[]
}

/** Renders the kustomization in `directory`. */
export function renderKustomization(directory: string): Manifest[] {
  return addHashes(accumulate(directory))
}

/** Returns the objects of a kustomization and its bases. Generated names have no hash yet. */
function accumulate(directory: string): Manifest[] {
  const file = parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8')) as Kustomization
  expectFields(directory, file)
  const manifests = file.resources.flatMap((resource) => readResource(join(directory, resource)))
  for (const generator of file.configMapGenerator ?? []) generate(manifests, generator, directory)
  for (const { target, patch } of file.patches ?? []) applyTo(manifests, target, patch)
  for (const manifest of manifests) transform(manifest, file)
  return manifests
}

const fields = 'apiVersion kind namespace resources configMapGenerator labels images patches'.split(' ')

function expectFields(directory: string, file: Kustomization): void {
  const unknown = Object.keys(file).filter((field) => !fields.includes(field))
  if (unknown.length === 0 && file.labels?.every(({ includeSelectors }) => includeSelectors === false) !== false) return
  throw new Error(
    `${directory}/kustomization.yaml: packages/server/src/testing/kustomize.ts does not render ${unknown.join(', ') || 'labels of selectors'}`,
  )
}

function readResource(path: string): Manifest[] {
  if (!existsSync(path)) throw new Error(`there is no resource ${path}`)
  if (statSync(path).isDirectory()) return accumulate(path)
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const [error] = document.errors
    if (error) throw new Error(`${path}: ${error.message}`)
    return document.toJS() as Manifest
  })
}

const isGenerated = Symbol('generated')
type Generated = Manifest & { [isGenerated]?: true }

function generate(manifests: Generated[], generator: Generator, directory: string): void {
  const { name, behavior, envs = [], files = [], literals = [] } = generator
  const data = Object.assign(
    {},
    ...envs.map((env) => parseEnv(readFileSync(join(directory, env), 'utf8'))),
    ...files.map((file) => ({ [basename(file)]: readFileSync(join(directory, file), 'utf8') })),
    parseEnv(literals.join('\n')),
  ) as Record<string, string>
  const known = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
  if ((behavior === 'merge') !== (known !== undefined))
    throw new Error(`the ConfigMap ${name} is generated twice, or never`)
  if (known) Object.assign(known.data ?? {}, data)
  else manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data, [isGenerated]: true })
}

function applyTo(manifests: Manifest[], { kind, name }: { kind: string; name?: string }, patch: string): void {
  const targets = manifests.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name))
  if (targets.length === 0) throw new Error(`a patch finds no ${kind} ${name ?? ''}`)
  for (const target of targets) {
    const [error] = applyPatch(target, parse(patch)).filter((one) => one !== null)
    if (error) throw new Error(`a patch does not fit ${kind} ${target.metadata.name}: ${error.message}`)
  }
}

const clusterScoped = ['Namespace']

function transform(manifest: Manifest, { namespace, labels = [], images = [] }: Kustomization): void {
  const { metadata, kind } = manifest
  if (namespace !== undefined && !clusterScoped.includes(kind)) metadata.namespace = namespace
  for (const { pairs } of labels) metadata.labels = { ...metadata.labels, ...pairs }
  for (const { name, newName, newTag } of images)
    visit(manifest, (object) => {
      if (object.image === name) object.image = `${newName}:${newTag}`
    })
}

/** Appends a content hash to the names of generated objects and to all references to them. */
function addHashes(manifests: Generated[]): Manifest[] {
  const names = new Map<string, string>()
  for (const { metadata, data = {}, [isGenerated]: generated } of manifests)
    if (generated) names.set(metadata.name, `${metadata.name}-${hashOf(metadata.name, data)}`)
  for (const manifest of manifests) {
    if (manifest[isGenerated]) manifest.metadata.name = names.get(manifest.metadata.name) ?? ''
    visit(manifest, ({ configMapRef, configMap }) => {
      for (const reference of [configMapRef, configMap] as ({ name: string } | undefined)[])
        if (reference) reference.name = names.get(reference.name) ?? reference.name
    })
  }
  return manifests
}

/** Returns a hash as Kustomize encodes it. */
function hashOf(name: string, data: Record<string, string>): string {
  const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const text = JSON.stringify({ data: sorted, kind: 'ConfigMap', name })
  const replacements: Record<string, string> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' }
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 10)
  return hex.replaceAll(/[013ae]/g, (digit) => replacements[digit] ?? '')
}

/** Calls `change` for every object within a value. */
function visit(value: unknown, change: (object: Record<string, unknown>) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) change(value as Record<string, unknown>)
  for (const item of Object.values(value)) visit(item, change)
}
