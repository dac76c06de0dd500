import { type DeploymentType, deployBlocks, deploymentTypes } from '@sluice/contract'
import { hasTemplate } from '@sluice/expressions'
import { Compile, type Validator } from 'typebox/compile'
import { Clone, Default } from 'typebox/value'
import { faultsOf, memberPath } from '../../../platform/http/faults.ts'
import { withoutNulls } from './absent.ts'
import { taskDefinitionFaults } from './pasted.ts'

/** Validates a rendered block. Returns it with defaults, or all errors with their paths. */
export function readDeployBlock(type: DeploymentType, rendered: unknown): { block: unknown } | { faults: string[] } {
  const block = filledIn(type, withoutNulls(rendered))
  const shape = faultsOf(readerOf(type), block, 'deploy')
  const faults = [...shape, ...ruleFaults(type, block, 'deploy', isWrongIn(shape)), ...fieldFaultsIn(block)]
  return faults.length > 0 ? { faults } : { block }
}

/**
 * Returns the rule violations of a block at publication, as far as they do not depend on templates. `shape` are its
 * schema errors.
 */
export function publishedFaults(
  { inputs: _, concurrency: __, ...written }: Record<string, unknown>,
  root: string,
  shape: readonly string[],
): string[] {
  const type = deploymentTypes.find((one) => one === written.type)
  if (type === undefined) return []
  const isWrong = isWrongIn(shape)
  return ruleFaults(type, filledIn(type, written), root, (part, path) => isOpen(part) || isWrong(part, path))
}

/** Returns errors in the fields of the block's task definition, if any. */
const fieldFaultsIn = (block: unknown): string[] => [
  ...taskDefinitionFaults((block as { task_definition?: unknown }).task_definition, 'deploy.task_definition'),
]

/** Reports whether a part cannot be evaluated yet. */
type IsUnknown = (part: unknown, path: string) => boolean

function ruleFaults(type: DeploymentType, block: unknown, root: string, isUnknown: IsUnknown): string[] {
  return deployBlocks[type].rules.flatMap((rule) => {
    try {
      // The rules expect valid blocks; a part with an unexpected shape ends the rule that reads it.
      return rule(knownParts(block, root, isUnknown) as never).map(({ path, must }) => `${root}${path} ${must}`)
    } catch (error) {
      if (error instanceof NotKnown) return []
      throw error
    }
  })
}

/** Thrown when a rule reads a part that is unknown or invalid. */
class NotKnown extends Error {}

/** Wraps a value so that reading an unknown part throws. */
function knownParts(value: unknown, path: string, isUnknown: IsUnknown): unknown {
  if (isUnknown(value, path)) throw new NotKnown()
  if (typeof value !== 'object' || value === null) return value
  return new Proxy(value, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name)
      const isBuiltIn = typeof name === 'symbol' || typeof part === 'function'
      return isBuiltIn ? part : knownParts(part, memberPath(path, name), isUnknown)
    },
  })
}

/** Reports whether a part is a template or contains a spread, so that its members are unknown before rendering. */
function isOpen(part: unknown): boolean {
  if (typeof part === 'string') return hasTemplate(part)
  if (Array.isArray(part)) return part.some((item) => typeof item === 'string' && /^\s*\.\.\.\s*<</.test(item))
  return typeof part === 'object' && part !== null && Object.keys(part).some((name) => name.startsWith('...'))
}

function isWrongIn(shape: readonly string[]): IsUnknown {
  const paths = new Set(shape.map((fault) => fault.split(': ', 1)[0]))
  return (_, path) => paths.has(path)
}

const filledIn = (type: DeploymentType, block: unknown): unknown => Default(deployBlocks[type].schema, Clone(block))

const readers = new Map<DeploymentType, Validator>()

// Compiled schemas validate ten times faster.
function readerOf(type: DeploymentType): Validator {
  const known = readers.get(type)
  if (known) return known
  const reader = Compile(deployBlocks[type].schema)
  readers.set(type, reader)
  return reader
}
