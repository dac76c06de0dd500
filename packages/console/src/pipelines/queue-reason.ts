import type { PipelineStepExecution, QueueReason } from '@sluice/contract'

type Steps = readonly PipelineStepExecution[]
type Describe = (metadata: Record<string, unknown>, steps: Steps) => string

const descriptions = {
  DEPENDENCIES: ({ needs }, steps) => `Waiting for ${namesOf(needs, steps)}.`,
  VERSION_NOT_APPROVED: ({ version, asks }) => `Version ${version} is not approved yet: ${asks}.`,
  CONCURRENCY: ({ group }) =>
    `Another run of ${group === undefined ? 'this pipeline' : `the group ${group}`} is in progress. This run is next.`,
  STACK_LOCKED: () => 'Waiting for another step that uses the same stack.',
  RUNNER_CAPACITY: ({ limit, most }) =>
    limit === undefined
      ? 'Waiting for a free runner.'
      : `The organization has reached its limit of ${most} concurrent steps on shared runners.`,
  APPROVED: () => 'Approved. Starting soon.',
  RETRY_BACKOFF: ({ readyAt }) => `The previous attempt failed. The next one starts ${clock(readyAt)}.`,
  FROZEN: ({ name, until }) =>
    `Blocked by the freeze “${name}” until ${moment(until)}. The step then starts automatically.`,
  READY: () => 'Starting soon.',
} as const satisfies Record<QueueReason, Describe>

/** Returns why a step is queued. */
export const describeQueueReason = ({ queueReason, queueMetadata }: PipelineStepExecution, steps: Steps): string =>
  descriptions[queueReason](queueMetadata, steps)

function namesOf(needs: unknown, steps: Steps): string {
  if (!Array.isArray(needs) || needs.length === 0) return 'earlier steps'
  const open = needs.filter((id) => steps.find((step) => step.stepId === id)?.status !== 'SUCCESS')
  const names = (open.length > 0 ? open : needs).map((id) => steps.find((step) => step.stepId === id)?.stepName ?? id)
  return new Intl.ListFormat('en').format(names)
}

const moment = (at: unknown): string => new Date(String(at)).toLocaleString()

const clock = (at: unknown): string => (typeof at === 'string' ? `at ${new Date(at).toLocaleTimeString()}` : 'soon')
