import { allPages } from '@sluice/calls/all-pages'
import { escapeControlCharactersInJson } from '@sluice/calls/control-characters'
import { findModuleInstance } from '@sluice/calls/find'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { Artifact, ArtifactRetention, ArtifactVerdict, ModuleInstance } from '@sluice/contract'
import { connect, type UrlOption } from './connect.ts'
import { type FollowArguments, followOrPrint } from './delivery/follow.ts'
import { watchDeployment } from './delivery/watch.ts'
import type { OutputOption } from './output.ts'
import { printer, printList } from './print.ts'

/** Prints the newest 100 artifacts of a module instance. */
export async function listArtifacts(instance: string, wishes: UrlOption & OutputOption): Promise<void> {
  const client = connect(wishes)
  const { id: moduleInstanceId } = await findModuleInstance(client, instance)
  const answer = await client.listArtifacts({ query: { moduleInstanceId, limit: 100 } })
  const columns = ['id', 'built', 'commit', 'bytes', 'runs', 'location']
  printList(answer.data, wishes, { whole: answer, columns, none: `Nothing was built of ${instance} yet.`, toRow })
}

/** Prints artifacts that retention would delete, and with `all` why others are retained. Deletes nothing. */
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

type Wishes = UrlOption & OutputOption & { keepDays?: number; keepLatest?: number; all?: boolean }

/** Enables or disables the deletion of artifacts; without a state, prints the setting. */
export async function changeRemoval(
  state: 'on' | 'off' | undefined,
  { keepDays, keepLatest, ...wishes }: UrlOption & OutputOption & { keepDays?: number; keepLatest?: number },
): Promise<void> {
  const client = connect(wishes)
  const kept = { ...(keepDays !== undefined && { keepDays }), ...(keepLatest !== undefined && { keepLatest }) }
  if (state === undefined && Object.keys(kept).length > 0) throw new UsageError('Add on or off.')
  const { data } =
    state === undefined
      ? await client.getArtifactRetention()
      : await client.setArtifactRetention({ body: { data: { isEnabled: state === 'on', ...kept } } })
  printRemoval(data, wishes)
}

function printRemoval(retention: ArtifactRetention, wishes: OutputOption): void {
  const { say, record } = printer(wishes)
  const { isEnabled, keepDays, keepLatest, nextAt, failedRemovalCount } = retention
  const kept = `Kept are ${keepDays} days, and the last ${keepLatest} releases and builds of each instance.`
  if (isEnabled) say(`Unused artifacts are removed. ${kept}`)
  else say('No artifacts are removed.')
  if (nextAt !== undefined) say(`The next check is at ${nextAt}.`)
  if (failedRemovalCount > 0)
    say(`The cloud did not let ${failedRemovalCount} be removed the last time: \`removal\` of each says why.`)
  record({ data: retention })
}

/** Prints an artifact's provenance statement. */
export async function showProvenance(id: string, wishes: UrlOption): Promise<void> {
  const { data } = await connect(wishes).getArtifactProvenance({ params: { id } })
  console.info(escapeControlCharactersInJson(JSON.stringify(data, undefined, 2)))
}

const toRow = ({ id, createdAt, commit = '', sizeBytes, location, runningOn }: Artifact) => ({
  id,
  built: createdAt,
  commit: commit.slice(0, 12),
  bytes: sizeBytes,
  runs: runningOn.map(({ moduleInstanceId }) => moduleInstanceId).join(' '),
  location,
})

/** Releases the artifact of a commit to its instance, or to the named one. */
export async function release(
  commit: string,
  {
    instance,
    description = `Release ${commit}`,
    ...wishes
  }: UrlOption & FollowArguments & { instance?: string; description?: string },
): Promise<void> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) {
    throw new UsageError(`${commit} is not a commit: use at least 7 digits of its ID, in lower case.`)
  }
  const client = connect(wishes)
  const params = instance === undefined ? undefined : { id: (await findModuleInstance(client, instance)).id }
  const found = params && (await client.getModuleInstance({ params })).data
  const { data } = await client.listArtifacts({ query: { commit, limit: 100 } })
  const built = data.filter(({ removal }) => removal?.beganAt === undefined)
  const artifact = await newestArtifact(client, { commit, built, instance: found })
  const moduleInstanceId = found?.id ?? artifact.moduleInstanceId
  const body = { data: { moduleInstanceId, description, inputs: artifact.deployInputs } }
  const { data: accepted } = await client.createDeployment({ body })
  await followOrPrint(client, accepted, `releases ${artifact.id} to ${moduleInstanceId}`, wishes, watchDeployment)
}

type Built = { commit: string; built: Artifact[]; instance: ModuleInstance | undefined }

/** Returns the newest artifact of the commit for the instance, or for its namesake in another environment. */
async function newestArtifact(client: Client, { commit, built, instance }: Built): Promise<Artifact> {
  const commits = new Set(built.map((one) => one.commit))
  if (commits.size > 1) throw new UsageError(`${commit} begins ${commits.size} commits: write more of it.`)
  const ids = [...new Set(built.map(({ moduleInstanceId }) => moduleInstanceId))]
  const builtFor = await Promise.all(ids.map(async (id) => (await client.getModuleInstance({ params: { id } })).data))
  const isOf = ({ id, givenId, projectId }: ModuleInstance) =>
    !instance || id === instance.id || (givenId === instance.givenId && projectId === instance.projectId)
  const fitting = builtFor.filter(isOf)
  const own = fitting.find(({ id }) => id === instance?.id)
  const [one = own, ...others] = fitting
  if (one === undefined) {
    const what = instance ? ` for ${instance.givenId}` : ''
    throw new UsageError(`Nothing was built of ${commit}${what}: see sluice artifacts.`)
  }
  if (own === undefined && others.length > 0) {
    const names = fitting.map(({ givenId, id }) => `${givenId} (${id})`).join(', ')
    throw new UsageError(`${commit} was built for ${names}: name one with --instance.`)
  }
  const artifact = built.find(({ moduleInstanceId }) => moduleInstanceId === (own ?? one).id)
  if (!artifact) throw new Error(`${commit} was built for ${one.id} and is not there`)
  return artifact
}
