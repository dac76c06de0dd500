import { type Freezes, inWords as freezeInWords, type Stop, stopping } from '../../gates/freezes/machine.ts'
import { freezesOf } from '../../gates/freezes/store.ts'
import { holding, inWords as holdsInWords } from '../../gates/holds/machine.ts'
import { holdsOn } from '../../gates/holds/store.ts'
import type { HoldRow } from '../../gates/holds/tables.ts'
import { permissionsOn } from '../../platform/auth/access.ts'
import type { Db } from '../../platform/db/open.ts'
import { accessOfPrincipal } from '../../projects/role-grants/access.ts'
import type { Gates } from './machine.ts'
import type { PromotionRuleRow } from './tables.ts'

/** What holds an instance, and what freezes it, in words. */
export type Stops = { heldBy: string | undefined; frozenBy: { words: string; stop: Stop } | undefined }

type Place = { organizationId: string; projectId: string; environmentId: string; moduleInstanceId: string }

export async function stopsAt(db: Db, { organizationId, ...place }: Place, now: Date): Promise<Stops> {
  const held = await holdsOn(db, organizationId, place)
  return stopsIn({ held, known: await freezesOf(db, organizationId, now) }, place, now)
}

type Rules = { held: readonly HoldRow[]; known: Freezes }

/** The same, of the holds and freezes that there are. */
export function stopsIn({ held, known }: Rules, place: Omit<Place, 'organizationId'>, now: Date): Stops {
  const [hold, ...holds] = holding(held, place)
  const stop = stopping(known, { act: 'RELEASES', place, now })
  return {
    heldBy: hold && holdsInWords([hold, ...holds]),
    frozenBy: stop && { words: freezeInWords(stop), stop },
  }
}

/** The same, and whether who wrote the rule may still deploy in both places. */
export const gatesOf = async (db: Db, rule: PromotionRuleRow, { heldBy, frozenBy }: Stops): Promise<Gates> => ({
  heldBy,
  frozenBy: frozenBy?.words,
  writerMay: await mayWriter(db, rule),
})

/** Whether who wrote a rule may still deploy in both places. */
export async function mayWriter(
  db: Db,
  { organizationId, projectId, fromEnvironmentId, environmentId, writtenById }: PromotionRuleRow,
): Promise<boolean> {
  const access = await accessOfPrincipal(db, organizationId, writtenById)
  return [fromEnvironmentId, environmentId].every(
    (id) => access && permissionsOn(access, { projectId, environmentId: id }).has('deployments:write'),
  )
}
