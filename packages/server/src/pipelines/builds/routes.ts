import { FindArtifact, PublishArtifact, PublishImage, runnerPaths } from '@sluice/contract/runner-protocol'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Assignments } from '../runner/assignments.ts'
import { attemptEndpoints } from '../runner/attempt-endpoint.ts'
import type { AttemptTokens } from '../runner/attempt-tokens.ts'
import { serveEndpoints } from '../runner/endpoints.ts'
import { findBuilt, type PublishParts, publish } from './publish.ts'
import { publishImage } from './publish-image.ts'

export type BuildsParts = Omit<PublishParts, 'db' | 'secrets'> & { attemptTokens: AttemptTokens; handOut: Assignments }

/** Maximum size of a report in bytes: names and sizes of ten thousand files. */
const reportBytes = 16 * 1024 * 1024

/** Serves the runner's requests for builds: finds existing artifacts and returns where to store new ones. */
export function serveBuilds(app: App, parts: BuildsParts): void {
  const { ofOrganization } = app
  const door = attemptEndpoints({ ...parts, ofOrganization })
  const known = async (step: PipelineStepExecutionRow) => {
    const { ordered, mask } = await parts.handOut.known(step)
    if (!ordered) throw new ApiError('attemptOver', 'The attempt has nothing left to build.')
    return { ordered, own: { ...parts, db: ofOrganization(step.organizationId), secrets: mask.secrets } }
  }
  serveEndpoints(app, (add) => {
    add(
      door(runnerPaths.findArtifact, FindArtifact, async (step, built) => {
        const { own, ordered } = await known(step)
        return findBuilt(own, step, ordered, built)
      }),
    )
    add(
      door(
        runnerPaths.publishArtifact,
        PublishArtifact,
        async (step, report) => {
          const { own, ordered } = await known(step)
          return publish(own, step, ordered, report)
        },
        { bodyLimit: reportBytes },
      ),
    )
    add(
      door(runnerPaths.publishImage, PublishImage, async (step, report) => {
        const { own, ordered } = await known(step)
        return publishImage(own, step, ordered, report)
      }),
    )
  })
}
