import { DownloadStepArtifact, runnerPaths, UploadStepArtifact } from '@sluice/contract/runner-protocol'
import type { Seal } from '../../platform/crypto/seal.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { findReachedStorageLimit } from '../../platform/limits/stored.ts'
import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'
import type { Assignments } from '../runner/assignments.ts'
import { attemptEndpoints } from '../runner/attempt-endpoint.ts'
import type { AttemptTokens } from '../runner/attempt-tokens.ts'
import { serveEndpoints } from '../runner/endpoints.ts'
import { StepFailure } from '../runner/step-failure.ts'
import { beginArtifact, findOwnArtifact, readPiece, storePiece } from './store.ts'

export type StepArtifactsParts = {
  attemptTokens: AttemptTokens
  handOut: Assignments
  seal: Seal
  clock: () => Date
}

/** Serves the runner's requests for files that steps pass to later steps: only those that its order names. */
export function serveStepArtifacts(app: App, parts: StepArtifactsParts): void {
  const { seal, clock, handOut } = parts
  const { ofOrganization } = app
  const { mosts } = app.limits
  const door = attemptEndpoints({ ...parts, ofOrganization })
  const ordered = async (step: PipelineStepExecutionRow) => {
    const { ordered } = await handOut.known(step)
    return ordered?.order.kind === 'command' ? ordered.order.artifacts : undefined
  }
  serveEndpoints(app, (add) => {
    add(
      door(runnerPaths.uploadStepArtifact, UploadStepArtifact, async (step, piece) => {
        const { name, position } = piece
        const artifacts = await ordered(step)
        if (!artifacts?.upload.some((one) => one.name === name)) throw notOrdered(name)
        const db = ofOrganization(step.organizationId)
        if (position === 0) {
          const full = await findReachedStorageLimit(mosts, db, step.organizationId, ['storedArtifactBytes'])
          if (full) throw invalid(name, full.message, full.remedy)
        }
        const artifact = await (position === 0 ? beginArtifact : findOwnArtifact)(db, step, name)
        if (!artifact)
          throw invalid(name, 'another step of the run has uploaded it', 'Give each artifact its own name.')
        await storePiece({ db, seal, clock }, artifact, piece)
        return undefined
      }),
    )
    add(
      door(runnerPaths.downloadStepArtifact, DownloadStepArtifact, async (step, { id, position }) => {
        const { organizationId } = step
        const artifacts = await ordered(step)
        if (!artifacts?.download.some((one) => one.id === id)) throw notOrdered(id)
        const content = await readPiece(ofOrganization(organizationId), seal, { organizationId, id, position })
        if (content) return { content: content.toString('base64') }
        throw new StepFailure('stepArtifactNotFound', `The artifact ${id} no longer exists.`)
      }),
    )
  })
}

const notOrdered = (name: string) => new ApiError('attemptOver', `The step has no artifact ${name}.`)

const invalid = (name: string, reason: string, description: string): StepFailure =>
  new StepFailure('stepArtifactInvalid', `Cannot upload the artifact ${name}: ${reason}`, { description })
