import type { Client } from '@sluice/client'
import type { Environment, Project } from '@sluice/contract'
import { counted, maxRows } from '../answer.ts'
import { describeRest, firstOf } from '../pages.ts'
import { toWord } from '../quote.ts'
import { defineReadTool, inputOf } from '../tool.ts'

export const listProjects = defineReadTool({
  name: 'list_projects',
  title: 'List projects',
  description: 'The projects of the organization and their environments, such as production, with the ids of both.',
  input: inputOf({}),
  needs: 'projects:read',
  async answer(client) {
    const { projects, environments, total } = await placesOf(client)
    const rows = projects.map(({ id, givenId, name, description }) => ({
      id,
      givenId,
      name,
      description,
      environments: environments.filter(({ projectId }) => projectId === id).map(named),
    }))
    return {
      says: `${counted(total, 'project')}.${describeRest(rows.length, total, 'search finds them by name.')}`,
      lines: rows.map((row) => `${lineOf(row)}: ${row.environments.map(lineOf).join(', ') || 'no environment'}`),
      data: { projects: rows },
    }
  },
})

const named = ({ id, givenId, name }: Environment) => ({ id, givenId, name })
const lineOf = ({ id, name }: { id: string; name: string }): string => `${toWord(name)} (${id})`

/** Maximum number of environments. A project usually has a handful. */
const maxEnvironments = 500

type Places = { projects: Project[]; environments: Environment[]; total: number }

/** Returns the projects and environments that the key can read, or one project with its environments. */
export async function placesOf(client: Client, projectId?: string): Promise<Places> {
  const within = projectId === undefined ? {} : { projectId }
  const [{ rows: projects, total }, { rows: environments }] = await Promise.all([
    projectId === undefined
      ? firstOf(maxRows, (query) => client.listProjects({ query }))
      : client.getProject({ params: { id: projectId } }).then(({ data }) => ({ rows: [data], total: 1 })),
    firstOf(maxEnvironments, (query) => client.listEnvironments({ query: { ...query, ...within } })),
  ])
  return { projects, environments, total }
}
