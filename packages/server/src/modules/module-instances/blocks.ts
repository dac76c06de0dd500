import type { NearestDefault } from '../../projects/default-values/nearest.ts'
import type { InstanceNode } from './graph.ts'
import { placeRoots } from './graph.ts'

type Json = Record<string, unknown>

/** Returns the values that templates of a version's blocks can read, except the stack's outputs. */
export const blockRoots = (placed: InstanceNode, values: Json) => {
  const { module, ...place } = placeRoots(placed)
  return { ...place, module: { ...module, input: values }, stack: { id: placed.stack?.id ?? null } }
}

/**
 * Returns the same with the outputs of the last apply. Excludes sensitive ones, because rendered blocks are stored and
 * returned.
 */
export const outputRoots = (placed: InstanceNode, values: Json) => {
  const roots = blockRoots(placed, values)
  return { ...roots, stack: { ...roots.stack, output: placed.stack?.outputs ?? {} } }
}

/**
 * Returns the object that templates read as `defaults`. Sensitive values are reported to `onSealed` and read as null,
 * because rendered blocks are stored and returned.
 */
export function openDefaults(nearest: readonly NearestDefault[], onSealed: (key: string) => void): Json {
  const root = {}
  for (const { key, held } of nearest) {
    const get = () => {
      if ('value' in held) return held.value
      onSealed(key)
      return null
    }
    Object.defineProperty(root, key, { enumerable: true, get })
  }
  return root
}
