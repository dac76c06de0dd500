import type { PublishImage, PublishImageResponse } from '@sluice/contract/runner-protocol'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Ordered } from '../runner/order.ts'
import { StepFailure } from '../runner/step-failure.ts'
import { contentKeyOf } from './content-key.ts'
import {
  artifactOutput,
  attachmentsOf,
  type PublishParts,
  planOf,
  registryOf,
  reserveBuildLocation,
  storeArtifact,
  wrapPublishErrors,
} from './publish.ts'

/**
 * Returns where to push an image, and stores the artifact once the registry has it. An image that an earlier attempt
 * pushed is used as it is, because the tag of a run is pushed only once.
 */
export async function publishImage(
  parts: PublishParts,
  step: PipelineStepExecutionRow,
  ordered: Ordered,
  report: PublishImage,
): Promise<PublishImageResponse> {
  const plan = planOf(ordered)
  if (plan.kind !== 'image') throw new StepFailure('artifactNotPublished', 'The step builds files, not an image.')
  const { host, repository, region } = plan.destination
  const place = { cloudAccountId: ordered.cloudAccountId ?? '', region, bucket: host, key: repository }
  const registry = await registryOf(parts, step.organizationId, place, plan.destination)
  const tag = tagOf(step.pipelineRunId, report, contentKeyOf(parts.buildSecrets, plan.madeOf, report.tree))
  return wrapPublishErrors(`repository ${repository}`, async () => {
    await registry.expect()
    const look = () => registry.find({ imageTag: tag })
    let image = await look()
    if (image) {
      // The same image may have been built under another tag and removed together with it.
      const { wasRemoved } = await reserveBuildLocation(parts, step.organizationId, { ...place, digest: image.digest })
      if (wasRemoved) image = await look()
    }
    if (!image) return { push: { ...(await registry.access()), repository, tag } }
    const made = { ...image, fileCount: 1 }
    const artifact = await storeArtifact(parts, step, ordered, { plan, place, made, report })
    return {
      artifact: { ...artifactOutput(artifact, { isReused: false }), ...(await attachmentsOf(registry, artifact)) },
    }
  })
}

/** Number of characters of a commit and of a content key in a tag. */
const [commitInTag, keyInTag] = [12, 8]

/** Returns the tag of a build in a run; other builds of the run have other tags. */
const tagOf = (runId: string, { commit, tree }: PublishImage, contentKey: string): string =>
  `${runId}-${(commit ?? tree).slice(0, commitInTag)}-${contentKey.slice(0, keyInTag)}`
