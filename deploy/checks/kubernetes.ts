import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'
import { renderKustomization } from '../../packages/server/src/testing/kustomize.ts'

/** An object of Kubernetes, as its manifest has it. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; labels?: Record<string, string> }
  data?: Record<string, string>
} & Record<string, unknown>

type Kustomization = {
  resources: string[]
  configMapGenerator: { name: string; envs?: string[]; files?: string[] }[]
  labels: { pairs: Record<string, string> }[]
  images: { name: string; newName: string; newTag: string }[]
}

const base = fileURLToPath(new URL('../kubernetes/base', import.meta.url))

/** Returns the text of a file of `deploy/kubernetes/base`. */
export const readBase = (path: string): string => readFileSync(join(base, path), 'utf8')

export const kustomization = parse(readBase('kustomization.yaml')) as Kustomization

/** Returns the manifests of a text with several documents. */
export const manifestsOf = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null)

/** Returns the settings of a file with a line for each, as kustomize reads it. */
export const settingsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

/** Returns the base as `kubectl kustomize` renders it. */
export const kustomizedBase = (): Manifest[] => renderKustomization(base) as Manifest[]
