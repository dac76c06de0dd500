import { styleText } from 'node:util'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import type { Deployment, PipelineRun, PipelineStepExecution } from '@sluice/contract'
import { spansOf } from '@sluice/contract/stage-spans'
import { newPercentOf, type Stage, stageName, stagesOf } from '@sluice/contract/stages'
import { type Meaning, meaningOfStep, pendingPause } from '@sluice/contract/states'

type Mark = Stage['state']

const marks = {
  done: ['✓', 'green'],
  current: ['●', 'cyan'],
  paused: ['‖', 'yellow'],
  failed: ['✗', 'red'],
  'to come': ['·', 'dim'],
} as const satisfies Record<Mark, unknown>

type Line = { mark: Mark; name: string; ms?: number; more?: string }

/** Returns the stages of a deployment with their times, completed and future ones. */
export function formatDeploymentStages(deployment: Deployment, now: number): string[] {
  const spans = spansOf(deployment, [], now)
  const stages = stagesOf(deployment).map(({ code, first, state }): Line => {
    const name = code === undefined ? `Step ${first}` : stageName(code)
    const isReached = state !== 'to come' && spans[0]?.name === name
    const span = isReached ? spans.shift() : undefined
    return { mark: state, name, ...(span && timeOf(span, now)) }
  })
  const back = spans.map(({ name, from, to = now }): Line => ({ mark: markOf(deployment), name, ms: to - from }))
  const percent = newPercentOf(deployment.data)
  const words = [
    pendingPause(deployment) ? 'PAUSED' : deployment.status,
    deployment.data?.strategy,
    percent !== undefined && `${percent} % of the traffic to the new version`,
    durationSince(deployment, now),
  ]
  const message = deployment.data?.events?.at(-1)?.message
  return [inLine(words), ...linesOf([...stages, ...back]), ...(message ? [inLine(['', message])] : [])]
}

const markOf = ({ status }: Deployment): Mark => (status === 'ROLLING_BACK' ? 'current' : 'failed')

const timeOf = ({ from, to, pausedMs }: { from: number; to?: number; pausedMs: number }, now: number) => ({
  ms: (to ?? now) - from,
  ...(pausedMs >= 1_000 && { more: `paused ${duration(pausedMs)}` }),
})

const markOfStep: Record<Meaning, Mark> = {
  waiting: 'to come',
  'under way': 'current',
  asking: 'paused',
  succeeded: 'done',
  failed: 'failed',
  'called off': 'to come',
}

/** Returns the steps of a run with their times and pending questions. */
export function formatRunSteps(run: PipelineRun, steps: readonly PipelineStepExecution[], now: number): string[] {
  const lines = steps.map((step): Line => {
    const { startedAt, completedAt } = step
    const meaning = meaningOfStep[step.status]
    const ms =
      startedAt === undefined ? undefined : (completedAt ? Date.parse(completedAt) : now) - Date.parse(startedAt)
    return { mark: markOfStep[meaning], name: step.stepId, ...(ms !== undefined && { ms }), ...moreOf(step, meaning) }
  })
  return [inLine([run.status, durationSince(run, now)]), ...linesOf(lines)]
}

function moreOf(step: PipelineStepExecution, meaning: Meaning) {
  const { id, status, statusDetail, queueReason, error } = step
  const approval = statusDetail?.approval as { message?: string } | undefined
  if (meaning === 'asking') return { more: `${approval?.message ?? ''} sluice approve ${id}`.trim() }
  if (meaning === 'waiting')
    return { more: describeVersionApproval(step) ?? queueReason.toLowerCase().replaceAll('_', ' ') }
  if (error) return { more: error.message }
  return meaning === 'called off' ? { more: status } : {}
}

/** Returns whose approval of the pipeline version a step waits for and how to give it, or undefined. */
export function describeVersionApproval({ queueReason, queueMetadata }: PipelineStepExecution): string | undefined {
  if (queueReason !== 'VERSION_NOT_APPROVED') return undefined
  const { asks, pipelineVersionId } = queueMetadata
  return `its version is not approved, ${asks}: sluice approve ${pipelineVersionId}`
}

function durationSince({ startedAt, completedAt }: { startedAt?: string; completedAt?: string }, now: number) {
  if (startedAt === undefined) return undefined
  return duration((completedAt === undefined ? now : Date.parse(completedAt)) - Date.parse(startedAt))
}

function linesOf(lines: readonly Line[]): string[] {
  const width = Math.max(0, ...lines.map(({ name }) => name.length))
  return lines.map(({ mark, name, ms, more }) => {
    const [sign, colour] = marks[mark]
    const time = ms === undefined ? '' : duration(ms)
    const text = inLine([name.padEnd(width), time.padStart(7), more])
    const shown = mark === 'to come' ? styleText(colour, text, { stream: process.stdout }) : text
    return `  ${styleText(colour, sign, { stream: process.stdout })} ${shown}`
  })
}

/** Joins parts of a line and removes control characters from foreign text. */
const inLine = (parts: readonly (string | false | undefined)[]): string =>
  removeControlCharacters(parts.filter((part) => part !== false && part !== undefined).join('  '))
    .replaceAll(/[\n\t]+/g, ' ')
    .trimEnd()

/** Formats a duration as `0:07`, `12:30` or `1:02:03`. Negative durations, due to clock skew, count as 0. */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const tail = String(seconds % 60).padStart(2, '0')
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`
}
