import { combinationsOf, idOfCombination, type Matrix } from '@sluice/contract/pipeline-matrix'
import { Compile } from 'typebox/compile'
import type { DraftStep } from './draft.ts'
import { common, maxCombinations, maxCounts, type StepType } from './schema.ts'
import { stepsBefore } from './steps.ts'

const strategy = Compile(common.strategy)

/** Returns the matrix of a step; undefined if it has none, or an invalid one that has been reported already. */
export const matrixOf = ({ written }: DraftStep): Matrix | undefined =>
  written.strategy !== undefined && strategy.Check(written.strategy)
    ? (written.strategy as { matrix: Matrix }).matrix
    : undefined

/** Returns the names that templates of a step can read as `matrix.<name>`. */
export const matrixNames = (matrix: Matrix): string[] => [
  ...new Set([...Object.keys(axesOf(matrix)), ...(matrix.include ?? []).flatMap(Object.keys)]),
]

const axesOf = ({ include: _, exclude: __, ...axes }: Matrix): object => axes

/** Step types that cannot have a matrix, because they continue or are continued by exactly one other step. */
const single: readonly (StepType | undefined)[] = ['iac:plan', 'iac:apply', 'deploy-swap']

/** Returns errors of matrices: too many steps, none, duplicate ids, or an unsupported type. */
export function matrixFaults(steps: readonly DraftStep[]): string[] {
  const taken = new Set(steps.filter((step) => !matrixOf(step)).map(({ id }) => id))
  let count = steps.length
  return steps.flatMap((step, index) => {
    const matrix = matrixOf(step)
    if (!matrix) return swapFaults(steps, index)
    const { place, type, id } = step
    if (single.includes(type)) {
      const remedy = 'run a pipeline for each combination, by a step of the type pipeline'
      return [`${place}.strategy: not allowed: a step of the type ${type} belongs to one other step; ${remedy}`]
    }
    const size = productOf(matrix)
    if (size > maxCombinations)
      return [`${place}.strategy.matrix: expected at most ${maxCombinations} combinations, got ${size}`]
    const ids = combinationsOf(matrix).map((values) => idOfCombination(id, values))
    count += ids.length - 1
    if (ids.length === 0) return [`${place}.strategy.matrix: expected a combination, all are excluded`]
    if (count > maxCounts.steps)
      return [`${place}.strategy.matrix: expected at most ${maxCounts.steps} steps in all, got ${count}`]
    return ids.flatMap((one) => idFaults(one, taken, `${place}.strategy.matrix`))
  })
}

/** Returns an error if a deploy-swap continues a deploy with a matrix, because it ends a single deployment. */
function swapFaults(steps: readonly DraftStep[], index: number): string[] {
  const { type, place, with: given } = steps[index] ?? {}
  if (type !== 'deploy-swap') return []
  const deploys = stepsBefore(steps, index).filter((id) => steps.find((one) => one.id === id)?.type === 'deploy')
  const deploy = steps.find(({ id }) => id === (given?.deploy ?? deploys[0]))
  return deploy && matrixOf(deploy)
    ? [`${place}: expected a step of the type deploy without a matrix before it, ${deploy.id} has one`]
    : []
}

function productOf(matrix: Matrix): number {
  const sizes = Object.values(axesOf(matrix)).map((values: unknown[]) => values.length)
  return sizes.reduce((product, size) => product * size, 1) + (matrix.include?.length ?? 0)
}

const longestId = 63

function idFaults(id: string, taken: Set<string>, place: string): string[] {
  const isTaken = taken.has(id)
  taken.add(id)
  if (isTaken) return [`${place}: expected other values, two steps would have the id ${id.slice(0, longestId)}`]
  return id.length > longestId
    ? [`${place}: expected shorter values, the id ${id.slice(0, longestId)}… has more than ${longestId} characters`]
    : []
}
