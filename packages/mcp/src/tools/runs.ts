import { explain } from '@sluice/calls/explain'
import type { PipelineStepExecution } from '@sluice/contract'
import { isRunOver, meaningOfRun } from '@sluice/contract/states'
import { counted, maxRows } from '../answer.ts'
import { describeRest, firstOf } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, id, inputOf } from '../tool.ts'

export const explainRun = defineReadTool({
  name: 'explain_run',
  title: 'Explain a run of a pipeline',
  description:
    'The status of a pipeline run and the reasons: each of its steps with what it waits for or why it failed, and the decisions. read_log returns the log of a step.',
  input: inputOf({ runId: id('the run') }),
  needs: 'pipeline-runs:read',
  async answer(client, { runId }) {
    const [{ data: run, included = {} }, steps] = await Promise.all([
      client.getPipelineRun({ params: { id: runId }, query: { include: ['decisions', 'number'] } }),
      firstOf(maxSteps, (query) => client.listPipelineStepExecutions({ query: { ...query, pipelineRunId: runId } })),
    ])
    const rows = steps.rows.reverse().map(stepRowOf) // lists are newest first
    const failed = rows.filter(({ status }) => status === 'ERROR')
    const told = [...failed, ...rows.filter(({ status }) => status !== 'ERROR')].slice(0, maxRows)
    const reason = run.error && explain(run.error)
    const { id, status, pipelineId, triggeredBy, triggerSource, description, createdAt, completedAt } = run
    return {
      says: `${id} is ${status}: ${sentences[meaningOfRun[status]]} ${counted(steps.total, 'step')}, ${failed.length} of them failed.${describeRest(told.length, steps.total, 'those that failed come first.')}`,
      lines: [
        `${toWord(description)} (triggered by ${toWord(triggeredBy)})`,
        ...(reason ? reason.split('\n') : []),
        ...told.flatMap(linesOf),
      ],
      data: {
        run: { id, status, pipelineId, triggeredBy, triggerSource, description, createdAt, completedAt },
        isOver: isRunOver(status),
        reason,
        steps: told,
        ...included,
      },
    }
  },
})

const sentences = {
  waiting: 'it waits for its turn.',
  'under way': 'its steps are running.',
  asking: 'a step waits for a person to approve it.',
  succeeded: 'it succeeded.',
  failed: 'it failed.',
  'called off': 'it was called off.',
} as const

/** Maximum number of steps to load, because a tenant decides how many there are. */
const maxSteps = 500

type Row = ReturnType<typeof stepRowOf>

function stepRowOf({ id, stepId, stepName, stepType, status, error, ...step }: PipelineStepExecution) {
  const { queueReason, queueMetadata, startedAt, completedAt } = step
  return {
    id,
    stepId,
    stepName,
    stepType,
    status,
    startedAt,
    completedAt,
    ...(status === 'QUEUED' && { waitsFor: queueReason, waitsForWhat: queueMetadata }),
    ...(status === 'PENDING_APPROVAL' && { asks: questionOf(step.statusDetail) }),
    reason: error && explain(error),
  }
}

const questionOf = (detail: PipelineStepExecution['statusDetail']): string =>
  String(Reflect.get(Object(detail?.approval), 'message') ?? '')

function linesOf({ id, stepId, status, waitsFor, asks, reason }: Row): string[] {
  const why = waitsFor ? ` waits for ${waitsFor}` : asks ? ` asks: ${toWord(asks)}` : ''
  return [`${stepId} (${id}): ${status}${why}`, ...(reason ? reason.split('\n').map((line) => `  ${line}`) : [])]
}
