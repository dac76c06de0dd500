import { removeControlCharacters } from '@sluice/calls/control-characters'
import { findProject } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { WatchedRepository, WatchedRepositoryPlan } from '@sluice/contract'
import { differenceLines, faultsText } from '@sluice/server/interface/project-files/print-plan'
import { connect, type UrlOption } from '../calls/connect.ts'
import type { OutputOption } from '../calls/output.ts'
import { printer } from '../calls/print.ts'
import { confirm } from '../confirm.ts'

/** Prints the state of a project's watched repository. */
export async function showWatched(project: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const watched = await watchedOf(client, project)
  const { data: plan } = await client.getWatchedRepositoryPlan({ params: { id: watched.id } })
  const out = printer(wishes)
  for (const line of [...describeStatus(watched), ...found(plan)]) out.say(removeControlCharacters(line))
  out.record({ ...watched, plan })
}

/** Prints the last plan of a watched repository and applies exactly that after confirmation. */
export async function applyWatched(project: string, wishes: UrlOption & OutputOption & { yes?: true }): Promise<void> {
  const client = connect(wishes)
  const { id } = await watchedOf(client, project)
  const { data: plan } = await client.getWatchedRepositoryPlan({ params: { id } })
  const { planDigest, isWithheld } = plan
  if (planDigest === undefined) throw new Error('Nothing waits for approval. sluice watched show has the status.')
  if (isWithheld) throw new Error('You do not see all of the project, so that you cannot agree to what changes in it.')
  const out = printer(wishes)
  for (const line of found(plan)) out.say(removeControlCharacters(line))
  if (!wishes.yes && !(await isAgreed(wishes))) return
  const { data } = await client.applyWatchedRepository({ params: { id }, body: { data: { planDigest } } })
  out.say('It is in progress. sluice watched show has the status.')
  out.record(data)
}

async function isAgreed({ output }: OutputOption): Promise<boolean> {
  if (output || !process.stdin.isTTY) {
    throw new UsageError('Sluice cannot ask without a terminal. Use --yes after reading sluice watched show.')
  }
  const isSo = await confirm('Do this?')
  if (!isSo) process.exitCode = 1
  return isSo
}

/** Reads the watched files and plans the changes now. */
export async function checkWatched(project: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const { id } = await watchedOf(client, project)
  const { data } = await client.checkWatchedRepository({ params: { id } })
  const out = printer(wishes)
  out.say('The check has started. sluice watched show has the result.')
  out.record(data)
}

async function watchedOf(client: Client, project: string): Promise<WatchedRepository> {
  const { id: projectId } = await findProject(client, project)
  const [watched] = (await client.listWatchedRepositories({ query: { projectId } })).data
  if (!watched) throw new Error(`${project} has no watched repository. sluice api createWatchedRepository makes one.`)
  return watched
}

function describeStatus({
  status,
  message,
  branch,
  path,
  commit,
  appliedCommit,
  changeCount,
  errorCount,
}: WatchedRepository) {
  const at = commit === undefined ? '' : ` at ${commit.slice(0, 10)}`
  const applied = appliedCommit === undefined ? 'nothing was applied yet' : `applied: ${appliedCommit.slice(0, 10)}`
  return [
    `${status}: ${path || 'the whole repository'} of the branch ${branch}${at}, ${applied}`,
    ...(message === undefined ? [] : [message]),
    ...(changeCount > 0 ? [`${changeCount} ${changeCount === 1 ? 'record differs' : 'records differ'}:`] : []),
    ...(errorCount > 0 ? [`${errorCount} ${errorCount === 1 ? 'error' : 'errors'}:`] : []),
  ]
}

const signs = { create: '+', change: '~', remove: '-' } as const

function found({ changes, errors, isTruncated, isWithheld }: WatchedRepositoryPlan): string[] {
  if (isWithheld) return ['What differs is not shown, since you do not see all of the project.']
  return [
    ...changes.flatMap(({ action, record, differences }) => [
      `${signs[action]} ${record}`,
      ...differences.flatMap((one) => differenceLines(one, action)),
    ]),
    ...(errors.length > 0 ? [faultsText(errors).trimEnd()] : []),
    ...(isTruncated ? ['… and more than is kept.'] : []),
  ]
}
