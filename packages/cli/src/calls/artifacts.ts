import { allPages } from '@sluice/calls/all-pages'
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import { findModuleInstance } from '@sluice/calls/find'
import type { Artifact, ArtifactRetention, ArtifactVerdict } from '@sluice/contract'
import { connect, type Where } from './connect.ts'
import type { Style } from './output.ts'
import { printer, printList } from './print.ts'

/** Shows what builds have made of a module instance: the newest 100. */
export async function listArtifacts(instance: string, wishes: Where & Style): Promise<void> {
  const client = connect(wishes)
  const { id: moduleInstanceId } = await findModuleInstance(client, instance)
  const answer = await client.listArtifacts({ query: { moduleInstanceId, limit: 100 } })
  const columns = ['id', 'built', 'commit', 'bytes', 'location']
  printList(answer.data, wishes, { whole: answer, columns, none: `Nothing was built of ${instance} yet.`, toRow })
}

/** Shows what nothing needs any more of what builds have made, and with `all` why the rest stays. Deletes nothing. */
export async function dryRunRetention(instance: string | undefined, wishes: Wishes): Promise<void> {
  const client = connect(wishes)
  const { keepDays, keepLatest, all } = wishes
  const moduleInstanceId = instance === undefined ? undefined : (await findModuleInstance(client, instance)).id
  const given = {
    ...(moduleInstanceId !== undefined && { moduleInstanceId }),
    ...(keepDays !== undefined && { keepDays }),
    ...(keepLatest !== undefined && { keepLatest }),
  }
  const verdicts = await allPages((page) => client.dryRunArtifactRetention({ query: { ...given, ...page } }))
  const shown = all ? verdicts : verdicts.filter(({ isNeeded }) => !isNeeded)
  const toLine = ({ artifact, message }: ArtifactVerdict) => ({ ...toRow(artifact), why: message })
  printList(shown, wishes, {
    whole: { data: shown },
    columns: ['id', 'built', 'commit', 'bytes', 'location', 'why'],
    none: 'Everything that was built is needed still.',
    toRow: toLine,
    nameOf: ({ artifact }) => artifact.id,
  })
}

type Wishes = Where & Style & { keepDays?: number; keepLatest?: number; all?: boolean }

/** Has artifacts removed from now on, or not; without a state, shows whether they are. */
export async function changeRemoval(
  state: 'on' | 'off' | undefined,
  { keepDays, keepLatest, ...wishes }: Where & Style & { keepDays?: number; keepLatest?: number },
): Promise<void> {
  const client = connect(wishes)
  const kept = { ...(keepDays !== undefined && { keepDays }), ...(keepLatest !== undefined && { keepLatest }) }
  if (state === undefined && Object.keys(kept).length > 0) throw new CalledWrongly('Say on or off as well.')
  const { data } =
    state === undefined
      ? await client.getArtifactRetention()
      : await client.setArtifactRetention({ body: { data: { isEnabled: state === 'on', ...kept } } })
  tellRemoval(data, wishes)
}

function tellRemoval(retention: ArtifactRetention, wishes: Style): void {
  const { say, record } = printer(wishes)
  const { isEnabled, keepDays, keepLatest, nextAt, refusedCount } = retention
  const kept = `Kept are ${keepDays} days, and the last ${keepLatest} releases and builds of each instance.`
  if (isEnabled) say(`Artifacts that nothing needs any more are removed. ${kept}`)
  else say('No artifacts are removed.')
  if (nextAt !== undefined) say(`They are looked through next at ${nextAt}.`)
  if (refusedCount > 0)
    say(`The cloud did not let ${refusedCount} be removed the last time: \`removal\` of each says why.`)
  record({ data: retention })
}

/** Shows the statement of who built an artifact, as other tools read it. */
export async function showProvenance(id: string, wishes: Where): Promise<void> {
  const { data } = await connect(wishes).getArtifactProvenance({ params: { id } })
  console.info(JSON.stringify(data, undefined, 2))
}

const toRow = ({ id, createdAt, commit = '', sizeBytes, location }: Artifact) => ({
  id,
  built: createdAt,
  commit: commit.slice(0, 12),
  bytes: sizeBytes,
  location,
})
