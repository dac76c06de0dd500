import {
  currentMinute,
  type LoadPastSubjects,
  loadScopes,
  loadStarters,
  type Subject,
} from '../../gates/policy-subjects.ts'
import type { Db } from '../../platform/db/open.ts'
import type { PipelineRow } from '../pipelines/tables.ts'
import type { PipelineConfig } from './config/schema.ts'
import { configOf, needsOf } from './config/steps.ts'
import { latestVersionsIn } from './store.ts'

/** Version of a pipeline, possibly not stored yet. */
type Written = { pipeline: PipelineRow; config: PipelineConfig; writtenById: string | null; writtenAt: Date }

/**
 * Returns the variables of policy expressions for pipeline versions; `variables.ts` of policies declares their types.
 */
export async function subjectsOf(db: Db, organizationId: string, written: readonly Written[]): Promise<Subject[]> {
  const places = written.map(({ pipeline: { projectId } }) => ({ projectId }))
  const placeOf = await loadScopes(db, organizationId, places)
  const writers = written.map(({ writtenById }) => writtenById)
  const starterOf = await loadStarters(db, organizationId, writers)
  return written.map(({ pipeline, config, writtenById, writtenAt }) => ({
    pipeline: pipelineSeen(pipeline, config),
    project: placeOf({ projectId: pipeline.projectId }).project,
    starter: starterOf(writtenById),
    now: currentMinute(writtenAt),
  }))
}

function pipelineSeen({ id, givenId, name }: PipelineRow, { steps, triggers = [] }: PipelineConfig): Subject {
  const seen = steps.map((step, index) => ({
    id: step.id,
    name: step.name ?? step.id,
    type: step.type,
    needs: needsOf(steps, index),
    asksApproval: step.approval !== undefined || step.type === 'approval',
  }))
  return { id, givenId, name, steps: seen, triggers: triggers.map(({ type }) => type) }
}

/** Returns the latest versions of pipelines that users wrote. */
export const pastVersions: LoadPastSubjects = async (db, organizationId, { place: { projectId }, count }) => {
  const found = await latestVersionsIn(db, organizationId, { projectId: projectId ?? undefined, count })
  const written = found.map(({ pipeline, version }) => ({
    pipeline,
    config: configOf(version),
    writtenById: version.createdById,
    writtenAt: version.createdAt,
  }))
  const subjects = await subjectsOf(db, organizationId, written)
  return found.map(({ pipeline, version }, index) => ({
    of: { pipelineVersionId: version.id, pipelineId: pipeline.id },
    createdAt: version.createdAt,
    subject: subjects[index] ?? {},
  }))
}
