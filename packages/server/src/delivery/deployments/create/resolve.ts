import { Concurrency } from '@sluice/contract'
import { ExpressionError, render } from '@sluice/expressions'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Default } from 'typebox/value'
import { faultLine, resolveInputs } from '../../../modules/module-instances/inputs/resolve.ts'
import { withoutNulls } from '../../../modules/module-versions/config/absent.ts'
import { readDeployBlock } from '../../../modules/module-versions/config/deploy-block.ts'
import type { InputDefinition } from '../../../modules/module-versions/config/schema.ts'
import type { QueuePolicy } from '../execution/machine.ts'
import type { AccountName } from '../types/deployment-type.ts'
import { findType, typeNames } from '../types/deployment-types.ts'
import { ecs } from '../types/ecs/deployment-type.ts'
import { type EcsService, readService } from '../types/ecs/infrastructure.ts'
import type { ReleaseWithoutAccount } from '../types/release.ts'

type Json = Record<string, unknown>

/**
 * Parts of a `deploy` block that are read before it is rendered. The inputs of the block were validated when the module
 * version was published.
 */
const DeployBlock = Type.Object({
  type: Type.String(),
  inputs: Type.Optional(Type.Unknown()),
  concurrency: Type.Optional(Type.Object(Concurrency.properties)),
})

// Compiled, because this makes validation ten times as fast.
const deployReader = Compile(DeployBlock)

/** Values that templates of a deploy block can refer to, besides `defaults` and the pipeline run. */
export type TemplateRoots = {
  module: { id: string; given_id: string; input: Json }
  project: { given_id: string }
  environment: { given_id: string }
  stack: { id: string | null; output: Json }
  defaults: Json
  pipeline?: { run: { id: string } }
}

export type ResolvedDeployment = AccountName & {
  release: ReleaseWithoutAccount
  inputs: Json
  queue: QueuePolicy
}

export type Resolution =
  | { verdict: 'resolved'; deployment: ResolvedDeployment }
  | { verdict: 'no-deploy' }
  | { verdict: 'inputs-wrong' | 'release-wrong'; faults: string[] }

/**
 * Resolves what a deploy block releases to the target with the given inputs. The result is final: it is never rendered
 * again.
 */
export function resolveDeployment(written: unknown, target: TemplateRoots, given: Json): Resolution {
  if (written === undefined || written === null) return { verdict: 'no-deploy' }
  const deploy = withoutNulls(written)
  if (!deployReader.Check(deploy)) return { verdict: 'release-wrong', faults: ['the deploy block is not readable'] }
  const kind = findType(deploy.type)
  if (!kind) {
    const fault = `deploy.type ${deploy.type} cannot be deployed; ${typeNames.join(', ')} can`
    return { verdict: 'release-wrong', faults: [fault] }
  }
  const { inputs: declared, concurrency, ...block } = deploy
  const definitions = (declared ?? []) as InputDefinition[]
  const outer = target.module.input
  const { values, faults } = resolveInputs(definitions, given, { of: 'deploy', roots: target, outer }, 'inputs')
  if (faults.length > 0) return { verdict: 'inputs-wrong', faults: faults.map(faultLine) }

  const rendered = renderBlock(block, { ...target, deploy: { input: values } })
  if ('faults' in rendered) return { verdict: 'release-wrong', faults: rendered.faults }
  const read = readDeployBlock(kind.type, rendered.block)
  if ('faults' in read) return { verdict: 'release-wrong', faults: read.faults }
  const placed = kind.releaseOf(read.block)
  return { verdict: 'resolved', deployment: { ...placed, inputs: values, queue: queueOf(concurrency) } }
}

/**
 * Returns the container service that a deploy block releases to, if it does not depend on the inputs of a deployment.
 */
export function resolveService(
  written: unknown,
  target: TemplateRoots,
): (EcsService & { queue: QueuePolicy }) | undefined {
  const deploy = withoutNulls(written)
  if (!deployReader.Check(deploy) || deploy.type !== ecs.type) return undefined
  const { infrastructure, timeout } = deploy as { infrastructure?: unknown; timeout?: unknown }
  const rendered = renderBlock({ infrastructure, timeout }, target)
  const service = 'faults' in rendered ? undefined : readService(withoutNulls(rendered.block))
  return service && { ...service, queue: queueOf(deploy.concurrency) }
}

function renderBlock(deploy: object, roots: Json): { block: unknown } | { faults: string[] } {
  try {
    return { block: render(deploy, roots, 'deploy') }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { faults: error.faults.map(({ path, message }) => `${path}: ${message}`) }
  }
}

function queueOf(concurrency: object = {}): QueuePolicy {
  const { queue_size: queueSize, queue_overflow: queueOverflow } = Default(Concurrency, {
    ...concurrency,
  }) as Concurrency
  return { queueSize, queueOverflow }
}
