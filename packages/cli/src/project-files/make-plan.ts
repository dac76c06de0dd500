import { CalledWrongly } from '@sluice/calls/called-wrongly'
import type { Client } from '@sluice/client'
import type { Fault } from '../lint/lint.ts'
import type { Planned } from './apply.ts'
import { lookAt } from './look.ts'
import { type PlanWishes, planOf } from './plan.ts'
import { readProjectFiles, type Written } from './read.ts'

/** Which project the files are about, what is done about what they do not say, and the variables that they may name. */
export type Planning = PlanWishes & { project?: string; env: NodeJS.ProcessEnv }

/** What would change by the files in a folder; or all that is wrong with them, and then nothing can be done. */
export async function makePlan(
  client: Client,
  folder: string,
  { project: called, env, ...wishes }: Planning,
): Promise<Planned | { faults: Fault[] }> {
  const { written, faults } = await readProjectFiles([folder], {
    env,
    ...(called !== undefined && { project: called }),
  })
  if (faults.length > 0) return { faults }
  const project = called ?? projectIn(written)
  const documents = written.map(({ document }) => document)
  const kinds = new Set(documents.map(({ kind }) => kind))
  const look = await lookAt(client, project, { documents, ...(!wishes.prune && { kinds }) })
  if (look.projectId === undefined && !kinds.has('Project')) {
    throw new Error(`There is no project ${project}, and no document of the kind Project in ${folder} to make it by.`)
  }
  const found = planOf(written, look, wishes)
  if (found.faults.length > 0) return { faults: found.faults }
  return { plan: found.plan, look, project, written }
}

function projectIn(written: readonly Written[]): string {
  for (const { document } of written) if (document.kind === 'Project') return document.name
  throw new CalledWrongly('Of which project? One document has the kind Project, or --project names it.')
}
