import type { Client } from '@sluice/client'
import { serviceAt, type Where } from '../calls/connect.ts'
import type { Style } from '../calls/output.ts'
import { type Printer, printer, printList } from '../calls/print.ts'
import { type Watch, watchRun } from '../calls/watch.ts'
import { carryOut, type Done } from './carry-out.ts'
import type { Change, Plan } from './plan.ts'
import type { Look } from './record.ts'

/** A plan, what it was made from, and the name of the project. */
export type Planned = { plan: Plan; look: Look; project: string }

export type Applying = Where &
  Style &
  Watch & {
    /** Whether to stay until the runs that change infrastructure are over. */
    wait?: boolean
    /** Whether infrastructure is changed with the inputs of instances. */
    run: boolean
  }

const didWhat = { create: 'created', change: 'changed', remove: 'removed' } as const

/**
 * Makes the changes of a plan one after the other. Only the service remembers them, so a plan that is made after this
 * was stopped holds what is left, and no more.
 */
export async function carryOutAll({ plan, ...known }: Planned, client: Client, wishes: Applying): Promise<void> {
  const out = printer(wishes)
  const hands = { ...known, client, runStacks: wishes.run, say: out.say }
  const done: (Done & Pick<Change, 'action' | 'key'>)[] = []
  for (const change of plan.changes) {
    const { action, key } = change
    const came = await carryOut(change, hands).catch((error: unknown) => {
      const left = `${done.length} of ${plan.changes.length} changes are made`
      process.stderr.write(`sluice: ${key} could not be ${didWhat[action]}; ${left}. Apply again to go on.\n`)
      throw error
    })
    done.push({ action, key, ...came })
    out.say(`${key} ${didWhat[action]}`)
    if (came.runId !== undefined) out.say(`  It has a run, which may wait for approval: ${pageOf(wishes, came.runId)}`)
  }
  printDone(
    done.map(({ action, key, id, runId }) => ({ action, record: key, id, ...(runId && { runId }) })),
    wishes,
  )
  if (!(wishes.wait ?? wishes.waitForApproval === false)) return
  for (const { runId } of done) if (runId !== undefined) await watchRun(client, runId, wishes, aside(out))
}

/** What was done has been printed: what follows is told only. */
const aside = (out: Printer): Printer => ({ ...out, record: () => {} })

/** What was done, for programs: people have been told on the way. */
export function printDone(done: { action: string; record: string; id: string }[], { output }: Style): void {
  if (output === undefined) return
  const columns = ['action', 'record', 'id', 'runId']
  printList(done, { output }, { whole: { done }, columns, none: 'Nothing was done.' })
}

const pageOf = (where: Where, runId: string): string => `${serviceAt(where)}/console/runs/${runId}`
