import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'

/** That somebody let a run go on without a step of it. */
export type Skip = { by: string; at: string; reason: string }

type Detail = PipelineStepExecutionRow['statusDetail']

/** A step that is to be skipped when its turn comes; one that is skipped for another reason says that instead. */
export const toBeSkipped = (skip: Skip): NonNullable<Detail> => ({ skippedBy: skip })

/** Who lets the run go on without the step. */
export const skipOf = ({ statusDetail }: { statusDetail?: Detail | undefined }): Skip | undefined =>
  statusDetail?.skippedBy as Skip | undefined

/** What a step says that was skipped because somebody wanted it. */
export const skippedFor = (skip: Skip): NonNullable<Detail> => ({
  ...toBeSkipped(skip),
  skipped: `${skip.by} skipped it: ${skip.reason}`,
})
