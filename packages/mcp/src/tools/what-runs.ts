import type { Client } from '@sluice/client'
import { type ServiceHealth, type ServiceInEnvironment, ServiceState, serviceStates } from '@sluice/contract'
import { Type } from 'typebox'
import { counted, maxRows } from '../answer.ts'
import { firstOf } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, id, inputOf } from '../tool.ts'
import { placesOf } from './projects.ts'

export const whatRuns = defineReadTool({
  name: 'what_runs',
  title: 'What runs where',
  description:
    'What runs in each environment: for each module instance its version, since when and by whom, how many of its tasks run now, what is released to it at the moment, and what failed last. Narrow it by an environment to ask what runs in production.',
  input: inputOf({
    projectId: Type.Optional(id('a project')),
    environmentId: Type.Optional(id('an environment')),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A part of the name.' })),
    state: Type.Optional(Type.Array(ServiceState, { maxItems: serviceStates.length, description: 'Only those.' })),
  }),
  needs: 'deployments:read',
  async answer(client, { projectId, environmentId, ...filter }) {
    const { projects, environments, total } = await placesOf(
      client,
      projectId ?? (await projectOf(client, environmentId)),
    )
    const found: Found[] = []
    for (const project of projects) {
      if (found.length > maxRows) break
      const query = { projectId: project.id, ...filter }
      const { rows } = await firstOf(maxServices, (page) => client.listServices({ query: { ...query, ...page } }))
      const places = rows
        .flatMap(({ places }) => places)
        .filter((one) => isIn(one, environmentId) && hasState(one, filter.state))
      found.push(...places.map((place) => ({ place, project: project.name })))
    }
    const told = found.slice(0, maxRows)
    const health = await healthOf(client, told)
    const rows = told.map(({ place, project }) => ({
      project,
      environment: environments.find((one) => one.id === place.environmentId)?.name,
      ...place,
      now: health.get(place.moduleInstanceId),
    }))
    const isAll = found.length === told.length && projects.length === total
    return {
      says: `${counted(rows.length, 'instance')}.${isAll ? '' : narrow}`,
      lines: rows.map(lineOf),
      data: { instances: rows },
    }
  },
})

const narrow = ' There are more: narrow it by projectId, environmentId, search or state.'

/** Maximum number of services per project. */
const maxServices = 200

type Found = { place: ServiceInEnvironment; project: string }
type Now = Omit<ServiceHealth, 'moduleInstanceId'>

const isIn = (place: ServiceInEnvironment, environmentId: string | undefined) =>
  environmentId === undefined || place.environmentId === environmentId

/** Reports whether a service in an environment has one of the requested states. */
const hasState = ({ states }: ServiceInEnvironment, wanted: ServiceInEnvironment['states'] | undefined) =>
  wanted === undefined || states.some((state) => wanted.includes(state))

async function projectOf(client: Client, environmentId: string | undefined): Promise<string | undefined> {
  if (environmentId === undefined) return undefined
  return (await client.getEnvironment({ params: { id: environmentId } })).data.projectId
}

/** Returns the current state of the tasks of container services, as far as their clouds report it. */
async function healthOf(client: Client, found: Found[]): Promise<Map<string, Now>> {
  const ids = found.map(({ place }) => place.moduleInstanceId)
  if (ids.length === 0) return new Map()
  const { data } = await client.listServiceHealth({ query: { ids } })
  return new Map(data.map(({ moduleInstanceId, ...now }) => [moduleInstanceId, now]))
}

type Row = Omit<ServiceInEnvironment, 'type'> & {
  project: string
  environment: string | undefined
  now: Now | undefined
}

function lineOf({
  project,
  environment,
  name,
  moduleInstanceId,
  states,
  running,
  inProgress,
  failed,
  now,
}: Row): string {
  const { version, since, by } = running ?? {}
  return [
    `${toWord(project)} / ${toWord(environment)} / ${toWord(name)} (${moduleInstanceId}): ${states.join(', ')}`,
    running ? `runs ${toWord(version ?? running.deploymentId)} since ${since}${by ? ` by ${toWord(by)}` : ''}` : '',
    !running && now?.version ? `runs ${toWord(now.version)}, not released by Sluice` : '',
    now ? `${now.runningTasks} of ${now.desiredTasks} tasks run` : '',
    inProgress
      ? `${inProgress.isPaused ? 'paused' : inProgress.status}: ${toWord(inProgress.version)} ${inProgress.deploymentId}`
      : '',
    failed ? `failed last: ${failed.deploymentId} ${toWord(failed.message)}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}
