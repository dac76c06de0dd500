import { isDeepStrictEqual } from 'node:util'
import { CalledWrongly } from '@sluice/calls/called-wrongly'
import type { Client } from '@sluice/client'
import { connect, type Where } from '../calls/connect.ts'
import type { Style } from '../calls/output.ts'
import { printList } from '../calls/print.ts'
import { confirm } from '../confirm.ts'
import { formats } from '../lint/formats.ts'
import type { Fault } from '../lint/lint.ts'
import { type Applying, carryOutAll, type Planned, printDone } from './apply.ts'
import { lookAt } from './look.ts'
import { type Plan, type PlanWishes, planOf } from './plan.ts'
import { coloured, planRecord, planText } from './print-plan.ts'
import { readProjectFiles, type Written } from './read.ts'

/** Which project the files are about, and what is done about what they do not say. */
export type FilesWishes = Where & Style & PlanWishes & { project?: string }

/** What `plan` ends with where something would change. */
const codeOfChanges = 5

/** Shows what `apply` would change. */
export async function plan(folder: string, wishes: FilesWishes): Promise<void> {
  const found = await planned(connect(wishes), folder, wishes)
  if (!found) return
  show(found.plan, wishes)
  if (found.plan.changes.length > 0) process.exitCode = codeOfChanges
}

function show(plan: Plan, { output }: Style): void {
  if (output === undefined) return void process.stdout.write(coloured(planText(plan)))
  const whole = planRecord(plan)
  const columns = ['action', 'record']
  printList(whole.changes, { output }, { whole, columns, none: 'No changes.', nameOf: ({ record }) => record })
}

/** What would change; undefined where the files are not right, which is told. */
async function planned(client: Client, folder: string, wishes: FilesWishes): Promise<Planned | undefined> {
  const { project: called } = wishes
  const { written, faults } = await readProjectFiles([folder], {
    env: process.env,
    ...(called !== undefined && { project: called }),
  })
  if (faults.length > 0) return void tell(faults)
  const project = called ?? projectIn(written)
  const documents = written.map(({ document }) => document)
  const kinds = new Set(documents.map(({ kind }) => kind))
  const look = await lookAt(client, project, { documents, ...(!wishes.prune && { kinds }) })
  if (look.projectId === undefined && !kinds.has('Project')) {
    throw new Error(`There is no project ${project}, and no document of the kind Project in ${folder} to make it by.`)
  }
  const found = planOf(written, look, wishes)
  if (found.faults.length > 0) return void tell(found.faults)
  return { plan: found.plan, look, project }
}

function projectIn(written: readonly Written[]): string {
  for (const { document } of written) if (document.kind === 'Project') return document.name
  throw new CalledWrongly('Of which project? One document has the kind Project, or --project names it.')
}

function tell(faults: Fault[]): void {
  const report = { checked: [], faults, passedOver: [], unreadable: [] }
  process.stdout.write(formats.text(report))
  process.stderr.write(`sluice: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}, and nothing is done.\n`)
  process.exitCode = 1
}

export type ApplyWishes = FilesWishes & Applying & { yes?: true }

/** Makes the service what the files say. */
export async function apply(folder: string, wishes: ApplyWishes): Promise<void> {
  const client = connect(wishes)
  const found = await planned(client, folder, wishes)
  if (!found) return
  if (wishes.output === undefined) show(found.plan, wishes)
  if (found.plan.changes.length === 0) return printDone([], wishes)
  if (!wishes.yes && !(await agreed(found.plan, wishes))) return
  const now = wishes.yes ? found : await planned(client, folder, wishes)
  if (!now) return
  if (!isDeepStrictEqual(now.plan, found.plan)) {
    throw new Error('What is in the service has changed since this was shown. Nothing is done: apply again.')
  }
  await carryOutAll(now, client, wishes)
}

async function agreed({ changes }: Plan, { output }: Style): Promise<boolean> {
  if (output || !process.stdin.isTTY)
    throw new CalledWrongly('Nobody can be asked here. Say --yes, after a look at sluice plan.')
  const removed = changes.filter(({ action }) => action === 'remove').length
  const loss = removed === 0 ? '' : ` ${removed} ${removed === 1 ? 'record is' : 'records are'} removed for good.`
  const isAgreed = await confirm(`Do this?${loss}`)
  if (!isAgreed) process.exitCode = 1
  return isAgreed
}
