import { FindArtifact, PublishArtifact, PublishImage, runnerPaths } from '@sluice/contract/runner-protocol'
import type { Cloud } from '../../cloud/adapter/access.ts'
import type { Secrets } from '../../platform/crypto/keys.ts'
import type { App } from '../../platform/http/app.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import { attemptDoors } from '../runner/attempt-door.ts'
import type { AttemptTokens } from '../runner/attempt-tokens.ts'
import { openDoors } from '../runner/doors.ts'
import type { HandOut } from '../runner/hand-out.ts'
import { findBuilt, publish } from './publish.ts'
import { publishImage } from './publish-image.ts'

export type BuildsParts = { attemptTokens: AttemptTokens; handOut: HandOut; cloud: Cloud; buildSecrets: Secrets }

/** The names and sizes of ten thousand files. Bytes. */
const reportBytes = 16 * 1024 * 1024

/** Serves the attempts of builds: what was built before, and where what they have built is stored. */
export function serveBuilds(app: App, parts: BuildsParts): void {
  const { ofOrganization } = app
  const door = attemptDoors({ ...parts, ofOrganization })
  const own = ({ organizationId }: PipelineStepExecutionRow) => ({ ...parts, db: ofOrganization(organizationId) })
  const orderedOf = async (step: PipelineStepExecutionRow) => {
    const { ordered } = await parts.handOut.known(step)
    if (ordered) return ordered
    throw new Refusal('attemptOver', 'There is nothing left to build for the attempt.')
  }
  openDoors(app, (add) => {
    add(
      door(runnerPaths.findArtifact, FindArtifact, async (step, built) =>
        findBuilt(own(step), step, await orderedOf(step), built),
      ),
    )
    add(
      door(
        runnerPaths.publishArtifact,
        PublishArtifact,
        async (step, report) => publish(own(step), step, await orderedOf(step), report),
        reportBytes,
      ),
    )
    add(
      door(runnerPaths.publishImage, PublishImage, async (step, report) =>
        publishImage(own(step), step, await orderedOf(step), report),
      ),
    )
  })
}
