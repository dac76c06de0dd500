import type {
  BuildOrder,
  ExistingArtifact,
  FindArtifact,
  FindArtifactResponse,
  PublishArtifact,
  PublishArtifactResponse,
  PublishImage,
} from '@sluice/contract/runner-protocol'
import type { SendOutbound } from '@sluice/outbound/send'
import type { Cloud } from '../../cloud/adapter/access.ts'
import { CloudPermanentError, CloudTransientError } from '../../cloud/adapter/cloud-call.ts'
import { retryTransient } from '../../cloud/adapter/retry-transient.ts'
import { listObjects, signUpload } from '../../cloud/adapter/uploads.ts'
import { findCloudConnection } from '../../cloud/cloud-accounts/connection.ts'
import { runAsAuthor } from '../../identity/audit-events/author.ts'
import { recordChange } from '../../identity/audit-events/record.ts'
import type { Secrets } from '../../platform/crypto/keys.ts'
import type { Db } from '../../platform/db/open.ts'
import { newId } from '../../platform/ids.ts'
import { present } from '../../platform/present.ts'
import { deployInputsOf } from '../artifacts/deploy-inputs.ts'
import { locationOf } from '../artifacts/location.ts'
import { reserveLocation } from '../artifacts/removals.ts'
import { artifactsOf, insertArtifact } from '../artifacts/store.ts'
import type { ArtifactLocation, ArtifactRow } from '../artifacts/tables.ts'
import { maskSecrets } from '../pipeline-runs/secrets.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { findRunOf, saveAttempt } from '../runner/claim.ts'
import type { BuildPlan, ImageDestination, ImagePlan, Ordered } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'
import { contentKeyOf } from './content-key.ts'
import { type Placement, placementOf } from './placement.ts'
import { type Builder, provenanceOf } from './provenance.ts'
import { accountRegistry, otherRegistry, type Registry } from './registries.ts'
import { reportBuildToHost } from './report-to-host.ts'

export type PublishParts = {
  db: Db
  cloud: Cloud
  buildSecrets: Secrets
  builder: Builder
  /** Sends requests to registries that do not belong to a cloud account. */
  sendToRegistry: SendOutbound
  clock: () => Date
  /** Secrets of the attempt, which must be masked. */
  secrets: string[]
}

/** Maximum number of uploads that are signed at a time; a signature is valid for 15 minutes. */
const maxUploads = 500

/** Maximum length of an object key, in bytes. */
const maxKeyBytes = 1_024

/** Returns an existing artifact of the same content, if it still exists. */
export async function findBuilt(
  parts: PublishParts,
  step: PipelineStepExecutionRow,
  ordered: Ordered,
  { tree, commit }: FindArtifact,
): Promise<FindArtifactResponse> {
  if (commit !== undefined) {
    await saveAttempt(parts.db, step, { progress: { ...step.progress, commit } })
    await reportBuildToHost(parts.db, { step, source: orderOf(ordered).source, commit }, parts.clock())
  }
  const plan = planOf(ordered)
  const contentKey = contentKeyOf(parts.buildSecrets, plan.madeOf, tree)
  for (const artifact of await artifactsOf(parts.db, step.organizationId, contentKey)) {
    // Published by this step, which was killed before it could report it.
    const isOwn = artifact.stepExecutionId === step.id
    if (plan.isForced && !isOwn) continue
    // Reserve the location first, so that no removal can start after the check.
    if ((await reserveLocation(parts.db, step.organizationId, artifact, parts.clock())) === 'being-removed') continue
    if (!(await isStoredCompletely(parts, artifact, plan))) continue
    const attached = isOwn && plan.kind === 'image' && (await attachedAgain(parts, artifact, plan))
    return { artifact: { ...artifactOutput(artifact, { isReused: !isOwn }), ...attached } }
  }
  return {}
}

/** Reports whether the stored objects are complete. Retention or other users of the bucket may have deleted some. */
async function isStoredCompletely(parts: PublishParts, artifact: ArtifactRow, plan: BuildPlan): Promise<boolean> {
  if (plan.kind === 'image') return isImageStored(parts, artifact, plan)
  const stored = await storedAt(parts, artifact.organizationId, artifact, artifact)
  const sizeBytes = stored.reduce((sum, one) => sum + one.sizeBytes, 0)
  return stored.length === artifact.fileCount && sizeBytes === artifact.sizeBytes
}

/** Reports whether the registry has the image. A lifecycle policy or a user may have deleted it. */
async function isImageStored(parts: PublishParts, artifact: ArtifactRow, plan: ImagePlan): Promise<boolean> {
  const registry = await registryOf(parts, artifact.organizationId, artifact, plan.destination)
  const look = () => registry.find({ imageDigest: artifact.digest })
  return (await wrapPublishErrors(`repository ${artifact.key}`, look)) !== undefined
}

