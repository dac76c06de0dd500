import type { Client } from '@sluice/client'
import type { OutputOption } from '../output.ts'
import { type Printer, printer } from '../print.ts'
import type { Watch } from './watch.ts'

/** Options for commands that can wait for their result. */
export type FollowArguments = OutputOption & Watch & { wait?: boolean }

/** Prints the id of what was started, or waits and prints its progress. */
export async function followOrPrint(
  client: Client,
  started: { id: string },
  what: string,
  { wait, ...wishes }: FollowArguments,
  watch: (client: Client, id: string, wishes: Watch, out: Printer) => Promise<void>,
): Promise<void> {
  const out = printer(wishes)
  if (wait ?? (wishes.untilPaused || wishes.waitForApproval === false)) {
    out.say(`${started.id} ${what}`)
    await watch(client, started.id, wishes, out)
  } else {
    if (wishes.output === undefined) out.say(started.id)
    out.record(started)
  }
}
