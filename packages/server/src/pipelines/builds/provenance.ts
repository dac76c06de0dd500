import { createHash } from 'node:crypto'
import { type Provenance, provenanceType, statementType } from '@sluice/contract'
import type { ArtifactFile, BuildOrder } from '@sluice/contract/runner-protocol'
import { guidePath } from '../../platform/http/guide.ts'
import { present } from '../../platform/present.ts'
import { locationOf } from '../artifacts/location.ts'
import type { ArtifactRow } from '../artifacts/tables.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { BuildPlan } from '../runner/order.ts'

export type Built = {
  artifact: Pick<ArtifactRow, 'kind' | 'bucket' | 'key' | 'digest'>
  /** Files of a site. */
  files: readonly ArtifactFile[]
  commit: string | undefined
  order: BuildOrder
  plan: Pick<BuildPlan, 'instance' | 'given'>
  run: Pick<PipelineRunRow, 'pipelineId' | 'pipelineVersionId' | 'triggeredBy' | 'triggerSource'>
  step: Pick<
    PipelineStepExecutionRow,
    'id' | 'attemptEpoch' | 'organizationId' | 'pipelineRunId' | 'runnerId' | 'executionEnvironmentId' | 'startedAt'
  >
  finishedAt: Date
}

/** Builder identity: the public address of this service, and its version. */
export type Builder = { address: string; release: string }

type ProvenanceContext = { builder: Builder /** Masks secrets in a text. */; hidden: <T>(value: T) => T }

/**
 * Returns the provenance of an artifact: builder, source and parameters. Contains only the names of variables, which
 * may be secrets; `hidden` masks secrets in free text such as inputs and scripts.
 */
export function provenanceOf(built: Built, { builder: { address, release }, hidden }: ProvenanceContext): Provenance {
  const { artifact, order, step, finishedAt } = built
  return {
    _type: statementType,
    subject: [{ name: locationOf(artifact), digest: digestOf(built) }],
    predicateType: provenanceType,
    predicate: {
      buildDefinition: {
        buildType: `${address}${guidePath}builds.html#provenance`,
        externalParameters: hidden(externalOf(built)),
        internalParameters: internalOf(built),
        resolvedDependencies: dependenciesOf(order, built.commit).map((one) => ({ ...one, uri: hidden(one.uri) })),
      },
      runDetails: {
        builder: { id: address, version: { sluice: release } },
        metadata: {
          invocationId: `${step.pipelineRunId}/${step.id}/${step.attemptEpoch}`,
          startedOn: (step.startedAt ?? finishedAt).toISOString(),
          finishedOn: finishedAt.toISOString(),
        },
      },
    },
  }
}

function digestOf({ artifact, files }: Built): Record<string, string> {
  if (artifact.kind === 'static') return { dirHash: dirHashOf(files) }
  return { sha256: artifact.digest.replace('sha256:', '') }
}

/**
 * Returns the digest of a directory that other tools can compute: in-toto's `dirHash`, which is Go's `Hash1` in
 * hexadecimal.
 */
export function dirHashOf(files: readonly Pick<ArtifactFile, 'path' | 'sha256'>[]): string {
  const inOrder = files.toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)))
  const lines = inOrder.map(({ path, sha256 }) => `${sha256}  ${path}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** Returns the parameters that the requester of the build controls. */
function externalOf({ order, plan }: Built) {
  const { inputs, environment } = plan.given
  return { source: sourceOf(order), builder: builderOf(order), inputs, environment }
}

/** Returns the parameters that are set by this service and by the runner. */
function internalOf({ plan, run, step }: Built) {
  const { instance, given } = plan
  const { triggeredBy, triggerSource, pipelineId, pipelineVersionId } = run
  return present({
    triggeredBy,
    triggerSource,
    secrets: given.secrets,
    organizationId: step.organizationId,
    projectId: instance.projectId,
    environmentId: instance.environmentId,
    moduleInstanceId: instance.id,
    moduleVersionId: given.moduleVersionId,
    pipelineId,
    pipelineVersionId,
    pipelineRunId: step.pipelineRunId,
    stepExecutionId: step.id,
    executionEnvironmentId: step.executionEnvironmentId ?? undefined,
    runnerId: step.runnerId ?? undefined,
  })
}

function sourceOf({ source }: BuildOrder) {
  const { basePath } = source
  if ('files' in source) return { files: Object.keys(source.files).sort(), basePath }
  return present({ repository: withoutAccess(source.url), ref: source.ref, basePath })
}

function builderOf(order: BuildOrder) {
  if (order.publishedAs !== 'image') {
    const { commands, outputDirectory, commandSeconds } = order
    return present({ type: 'commands', commands, outputDirectory, commandSeconds })
  }
  const { dockerfile, packer, context, target, isInjected, commandSeconds } = order
  if (packer) {
    const { tool: type, ...told } = packer
    return present({ type, ...told, context, commandSeconds })
  }
  return present({ type: 'dockerfile', dockerfile, context, target, isInjected, commandSeconds })
}

function dependenciesOf({ source }: BuildOrder, commit: string | undefined) {
  if (commit === undefined || 'files' in source) return []
  return [{ uri: `git+${withoutAccess(source.url)}`, digest: { gitCommit: commit } }]
}

/** Removes credentials from an address. */
function withoutAccess(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.username = ''
  url.password = ''
  return url.href
}
