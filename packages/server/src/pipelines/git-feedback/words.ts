import type { PipelineRunStatus } from '@sluice/contract'
import { costInWords } from '@sluice/contract/cost-words'
import type { Comment, CommitStatus } from '../../git/adapter/host.ts'
import type { PlanOfRun, Untold } from './store.ts'

const words = {
  QUEUED: { state: 'pending', said: 'Waits for its turn' },
  IN_PROGRESS: { state: 'pending', said: 'Runs' },
  PENDING_APPROVAL: { state: 'pending', said: 'Waits for approval' },
  SUCCESS: { state: 'success', said: 'Succeeded' },
  ERROR: { state: 'failure', said: 'Failed' },
  CANCELLED: { state: 'failure', said: 'Was cancelled' },
} as const satisfies Record<PipelineRunStatus, { state: CommitStatus['state']; said: string }>

/** Whether there is nothing more to tell of a run. */
export const isLastWord = (status: PipelineRunStatus): boolean => words[status].state !== 'pending'

/** The status of a run at its commit: one per pipeline, so a later run takes the place of an earlier one. */
export function statusOf({ run, pipeline, project }: Untold, url: string): CommitStatus {
  const { state, said } = words[run.status]
  const reason = run.status === 'ERROR' ? run.error?.message : undefined
  const description = reason === undefined ? said : `${said}: ${reason}`
  return { name: `sluice/${project.givenId}/${pipeline.givenId}`, state, description: oneLine(description), url }
}

/** The comment of a pipeline at a pull request: what the run plans, and how it stands. */
export function commentOf({ run, pipeline, feedback }: Untold, plans: PlanOfRun[], url: string): Comment {
  const head = `**${plain(pipeline.name)}**: [${words[run.status].said}](${url}) at ${feedback.commit.slice(0, 8)}`
  const rows = plans.map((plan) => `| ${plain(plan.stack)} | ${changesIn(plan)} |`)
  const table = rows.length === 0 ? [] : ['', '| Stack | Plan |', '|---|---|', ...rows]
  const failed = run.error && run.status === 'ERROR' ? ['', `> ${plain(run.error.message)}`] : []
  return { marker: `<!-- sluice ${pipeline.id} -->`, text: [head, ...table, ...failed].join('\n') }
}

const verbs: Readonly<Record<string, string>> = {
  CREATE: 'to create',
  UPDATE: 'to change',
  REPLACE: 'to replace',
  DELETE: 'to delete',
  IMPORT: 'to import',
  FORGET: 'to forget',
}

function changesIn({ kind, hasChanges, summary }: PlanOfRun): string {
  if (!hasChanges) return kind === 'DRIFT' ? 'no drift' : 'no changes'
  const counts = Object.entries((summary.changeCounts ?? {}) as Record<string, number>)
  const told = counts.flatMap(([type, count]) => (count > 0 && verbs[type] ? [`${count} ${verbs[type]}`] : []))
  return [told.join(', ') || 'changes', ...(summary.cost ? [plain(costInWords(summary.cost))] : [])].join('; ')
}

/** Without breaks. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Names and messages are no markup, call nobody and link to nothing. */
export const plain = (text: string): string =>
  oneLine(text).replaceAll(/[\\`*_[\]<>|#@!~]/g, (sign) => `&#${sign.charCodeAt(0)};`)
