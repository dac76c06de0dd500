import type { Comment, CommitStatus } from '../../git/adapter/host.ts'
import { oneLine } from '../../pipelines/git-feedback/texts.ts'
import type { Planned } from '../project-files/apply.ts'
import { faultsMarkdown, planMarkdown, summaryOf } from '../project-files/print-plan.ts'
import type { FileProblem } from '../source-text/fault.ts'
import type { WatchedPullRequestRow, WatchedRepositoryRow } from './tables.ts'

/** Result of planning the files of a pull request. */
export type Outcome = { plan: Planned['plan'] } | { faults: FileProblem[] } | { trouble: string }

type Watched = Pick<WatchedRepositoryRow, 'id' | 'path'>

/** Returns the comment on a pull request with the changes of its files. */
export function commentOf(
  { id, path }: Watched,
  { commit }: Pick<WatchedPullRequestRow, 'commit'>,
  outcome: Outcome,
): Comment {
  const where = path === '' ? 'the repository' : inCode(path)
  const text = `**Sluice**: the files in ${where} at ${commit.slice(0, 8)} ${describeStatus(outcome)}.\n\n${describeDetails(outcome)}`
  return { marker: `<!-- sluice ${id} -->`, text: text.trimEnd() }
}

function describeStatus(outcome: Outcome): string {
  if ('trouble' in outcome) return 'could not be planned'
  if ('faults' in outcome) return 'have errors'
  return outcome.plan.changes.length === 0 ? 'are in force' : 'differ from the current records'
}

function describeDetails(outcome: Outcome): string {
  if ('trouble' in outcome) return `~~~~text\n${outcome.trouble.replaceAll('~', '-')}\n~~~~`
  return 'faults' in outcome ? faultsMarkdown(outcome.faults) : planMarkdown(outcome.plan)
}

const inCode = (text: string): string => `\`${text.replaceAll('`', "'")}\``

/** Returns the check at its commit, which fails if the files are invalid. */
export function statusOf(project: string, outcome: Outcome, url: string): CommitStatus {
  const name = `sluice/${project}/files`
  if ('trouble' in outcome) return { name, state: 'failure', description: oneLine(outcome.trouble).slice(0, 140), url }
  if ('plan' in outcome) return { name, state: 'success', description: summaryOf(outcome.plan), url }
  const { length } = outcome.faults
  return { name, state: 'failure', description: `${length} ${length === 1 ? 'error' : 'errors'} in the files`, url }
}
