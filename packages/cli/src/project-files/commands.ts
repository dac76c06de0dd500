import { isDeepStrictEqual } from 'node:util'
import { removeControlCharacters } from '@sluice/calls/control-characters'
import { createFollowRetry } from '@sluice/calls/follow-retry'
import { UsageError } from '@sluice/calls/usage-error'
import type { Client } from '@sluice/client'
import { type AppliedChange, applyPlan, type Planned } from '@sluice/server/interface/project-files/apply'
import type { Planning } from '@sluice/server/interface/project-files/make-plan'
import type { Plan } from '@sluice/server/interface/project-files/plan'
import {
  coloured,
  faultsMarkdown,
  faultsText,
  planMarkdown,
  planRecord,
  planText,
} from '@sluice/server/interface/project-files/print-plan'
import type { FileProblem } from '@sluice/server/interface/source-text/fault'
import { connect, serviceAt, type UrlOption } from '../calls/connect.ts'
import { type Watch, watchRun } from '../calls/delivery/watch.ts'
import type { Output, OutputOption } from '../calls/output.ts'
import { type Printer, printer, printList } from '../calls/print.ts'
import { confirm } from '../confirm.ts'
import { planFolder } from './read-folder.ts'

/** Options for the project of the files and for records that are in no file. */
export type FilesOptions = UrlOption & Planning

/** Output formats; Markdown is for comments. */
type PlanStyle = { output?: Output | 'markdown' }

/** Exit code of `plan` if there are changes. */
const codeOfChanges = 5

/** Prints what `apply` would change. */
export async function plan(folder: string, wishes: FilesOptions & PlanStyle): Promise<void> {
  const found = await planned(connect(wishes), folder, wishes)
  if (!found) return
  show(found.plan, wishes)
  if (found.plan.changes.length > 0) process.exitCode = codeOfChanges
}

function show(plan: Plan, { output }: PlanStyle): void {
  if (output === undefined) return void process.stdout.write(coloured(planText(plan)))
  if (output === 'markdown') return void process.stdout.write(planMarkdown(plan))
  const whole = planRecord(plan)
  const columns = ['action', 'record']
  printList(whole.changes, { output }, { whole, columns, none: 'No changes.', nameOf: ({ record }) => record })
}

/** Returns the changes, or undefined after printing errors in the files. */
async function planned(
  client: Client,
  folder: string,
  { project, prune = false, setSecrets = false, output }: FilesOptions & PlanStyle,
): Promise<Planned | undefined> {
  const wishes = { prune, setSecrets, ...(project !== undefined && { project }) }
  const made = await planFolder(client, folder, { ...wishes, env: process.env })
  if ('faults' in made) return void tell(made.faults, { output })
  return made
}

function tell(faults: FileProblem[], { output }: { output: PlanStyle['output'] | undefined }): void {
  process.stdout.write(output === 'markdown' ? faultsMarkdown(faults) : faultsText(faults))
  process.stderr.write(`sluice: ${faults.length} ${faults.length === 1 ? 'error' : 'errors'}. Nothing is changed.\n`)
  process.exitCode = 1
}

export type ApplyOptions = FilesOptions &
  OutputOption &
  Watch & {
    yes?: true
    /** Whether to wait for runs that change infrastructure. */
    wait?: boolean
    /** Whether to start runs for changed inputs of instances. */
    run: boolean
  }

export async function apply(folder: string, wishes: ApplyOptions): Promise<void> {
  const client = connect(wishes)
  const found = await planned(client, folder, wishes)
  if (!found) return
  if (wishes.output === undefined) show(found.plan, wishes)
  const isChange = found.plan.changes.length > 0
  if (isChange && !wishes.yes && !(await agreed(found.plan, wishes))) return
  const now = wishes.yes || !isChange ? found : await planned(client, folder, wishes)
  if (!now) return
  if (!isDeepStrictEqual(now.plan, found.plan)) {
    throw new Error('What is in the service has changed since this was shown. Nothing is done: apply again.')
  }
  const out = printer(wishes)
  const warn = (line: string) => void process.stderr.write(`sluice: ${removeControlCharacters(line)}\n`)
  const ways = {
    runStacks: wishes.run,
    url: serviceAt(wishes),
    say: out.say,
    warn,
    patience: createFollowRetry(out.say),
  }
  const done = await applyPlan(now, client, ways)
  printDone(done, wishes)
  if (!(wishes.wait ?? wishes.waitForApproval === false)) return
  for (const { runId } of done) if (runId !== undefined) await watchRun(client, runId, wishes, aside(out))
}

async function agreed({ changes }: Plan, { output }: OutputOption): Promise<boolean> {
  if (output || !process.stdin.isTTY)
    throw new UsageError('Sluice cannot ask without a terminal. Use --yes after reading sluice plan.')
  const removed = changes.filter(({ action }) => action === 'remove').length
  const loss = removed === 0 ? '' : ` ${removed} ${removed === 1 ? 'record is' : 'records are'} removed for good.`
  const isAgreed = await confirm(`Do this?${loss}`)
  if (!isAgreed) process.exitCode = 1
  return isAgreed
}

/** Prints the applied changes for programs; progress for people was already printed. */
function printDone(applied: readonly AppliedChange[], { output }: OutputOption): void {
  if (output === undefined) return
  const done = applied.map(({ action, key, id, runId }) => ({ action, record: key, id, ...(runId && { runId }) }))
  const columns = ['action', 'record', 'id', 'runId']
  printList(done, { output }, { whole: { done }, columns, none: 'Nothing was done.' })
}

/** Returns a printer without the final record, because the result was already printed. */
const aside = (out: Printer): Printer => ({ ...out, record: () => {} })