async function attachedAgain(parts: PublishParts, artifact: ArtifactRow, { destination }: ImagePlan) {
  const registry = await registryOf(parts, artifact.organizationId, artifact, destination)
  return wrapPublishErrors(`repository ${artifact.key}`, () => attachmentsOf(registry, artifact))
}

/** Returns the registry for an image: the account's own, or another one with the credentials of the block. */
export async function registryOf(
  parts: PublishParts,
  organizationId: string,
  place: Omit<ArtifactLocation, 'key'>,
  destination: ImageDestination,
): Promise<Registry> {
  if (!('arn' in destination)) return otherRegistry(parts.sendToRegistry, destination)
  const { images } = await clientsFor(parts, organizationId, place)
  return accountRegistry(images, destination)
}

/** Returns the objects that are still missing; stores the artifact if none is. */
export async function publish(
  parts: PublishParts,
  step: PipelineStepExecutionRow,
  ordered: Ordered,
  report: PublishArtifact,
): Promise<PublishArtifactResponse> {
  const plan = planOf(ordered)
  if (plan.kind === 'image') throw new StepFailure('artifactNotPublished', 'The step builds an image, not files.')
  const { bucket, region } = plan.destination
  const placement = placementOf(plan.kind, plan.destination, report.files)
  expectStorable(placement)
  const place = { cloudAccountId: ordered.cloudAccountId ?? '', region, bucket, key: placement.key }
  await reserveBuildLocation(parts, step.organizationId, { ...place, digest: placement.digest })
  const stored = await storedAt(parts, step.organizationId, place, plan)
  const sizes = new Map(stored.map(({ key, sizeBytes }) => [key, sizeBytes]))
  const missing = placement.objects.filter(({ key, sizeBytes }) => sizes.get(key) !== sizeBytes)
  if (missing.length === 0) {
    const sizeBytes = placement.objects.reduce((sum, one) => sum + one.sizeBytes, 0)
    const made = { digest: placement.digest, sizeBytes, fileCount: placement.objects.length }
    return {
      artifact: artifactOutput(await storeArtifact(parts, step, ordered, { plan, place, made, report }), {
        isReused: false,
      }),
    }
  }
  const clients = await clientsFor(parts, step.organizationId, place)
  const sign = ({ path, key, sha256, contentType, cacheControl }: (typeof missing)[number]) =>
    signUpload(clients.storage, present({ bucket, key, sha256, contentType, cacheControl })).then((request) => ({
      path,
      ...request,
    }))
  return {
    uploads: await wrapPublishErrors(`bucket ${bucket}`, () => Promise.all(missing.slice(0, maxUploads).map(sign))),
  }
}

/**
 * Reserves a location for publishing. Returns whether an artifact there was removed, so that earlier observations are
 * outdated.
 */
export async function reserveBuildLocation(
  { db, clock }: Pick<PublishParts, 'db' | 'clock'>,
  organizationId: string,
  place: Pick<ArtifactLocation, 'bucket' | 'key'> & { digest: string },
): Promise<{ wasRemoved: boolean }> {
  const taken = await reserveLocation(db, organizationId, place, clock())
  if (taken !== 'being-removed') return { wasRemoved: taken === 'removed' }
  throw new StepFailure(
    'artifactBeingRemoved',
    `The same artifact is being removed from ${place.bucket}/${place.key}.`,
    {
      description: 'It was built before and is being removed because it was unused. Build it again after that.',
    },
  )
}

export function planOf({ build }: Ordered): BuildPlan {
  if (build) return build
  throw new StepFailure('artifactNotPublished', 'The step builds nothing.')
}

function orderOf({ order }: Ordered): BuildOrder {
  if (order.kind === 'build') return order
  throw new StepFailure('artifactNotPublished', 'The step builds nothing.')
}

function expectStorable({ objects }: Placement): void {
  const long = objects.find(({ key }) => Buffer.byteLength(key) > maxKeyBytes)
  if (long) throw new StepFailure('buildOutputInvalid', `The path ${long.path} is too long to be stored.`)
  const odd = objects.find(({ path }) => path.split('/').some((part) => part === '' || part === '.' || part === '..'))
  if (odd) throw new StepFailure('buildOutputInvalid', `The path ${odd.path} is invalid.`)
}

export async function clientsFor(
  { db, cloud }: PublishParts,
  organizationId: string,
  place: Omit<ArtifactLocation, 'key'>,
) {
  const account = await findCloudConnection(db, organizationId, place.cloudAccountId)
  if (account) return cloud.clientsFor(account, place.region)
  const message = `There is no connected cloud account ${place.cloudAccountId} in this organization.`
  throw new StepFailure('artifactNotPublished', message)
}

