import { type DeploymentType, deployBlocks, deploymentTypes } from '@sluice/contract'
import { hasTemplate } from '@sluice/expressions'
import { Compile, type Validator } from 'typebox/compile'
import { Clone, Default } from 'typebox/value'
import { faultsOf, memberPath } from '../../../platform/http/faults.ts'
import { withoutNulls } from './absent.ts'
import { taskDefinitionFaults } from './pasted.ts'

/** A rendered block with what it is where nothing was said, or all that is wrong with it, each with its path. */
export function readDeployBlock(type: DeploymentType, rendered: unknown): { block: unknown } | { faults: string[] } {
  const block = filledIn(type, withoutNulls(rendered))
  const shape = faultsOf(readerOf(type), block, 'deploy')
  const faults = [...shape, ...ruleFaults(type, block, 'deploy', isWrongIn(shape)), ...fieldFaultsIn(block)]
  return faults.length > 0 ? { faults } : { block }
}

/**
 * What the rules find wrong with a block that is published, as far as it is known before its templates have values.
 * `shape` is what is wrong with it otherwise.
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

/** Errors in the fields of the task definition, if the block has one. */
const fieldFaultsIn = (block: unknown): string[] => [
  ...taskDefinitionFaults((block as { task_definition?: unknown }).task_definition, 'deploy.task_definition'),
]

/** Said to the rules of what they cannot judge. */
type IsUnknown = (part: unknown, path: string) => boolean

function ruleFaults(type: DeploymentType, block: unknown, root: string, isUnknown: IsUnknown): string[] {
  return deployBlocks[type].rules.flatMap((rule) => {
    try {
      // The rules of a type are made for its blocks; a part of another shape stops the rule that reads it.
      return rule(knownParts(block, root, isUnknown) as never).map(({ path, must }) => `${root}${path} ${must}`)
    } catch (error) {
      if (error instanceof NotKnown) return []
      throw error
    }
  })
}

/** A rule has read a part that is not known yet, or that is wrong by itself. */
class NotKnown extends Error {}

/** The value, in which reading a part that is not known stops whoever reads. */
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

/** A template, and what holds a spread: how many there are in it, or what it has besides, shows when it is rendered. */
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

// Compiled, checking takes a tenth of the time.
function readerOf(type: DeploymentType): Validator {
  const known = readers.get(type)
  if (known) return known
  const reader = Compile(deployBlocks[type].schema)
  readers.set(type, reader)
  return reader
}
