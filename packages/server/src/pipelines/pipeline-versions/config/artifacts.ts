import { hasTemplate, unknown } from '@sluice/expressions'
import type { DraftStep } from './draft.ts'
import { matrixNames, matrixOf } from './matrix.ts'
import { stepsBefore } from './steps.ts'

type Json = Record<string, unknown>

/** Named entry of `artifacts.upload` or `artifacts.download`, with its path in the request. */
type Entry = { place: string; step: string; name: string; written: Json }

/**
 * Returns errors of artifacts: names that two steps upload, names that no earlier step uploads, and paths outside the
 * working directory. A name with a template is known only when the step runs.
 */
export function artifactFaults(steps: readonly DraftStep[]): string[] {
  const uploads = steps.map((step) => entriesOf(step, 'upload'))
  return [
    ...repeatedNames(uploads.flat()),
    ...steps.flatMap((step, index) => [
      ...matrixNameFaults(step, uploads[index] ?? []),
      ...(uploads[index] ?? []).flatMap(uploadPathFaults),
      ...downloadFaults(steps, index, uploads),
    ]),
  ]
}

function entriesOf({ type, id: step, place, with: given }: DraftStep, what: 'upload' | 'download'): Entry[] {
  if (type !== 'command') return []
  const { artifacts } = given
  const entries = isObject(artifacts) ? artifacts[what] : undefined
  return (Array.isArray(entries) ? entries : []).flatMap((written: unknown, index) =>
    isObject(written) && typeof written.name === 'string'
      ? [{ place: `${place}.with.artifacts.${what}[${index}]`, step, name: written.name, written }]
      : [],
  )
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

function repeatedNames(uploads: readonly Entry[]): string[] {
  const seen = new Set<string>()
  return uploads.flatMap(({ place, name }) => {
    const isRepeated = seen.has(name)
    seen.add(name)
    return isRepeated ? [`${place}.name: expected another name, ${name} is uploaded before`] : []
  })
}

/** Returns errors for artifact names that several combinations of a matrix would upload. */
function matrixNameFaults(step: DraftStep, uploads: readonly Entry[]): string[] {
  const matrix = matrixOf(step)
  if (!matrix) return []
  const [axis = 'name'] = matrixNames(matrix)
  return uploads
    .filter(({ name }) => !/\bmatrix\b/.test(name))
    .map(
      ({ place, name }) => `${place}.name: expected a name for each combination, such as ${name}-<< matrix.${axis} >>`,
    )
}

function uploadPathFaults({ place, written: { paths } }: Entry): string[] {
  return (Array.isArray(paths) ? paths : []).flatMap((path: unknown, index) =>
    typeof path === 'string' ? pathFaults(`${place}.paths[${index}]`, path) : [],
  )
}

function downloadFaults(steps: readonly DraftStep[], index: number, uploads: readonly Entry[][]): string[] {
  const step = steps[index]
  if (!step) return []
  const downloads = entriesOf(step, 'download')
  if (downloads.length === 0) return []
  const before = stepsBefore(steps, index)
  const upstream = steps.flatMap(({ id }, at) => (before.includes(id) ? (uploads[at] ?? []) : []))
  const names = upstream.map(({ name }) => name)
  const isCertain = !names.some(hasTemplate)
  return downloads.flatMap(({ place, name, written: { path } }) => [
    ...(isCertain && !hasTemplate(name) && !names.includes(name)
      ? [unknownName(place, name, names, uploads.flat())]
      : []),
    ...(typeof path === 'string' ? pathFaults(`${place}.path`, path) : []),
  ])
}

function unknownName(place: string, name: string, names: string[], all: readonly Entry[]): string {
  const elsewhere = all.find((one) => one.name === name)
  if (elsewhere) {
    return `${place}.name: expected an artifact of an earlier step, ${name} is uploaded by ${elsewhere.step}; add that step to \`needs\``
  }
  return `${place}.name: ${unknown(`no earlier step uploads ${name}`, name, names)}`
}

function pathFaults(place: string, path: string): string[] {
  if (hasTemplate(path)) return []
  const isOutside = path.startsWith('/') || path.split('/').includes('..')
  return isOutside
    ? [`${place}: expected a path inside the working directory, without .. and without / at its begin`]
    : []
}