async function storedAt(
  parts: PublishParts,
  organizationId: string,
  { key, ...place }: ArtifactLocation,
  { kind }: Pick<ArtifactRow, 'kind'>,
) {
  const { storage } = await clientsFor(parts, organizationId, place)
  const prefix = kind === 'static' ? `${key}/` : key
  const found = await wrapPublishErrors(`bucket ${place.bucket}`, () => listObjects(storage, place.bucket, prefix))
  return kind === 'static' ? found : found.filter((one) => one.key === key)
}

/** Calls the cloud, repeatedly after transient errors, and converts its errors to that of the step. */
export async function wrapPublishErrors<T>(where: string, call: () => Promise<T>): Promise<T> {
  try {
    return await retryTransient(call)
  } catch (error) {
    if (!(error instanceof CloudPermanentError || error instanceof CloudTransientError)) throw error
    throw new StepFailure('artifactNotPublished', `The ${where} cannot be published to.`, {
      description: error.message,
    })
  }
}

type Published = {
  plan: BuildPlan
  place: ArtifactLocation
  made: Pick<ArtifactRow, 'digest' | 'sizeBytes' | 'fileCount'>
  report: PublishImage & Partial<Pick<PublishArtifact, 'files'>>
}

export async function storeArtifact(
  { db, buildSecrets, builder, clock, secrets }: PublishParts,
  step: PipelineStepExecutionRow,
  ordered: Ordered,
  { plan, place, made, report }: Published,
): Promise<ArtifactRow> {
  const { organizationId, pipelineRunId, id: stepExecutionId } = step
  const { id: moduleInstanceId, projectId, environmentId } = plan.instance
  const run = await findRunOf(db, step)
  const row = {
    id: newId('art'),
    organizationId,
    moduleInstanceId,
    projectId,
    environmentId,
    pipelineRunId,
    stepExecutionId,
    kind: plan.kind,
    ...place,
    commit: report.commit ?? null,
    contentKey: contentKeyOf(buildSecrets, plan.madeOf, report.tree),
    ...made,
    buildSeconds: report.buildSeconds,
  }
  const { files = [], commit } = report
  const built = { artifact: row, files, commit, order: orderOf(ordered), plan, run, step, finishedAt: clock() }
  const provenance = provenanceOf(built, { builder, hidden: (value) => maskSecrets(value, secrets) })
  return db.transaction(async (tx) => {
    const { artifact, isNew } = await insertArtifact(tx, { ...row, provenance })
    if (isNew) await recordChange(tx, runAsAuthor(run), publication(artifact))
    return artifact
  })
}

const publication = (artifact: ArtifactRow) => {
  const { id, moduleInstanceId, stepExecutionId, commit, digest } = artifact
  return {
    action: 'artifacts.create',
    resourceType: 'artifact',
    resourceId: id,
    details: { moduleInstanceId, stepExecutionId, commit, digest, location: locationOf(artifact) },
  }
}

/** Media type of statements in registries: in-toto.io/attestation (read 2026-11). */
const statementMediaType = 'application/vnd.in-toto+json'

/**
 * Returns the provenance to attach to an image. Its bytes are always the same, so that attaching it again changes
 * nothing.
 */
export async function attachmentsOf(
  registry: Registry,
  { kind, key: repository, digest, provenance }: ArtifactRow,
): Promise<Pick<ExistingArtifact, 'attached'>> {
  if (kind !== 'image' || !provenance) return {}
  const { predicateType } = provenance
  const about = {
    repository,
    digest,
    mediaType: statementMediaType,
    statement: JSON.stringify(provenance),
    predicateType,
  }
  return { attached: { ...(await registry.access()), ...about } }
}

/** Returns the output of the step and the lines for its log. */
export function artifactOutput(artifact: ArtifactRow, { isReused }: { isReused: boolean }): ExistingArtifact {
  const { id, kind, commit, digest, sizeBytes, buildSeconds, createdAt } = artifact
  const output = {
    artifact_id: id,
    kind,
    ...(commit !== null && { commit }),
    digest,
    size_bytes: sizeBytes,
    is_reused: isReused,
    ...deployInputsOf(artifact),
    ...(kind === 'image' && { image: locationOf(artifact) }),
  }
  const at = locationOf(artifact)
  if (!isReused) return { output, said: `The artifact ${id} is published at ${at} (${digest}).` }
  const when = createdAt.toISOString()
  const said = `The same was built at ${when}: the artifact ${id} at ${at} is taken, which saves ${buildSeconds} s.`
  return { output, said }
}
