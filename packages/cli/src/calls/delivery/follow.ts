import type { Client } from '@sluice/client'
import type { Style } from '../output.ts'
import { type Printer, printer } from '../print.ts'
import type { Watch } from './watch.ts'

/** Whether a command that starts something stays until it is over. */
export type Stay = Style & Watch & { wait?: boolean }

/** A script that only starts something gets its id; one that waits gets what happens. */
export async function stayWith(
  client: Client,
  started: { id: string },
  what: string,
  { wait, ...wishes }: Stay,
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
