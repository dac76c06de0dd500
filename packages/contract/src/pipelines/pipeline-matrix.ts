/** Values of one combination, keyed by axis. */
export type MatrixValues = Readonly<Record<string, string | number | boolean>>

/** Axes of a matrix with their values, and the combinations to include or exclude. */
export type Matrix = {
  include?: MatrixValues[]
  exclude?: MatrixValues[]
  [axis: string]: (string | number | boolean)[] | MatrixValues[] | undefined
}

/** Fields of a configured step that a matrix uses. */
export type MatrixStep = { id: string; name?: string; needs?: string[]; strategy?: { matrix: Matrix } }

/** Origin of a generated step: the ID of the configured step, and the values of its combination. */
export type MatrixOrigin = { matrix?: { of: string; values: MatrixValues } }

/** Returns the combinations of a matrix, formed as in GitHub Actions. */
export function combinationsOf({ include = [], exclude = [], ...axes }: Matrix): MatrixValues[] {
  const product = Object.entries(axes as Record<string, MatrixValues[string][]>).reduce<MatrixValues[]>(
    (combinations, [axis, values]) =>
      combinations.flatMap((combination) => values.map((value) => ({ ...combination, [axis]: value }))),
    Object.keys(axes).length > 0 ? [{}] : [],
  )
  const wanted = product.filter((combination) => !exclude.some((one) => contains(combination, one)))
  const extended = wanted.map((combination): MatrixValues => {
    const extensions = include.filter((one) => isExtension(one, combination, axes))
    return Object.assign({}, combination, ...extensions)
  })
  const added = include.filter((one) => !wanted.some((combination) => isExtension(one, combination, axes)))
  return [...extended, ...added]
}

const contains = (combination: MatrixValues, part: MatrixValues): boolean =>
  Object.entries(part).every(([axis, value]) => combination[axis] === value)

/** Returns whether an included combination extends another one without changing a value of an axis. */
const isExtension = (included: MatrixValues, combination: MatrixValues, axes: object): boolean =>
  Object.entries(included).every(([name, value]) => !Object.hasOwn(axes, name) || combination[name] === value)

/** Returns the ID of the step for a combination, such as `test-22-linux` for `test`. */
export const idOfCombination = (id: string, values: MatrixValues): string =>
  [id, ...Object.values(values)]
    .map((part) =>
      String(part)
        .toLowerCase()
        .replaceAll(/[^a-z0-9_]+/g, '-')
        .replaceAll(/^-|-$/g, ''),
    )
    .join('-')

/**
 * Returns the steps with one step per combination in place of each step with a matrix. A step that needs a step with a
 * matrix needs all of its combinations.
 */
export function expandMatrices<Step extends MatrixStep>(steps: readonly Step[]): (Step & MatrixOrigin)[] {
  if (steps.every(({ strategy }) => strategy === undefined)) return [...steps]
  const idsOf = new Map(steps.map(({ id, strategy }) => [id, strategy ? idsIn(id, strategy.matrix) : [id]]))
  return steps.flatMap((step, index): (Step & MatrixOrigin)[] => {
    const before = steps[index - 1]
    const needs = (step.needs ?? (before ? [before.id] : [])).flatMap((id) => idsOf.get(id) ?? [id])
    const { id, name = id, strategy } = step
    if (!strategy) return [{ ...step, needs }]
    return combinationsOf(strategy.matrix).map((values) => ({
      ...step,
      id: idOfCombination(id, values),
      name: `${name} (${Object.values(values).join(', ')})`,
      needs,
      matrix: { of: id, values },
    }))
  })
}

const idsIn = (id: string, matrix: Matrix): string[] =>
  combinationsOf(matrix).map((values) => idOfCombination(id, values))
