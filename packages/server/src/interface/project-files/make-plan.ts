import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import type { FileProblem } from '../source-text/fault.ts'
import type { Planned } from './apply.ts'
import { withManualChanges } from './manual-changes.ts'
import { type PlanOptions, planOf } from './plan.ts'
import type { ProjectFiles, Written } from './read.ts'
import { readProject } from './read-project.ts'

/** Project of the files, and settings of the plan. */
export type Planning = PlanOptions & { project?: string }

/** Returns the changes that files would make, or all errors in them, which prevent a plan. */
export async function makePlan(
  client: Client,
  { written, faults }: ProjectFiles,
  { project: called, ...wishes }: Planning,
): Promise<Planned | { faults: FileProblem[] }> {
  if (faults.length > 0) return { faults }
  const project = called ?? projectIn(written)
  const documents = written.map(({ document }) => document)
  const kinds = new Set(documents.map(({ kind }) => kind))
  const state = await readProject(client, project, { documents, ...(!wishes.prune && { kinds }) })
  if (state.projectId === undefined && !kinds.has('Project')) {
    throw new Error(`There is no project ${project}, and no document of the kind Project in the files to create it.`)
  }
  const found = planOf(written, state, wishes)
  if (found.faults.length > 0) return { faults: found.faults }
  return { plan: await withManualChanges(client, state, found.plan), state, project, written }
}

function projectIn(written: readonly Written[]): string {
  for (const { document } of written) if (document.kind === 'Project') return document.name
  throw new UsageError('Of which project? One document has the kind Project, or --project names it.')
}
