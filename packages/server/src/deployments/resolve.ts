import { ExpressionError, render } from '@sluice/expressions'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { resolveEcs } from './ecs/resolve.ts'
import { DeployInput, resolveInputs } from './inputs.ts'
import { defaultQueuePolicy, type QueuePolicy } from './machine.ts'
import type { Release } from './release.ts'

/** The parts of a `deploy` block that are read before it is rendered. */
const DeployBlock = Type.Object({
  type: Type.String(),
  inputs: Type.Optional(Type.Array(DeployInput)),
  concurrency: Type.Optional(
    Type.Object({
      queue_size: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
      queue_overflow: Type.Optional(Type.Enum(['oldest', 'newest', 'reject'])),
    }),
  ),
})

/** What the templates of a deploy block may name. */
export type Roots = {
  module: { id: string; given_id: string; input: Record<string, unknown> }
  project: { given_id: string }
  environment: { given_id: string }
}

export type ResolvedDeployment = {
  release: Omit<Release, 'cloudAccountId' | 'queue'>
  /** The twelve-digit number of the account that is deployed to. */
  accountNumber: string
  inputs: Record<string, unknown>
  queue: QueuePolicy
}

export type Resolution =
  | { verdict: 'resolved'; deployment: ResolvedDeployment }
  | { verdict: 'no-deploy' }
  | { verdict: 'inputs-wrong' | 'release-wrong'; faults: string[] }

/** Resolves what a module version's `deploy` block releases with the given inputs, once and for all. */
export function resolveDeployment(deploy: unknown, given: Record<string, unknown>, roots: Roots): Resolution {
  if (deploy === undefined || deploy === null) return { verdict: 'no-deploy' }
  if (!Check(DeployBlock, deploy)) return { verdict: 'release-wrong', faults: ['the deploy block is not readable'] }
  if (deploy.type !== 'cloud:ecs') {
    return { verdict: 'release-wrong', faults: [`deploy.type ${deploy.type} cannot be deployed; cloud:ecs can`] }
  }
  const inputs = resolveInputs(deploy.inputs ?? [], given)
  if ('faults' in inputs) return { verdict: 'inputs-wrong', faults: inputs.faults }

  const rendered = renderBlock(deploy, { ...roots, deploy: { input: inputs.values } })
  if ('faults' in rendered) return { verdict: 'release-wrong', faults: rendered.faults }
  const resolved = resolveEcs(rendered.block)
  if ('faults' in resolved) return { verdict: 'release-wrong', faults: resolved.faults }
  return { verdict: 'resolved', deployment: { ...resolved, inputs: inputs.values, queue: queueOf(deploy) } }
}

function renderBlock(deploy: object, roots: Record<string, unknown>): { block: unknown } | { faults: string[] } {
  try {
    return { block: render(deploy, roots, 'deploy') }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { faults: error.faults.map(({ path, message }) => `${path}: ${message}`) }
  }
}

const queueOf = ({ concurrency }: Static<typeof DeployBlock>): QueuePolicy => ({
  queueSize: concurrency?.queue_size ?? defaultQueuePolicy.queueSize,
  queueOverflow: concurrency?.queue_overflow ?? defaultQueuePolicy.queueOverflow,
})
