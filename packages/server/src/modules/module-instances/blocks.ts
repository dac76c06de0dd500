import type { NearestDefault } from '../../projects/default-values/nearest.ts'
import type { Placed } from './graph.ts'
import { placeRoots } from './graph.ts'

type Json = Record<string, unknown>

/** What the blocks of a version read of an instance with these resolved inputs, its stack's outputs aside. */
export const blockRoots = (placed: Placed, values: Json) => {
  const { module, ...place } = placeRoots(placed)
  return { ...place, module: { ...module, input: values }, stack: { id: placed.stack?.id ?? null } }
}

/**
 * The same with the outputs of the last apply. Sensitive ones are not among them: what is rendered is stored and shown.
 */
export const outputRoots = (placed: Placed, values: Json) => {
  const roots = blockRoots(placed, values)
  return { ...roots, stack: { ...roots.stack, output: placed.stack?.outputs ?? {} } }
}

/**
 * The object that templates of a block read as `defaults`. A sensitive one is told to `onSealed` and reads as nothing:
 * what a block comes to is stored and shown.
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
