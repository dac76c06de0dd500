import { ExpressionError, render } from '@sluice/expressions'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { resolveEcs } from './ecs/resolve.ts'
import { DeclaredInput, resolveInputs } from './inputs.ts'
import { defaultQueuePolicy, type QueuePolicy } from './machine.ts'
import type { Release } from './release.ts'

/** The parts of a `deploy` block that are read before it is rendered. */
export const DeployBlock = Type.Object({
  type: Type.String(),
  inputs: Type.Optional(Type.Array(DeclaredInput)),
  concurrency: Type.Optional(
    Type.Object({
      queue_size: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
      queue_overflow: Type.Optional(Type.Enum(['oldest', 'newest', 'reject'])),
    }),
  ),
})

/** The parts of a module version's config that are read here. */
const Config = Type.Object({ inputs: Type.Optional(Type.Array(DeclaredInput)), deploy: Type.Optional(Type.Unknown()) })

// Compiled, checking takes a tenth of the time.
const configReader = Compile(Config)
const deployReader = Compile(DeployBlock)

/** What is deployed to, as the templates of a deploy block may name it. */
export type Target = {
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

/** Resolves what a module version's `config` releases to the target with the given inputs, once and for all. */
export function resolveDeployment(config: unknown, target: Target, given: Record<string, unknown>): Resolution {
  if (!configReader.Check(config)) return { verdict: 'release-wrong', faults: ['the config is not readable'] }
  const { deploy } = config
  if (deploy === undefined || deploy === null) return { verdict: 'no-deploy' }
  if (!deployReader.Check(deploy)) return { verdict: 'release-wrong', faults: ['the deploy block is not readable'] }
  if (deploy.type !== 'cloud:ecs') {
    return { verdict: 'release-wrong', faults: [`deploy.type ${deploy.type} cannot be deployed; cloud:ecs can`] }
  }
  const inputs = resolveInputs(deploy.inputs ?? [], given, 'inputs')
  if ('faults' in inputs) return { verdict: 'inputs-wrong', faults: inputs.faults }
  const own = resolveInputs(config.inputs ?? [], target.module.input, 'input')
  if ('faults' in own) return { verdict: 'release-wrong', faults: own.faults }

  const module = { ...target.module, input: own.values }
  const rendered = renderBlock(deploy, { ...target, module, deploy: { input: inputs.values } })
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
