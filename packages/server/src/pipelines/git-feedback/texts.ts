import type { PipelineRunStatus } from '@sluice/contract'
import { costInWords } from '@sluice/contract/cost-words'
import { reviewInWords, reviewLines } from '@sluice/contract/plan-words'
import { describeScenario } from '@sluice/contract/rehearsal-scenarios'
import type { CheckFacts, CheckResult, CheckState, Comment, CommitStatus } from '../../git/adapter/host.ts'
import type { PlanOfRun, RehearsalOfRun, RunResults, UnreportedRun } from './store.ts'

const textsByStatus = {
  QUEUED: { state: 'pending', check: 'queued', said: 'Waits for its turn' },
  IN_PROGRESS: { state: 'pending', check: 'running', said: 'Runs' },
  PENDING_APPROVAL: { state: 'pending', check: 'running', said: 'Waits for approval' },
  SUCCESS: { state: 'success', check: 'success', said: 'Succeeded' },
  ERROR: { state: 'failure', check: 'failure', said: 'Failed' },
  CANCELLED: { state: 'failure', check: 'cancelled', said: 'Was cancelled' },
} as const satisfies Record<PipelineRunStatus, { state: CommitStatus['state']; check: CheckState; said: string }>

/** Reports whether a status is the last one to report for a run. */
export const isFinalStatus = (status: PipelineRunStatus): boolean => textsByStatus[status].state !== 'pending'

/**
 * Returns the commit status of a run. Its name is that of the pipeline, so that a later run replaces an earlier one.
 */
export const statusOf = (untold: UnreportedRun, url: string): CommitStatus => ({
  name: nameOf(untold),
  state: textsByStatus[untold.run.status].state,
  description: statusTextOf(untold),
  url,
})

/** Returns the check for a run, with the same name as the status. */
export const checkOf = (untold: UnreportedRun): CheckFacts => ({
  id: untold.run.id,
  commit: untold.feedback.commit,
  name: nameOf(untold),
})

/** Returns the state of a check, with the plans and rehearsals of the run. */
export function checkStateOf(untold: UnreportedRun, results: RunResults, url: string): CheckResult {
  const { status, startedAt, completedAt } = untold.run
  const title = statusTextOf(untold)
  return {
    state: textsByStatus[status].check,
    title,
    summary: textOf(untold, results, url),
    url,
    startedAt,
    completedAt,
  }
}

const nameOf = ({ project, pipeline }: UnreportedRun): string => `sluice/${project.givenId}/${pipeline.givenId}`

function statusTextOf({ run }: UnreportedRun): string {
  const { said } = textsByStatus[run.status]
  const reason = run.status === 'ERROR' ? run.error?.message : undefined
  return oneLine(reason === undefined ? said : `${said}: ${reason}`)
}

/** Returns a pipeline's comment on a pull request. */
export const commentOf = (untold: UnreportedRun, results: RunResults, url: string): Comment => ({
  marker: `<!-- sluice ${untold.pipeline.id} -->`,
  text: cut(textOf(untold, results, url)),
})

/** Maximum length of a comment, below the limit of GitHub of 65,536 characters. */
const maxCommentLength = 60_000

const cut = (text: string): string =>
  text.length <= maxCommentLength ? text : `${text.slice(0, maxCommentLength)}\n\nThe rest is in Sluice.`

/** Returns the text with the status, the plans and the rehearsals of a run. */
function textOf({ run, pipeline, feedback }: UnreportedRun, { plans, rehearsals }: RunResults, url: string): string {
  const head = `**${plain(pipeline.name)}**: [${textsByStatus[run.status].said}](${url}) at ${feedback.commit.slice(0, 8)}`
  const rows = plans.map((plan) => `| ${plain(plan.stack)} | ${changesIn(plan)} |`)
  const table = rows.length === 0 ? [] : ['', '| Stack | Plan |', '|---|---|', ...rows]
  const findings = plans.flatMap(findingsIn)
  const failed = run.error && run.status === 'ERROR' ? ['', `> ${plain(run.error.message)}`] : []
  const ofPlans = findings.length > 0 ? ['', ...findings] : []
  return [head, ...table, ...ofPlans, ...rehearsals.flatMap(rehearsalTable), ...failed].join('\n')
}

/** Maximum number of listed warnings, moves and outputs of a plan, because the comment should stay short. */
const maxFindings = 10
const maxFindingLength = 300

/** Returns the warnings, moves and changed outputs of a plan as list items. */
function findingsIn({ stack, review }: PlanOfRun): string[] {
  const lines = review ? reviewLines(review) : []
  const listed = lines.slice(0, maxFindings).map((line) => line.slice(0, maxFindingLength))
  const left = lines.length - listed.length
  return [...listed, ...(left > 0 ? [`and ${left} more`] : [])].map((line) => `- ${plain(stack)}: ${plain(line)}`)
}

/** Returns a table that says how a rehearsed release ends in each scenario. */
function rehearsalTable({ instance, scenarios }: RehearsalOfRun): string[] {
  if (scenarios.length === 0) return []
  const rows = scenarios.map(
    ({ verdict, error, ...scenario }) =>
      `| ${plain(describeScenario(scenario).label)} | ${plain((verdict ?? error?.message ?? '').slice(0, maxFindingLength))} |`,
  )
  return ['', `| Rehearsal of ${plain(instance)} | Result |`, '|---|---|', ...rows]
}

const verbs: Readonly<Record<string, string>> = {
  CREATE: 'to create',
  UPDATE: 'to change',
  REPLACE: 'to replace',
  DELETE: 'to delete',
  IMPORT: 'to import',
  FORGET: 'to forget',
}

function changesIn({ kind, hasChanges, summary, review }: PlanOfRun): string {
  if (!hasChanges) return kind === 'DRIFT' ? 'no drift' : 'no changes'
  const counts = Object.entries((summary.changeCounts ?? {}) as Record<string, number>)
  const told = counts.flatMap(([type, count]) => (count > 0 && verbs[type] ? [`${count} ${verbs[type]}`] : []))
  const beside = review ? reviewInWords(review) : ''
  const cost = summary.cost ? costInWords(summary.cost) : ''
  const said = [told.join(', ') || (beside === '' ? 'changes' : ''), beside, cost]
  return said
    .filter((part) => part !== '')
    .map(plain)
    .join('; ')
}

/** Replaces line breaks with spaces. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Escapes markup, mentions and links. */
export const plain = (text: string): string =>
  oneLine(text).replaceAll(/[\\`*_[\]<>|#@!~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
