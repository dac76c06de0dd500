import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, parseAllDocuments } from 'yaml'

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

/** Why kubectl cannot render kustomizations here; undefined if it can. Debian 12's is of 2021 and too old. */
export const whyNoKubectl = /Kustomize Version: v[5-9]/.test(
  spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).stdout ?? '',
)
  ? undefined
  : 'skipped: kubectl of 1.27 or later'

/** Returns what `kubectl kustomize` makes of the base. */
export function kustomizedBase(): Manifest[] {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', base], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`kubectl kustomize ended with ${status}: ${stderr}`)
  return manifestsOf(stdout)
}
