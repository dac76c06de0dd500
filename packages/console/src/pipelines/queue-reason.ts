import type { PipelineStepExecution, QueueReason } from '@sluice/contract'

type Steps = readonly PipelineStepExecution[]
type Tell = (metadata: Record<string, unknown>, steps: Steps) => string

const tell = {
  DEPENDENCIES: ({ needs }, steps) => `It waits for ${namesOf(needs, steps)}.`,
  VERSION_NOT_APPROVED: ({ version, asks }) => `Version ${version} is not approved yet: ${asks}.`,
  CONCURRENCY: ({ group }) => `Another run of the group ${group ?? 'of this pipeline'} is under way; this one is next.`,
  STACK_LOCKED: () => 'Another step works on the same stack; it begins when that one is over.',
  RUNNER_CAPACITY: ({ limit, most }) =>
    limit === undefined
      ? 'It waits for a runner that is free.'
      : `The organization has ${most} steps under way, as many as it may have on shared runners.`,
  APPROVED: () => 'It is approved and begins as soon as it can.',
  RETRY_BACKOFF: ({ readyAt }) => `The attempt before failed. The next one begins ${clock(readyAt)}.`,
  FROZEN: ({ name, until }) => `The freeze “${name}” stops it until ${moment(until)}; then it begins by itself.`,
  READY: () => 'It begins as soon as a worker takes it.',
} as const satisfies Record<QueueReason, Tell>

/** Why a queued step waits, and for what. */
export const whyQueued = ({ queueReason, queueMetadata }: PipelineStepExecution, steps: Steps): string =>
  tell[queueReason](queueMetadata, steps)

function namesOf(needs: unknown, steps: Steps): string {
  if (!Array.isArray(needs) || needs.length === 0) return 'the steps before it'
  const open = needs.filter((id) => steps.find((step) => step.stepId === id)?.status !== 'SUCCESS')
  const names = (open.length > 0 ? open : needs).map((id) => steps.find((step) => step.stepId === id)?.stepName ?? id)
  return new Intl.ListFormat('en').format(names)
}

const moment = (at: unknown): string => new Date(String(at)).toLocaleString()

const clock = (at: unknown): string =>
  typeof at === 'string' ? `at ${new Date(at).toLocaleTimeString()}` : 'in a moment'
