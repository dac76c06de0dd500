import type { Condition, ShowWhen } from '../../module-versions/config/schema.ts'

/** Reports whether all conditions hold for the resolved values of the inputs that they name. */
export const allHold = (conditions: ShowWhen | null | undefined, read: (id: string) => unknown): boolean =>
  Object.entries(conditions ?? {}).every(([id, condition]) => holds(condition, read(id)))

function holds(condition: Condition, value: unknown): boolean {
  if (Array.isArray(condition)) return condition.some((wanted) => isSame(wanted, value))
  if (typeof condition === 'object') return ![condition.not].flat().some((unwanted) => isSame(unwanted, value))
  return isSame(condition, value)
}

/**
 * Reports whether a value matches. Null matches `false` and the empty string, so that a hidden switch counts as off.
 */
const isSame = (wanted: unknown, value: unknown): boolean =>
  value === wanted || (value === null && (wanted === false || wanted === ''))
