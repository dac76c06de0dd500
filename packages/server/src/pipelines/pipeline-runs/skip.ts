import type { PipelineStepExecutionRow } from '../pipelines/tables.ts'

/** Record of a user who skipped a step. */
export type Skip = { by: string; at: string; reason: string }

type Detail = PipelineStepExecutionRow['statusDetail']

/** Marks a step to be skipped by a user. A step that is skipped for another reason has that reason instead. */
export const markToSkip = (skip: Skip): NonNullable<Detail> => ({ skippedBy: skip })

/** Returns who skips the step, if anyone. */
export const skipOf = ({ statusDetail }: { statusDetail?: Detail | undefined }): Skip | undefined =>
  statusDetail?.skippedBy as Skip | undefined

/** Returns the status detail of a step that a user skipped. */
export const skippedDetail = (skip: Skip): NonNullable<Detail> => ({
  ...markToSkip(skip),
  skipped: `${skip.by} skipped it: ${skip.reason}`,
})
